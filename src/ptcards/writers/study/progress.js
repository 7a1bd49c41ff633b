// The learner's progress, kept in the browser under the collection's id; it can be saved as a file.
// Several tabs may study a deck, so each change reads what is stored, adds to it, and stores the result in one step.

const DAY_BEGINS_AT = 4; // o'clock, because studying past midnight belongs to the day before

function dayOf(time) {
  const local = time.getTime() - time.getTimezoneOffset() * 60_000;
  return Math.floor(local / 86_400_000 - DAY_BEGINS_AT / 24);
}

const today = () => dayOf(new Date());

// The days until a card is asked again. As in Anki, a card that was not known stays in the session until it is
// Good or Easy, and a better grade always waits longer.
function waitAfter(entry, grade) {
  const day = today();
  const isLearning = entry?.last === day && entry.due === day;
  if (grade === AGAIN || (grade === HARD && isLearning)) return 0;
  const days = intervalOf(reviewed(entry, grade, entry ? day - entry.last : 0).stability);
  return grade === HARD ? days : Math.max(days, waitAfter(entry, grade - 1) + 1);
}

// Later than before, whatever the clock says.
const secondAfter = (entry) => Math.max(Math.floor(Date.now() / 1000), (entry?.at ?? -Infinity) + 1);

function entryAfter(entry, grade) {
  const day = today();
  const memory = reviewed(entry, grade, entry ? day - entry.last : 0);
  const counts = entry && entry.due <= day && entry.last < day;
  return {
    ...memory,
    due: day + waitAfter(entry, grade),
    last: day,
    at: secondAfter(entry),
    asked: (entry?.asked ?? 0) + (counts ? 1 : 0),
    known: (entry?.known ?? 0) + (counts && grade !== AGAIN ? 1 : 0),
  };
}

function addCounts(days, day, ...added) {
  const counts = (days.get(day) ?? [0, 0]).map((count, n) => Math.max(0, count + added[n]));
  if (counts.some(Boolean)) days.set(day, counts);
  else days.delete(day);
}

const isLater = (entry, entries, id) => entry.at > (entries.get(id)?.at ?? -Infinity);

// What this page has added to the progress. It is added again if what is stored lacks it: another tab may have
// stored its own progress at the same moment, or the storage was full.

class Answer {
  constructor(id, grade) {
    Object.assign(this, { id, grade, time: Date.now() });
  }

  isIn({ entries }) {
    return !isLater(this.entry, entries, this.id);
  }

  addTo({ entries, days }) {
    const before = entries.get(this.id);
    Object.assign(this, { before, entry: entryAfter(before, this.grade), day: today() });
    entries.set(this.id, this.entry);
    addCounts(days, this.day, 1, before ? 0 : 1);
  }

  // If another tab has graded the card since, its grade stays.
  takeFrom({ entries, days }) {
    const isLast = isSame(entries.get(this.id), this.entry);
    if (isLast && this.before) entries.set(this.id, this.before);
    else if (isLast) entries.delete(this.id);
    addCounts(days, this.day, -1, isLast && !this.before ? -1 : 0);
  }
}

// Whether the cards of a note are not asked again (Anki: suspended).
class Suspension {
  constructor(guid, on) {
    Object.assign(this, { guid, on, time: Date.now() });
  }

  isIn({ suspended }) {
    return !isLater(this.entry, suspended, this.guid);
  }

  addTo({ suspended }) {
    this.entry = { at: secondAfter(suspended.get(this.guid)), on: this.on };
    suspended.set(this.guid, this.entry);
  }
}

// Another record; of two records of a card, the later one counts.
class Addition {
  constructor({ entries, days, suspended }) {
    Object.assign(this, { entries, days, suspended, time: Date.now() });
  }

  // Pairs of a table of that record and an entry that is later than ours.
  laterThan(record) {
    return ["entries", "suspended"].flatMap((name) => [...this[name]].filter(([id, entry]) => isLater(entry, record[name], id)).map((row) => [record[name], row]));
  }

  isIn(record) {
    const hasDays = [...this.days].every(([day, counts]) => counts.every((count, n) => count <= (record.days.get(day)?.[n] ?? -1)));
    return hasDays && !this.laterThan(record).length;
  }

  addTo(record) {
    for (const [table, [id, entry]] of this.laterThan(record)) table.set(id, entry);
    for (const [day, counts] of this.days) record.days.set(day, counts.map((count, n) => Math.max(count, record.days.get(day)?.[n] ?? 0)));
  }
}

class Progress {
  constructor(collection) {
    this.key = `ptcards:${collection}`;
    this.collection = collection;
    Object.assign(this, { entries: new Map(), days: new Map(), suspended: new Map(), forgotten: 0, changes: [] });
    this.seen = null; // the text that was read or stored last
    this.isRead = false; // whether any record was read
    this.stored = true; // whether the browser stores what it is given
    this.unread = null; // the stored text, if it cannot be read completely
    this.hasUnread = false; // whether there was such a text
    this.page = `${Date.now()}-${Math.random()}`; // the name of its own copy
    this.merged = []; // the names of the copies that the next one replaces
    this.catchUp();
  }

  text() {
    return recordText(this);
  }

  catchUp() {
    if (this.read()) this.store();
  }

  // Reads what is stored. Returns whether it lacks anything. If the browser shows nothing, what the page knows stays.
  read() {
    const text = this.storedText();
    if (text === null || text === this.seen) return false;
    this.seen = text;
    const found = readRecord(text, this.collection);
    this.unread = found.problem || found.bad ? text : null;
    this.hasUnread ||= this.unread !== null;
    if (found.problem) return false;
    this.isRead = true;
    const isComplete = this.take(found);
    return !isComplete || found.isOld;
  }

  storedText() {
    try {
      return localStorage.getItem(this.key);
    } catch {
      this.stored = false; // forbidden: the session continues without storage
      return null;
    }
  }

  // Replaces the progress, but not this page's own changes. Returns whether the record contains all of them.
  take({ entries, days, suspended, forgotten }) {
    this.changes = this.changes.filter((change) => change.time > forgotten);
    const lacking = this.changes.filter((change) => !change.isIn({ entries, days, suspended }));
    Object.assign(this, { entries, days, suspended, forgotten });
    for (const change of lacking) change.addTo(this);
    return !lacking.length;
  }

  store() {
    const text = this.text();
    try {
      this.keepUnread();
      localStorage.setItem(this.key, text);
      Object.assign(this, { seen: text, stored: true });
    } catch {
      this.stored = false; // forbidden or full
    }
    this.storeCopy(text);
  }

  change(change) {
    this.changes.push(change);
    change.addTo(this);
    this.store();
  }

  // Counts an answer; returns a function that undoes it.
  grade(id, grade) {
    this.read();
    const answer = new Answer(id, grade);
    this.change(answer);
    return () => {
      this.read();
      if (!this.changes.includes(answer)) return; // forgotten since
      this.changes = this.changes.filter((change) => change !== answer);
      answer.takeFrom(this);
      this.store();
    };
  }

  suspend(guid, on) {
    this.read();
    this.change(new Suspension(guid, on));
  }

  // Loads an exported file. Returns the numbers of cards that were loaded, and of entries that cannot be read; throws the message for the learner.
  merge(text) {
    const found = readRecord(text, this.collection);
    if (found.problem) throw new Error(found.problem);
    this.read();
    const addition = new Addition(found);
    const taken = addition.laterThan(this).length;
    this.change(addition);
    return { taken, bad: found.bad };
  }

  // When the progress was last saved as a file

  noteSaved() {
    keep("localStorage", `${this.key}:saved`, { at: Math.floor(Date.now() / 1000) });
  }

  // The day of the last file; undefined if there is none.
  savedDay() {
    const { at } = kept("localStorage", `${this.key}:saved`);
    return at && dayOf(new Date(1000 * at));
  }

  // For how many days there has been progress that is in no file.
  unsavedDays() {
    const { at = 0 } = kept("localStorage", `${this.key}:saved`);
    const isSaved = [...this.entries.values()].every((entry) => entry.at <= at);
    return isSaved ? 0 : today() - (this.savedDay() ?? Math.min(today(), ...this.days.keys()));
  }

  clear() {
    keep("localStorage", `${this.key}:saved`);
    for (const [key] of this.unreadRecords()) localStorage.removeItem(key);
    Object.assign(this, { entries: new Map(), days: new Map(), suspended: new Map(), forgotten: Date.now(), changes: [], unread: null, hasUnread: false });
    this.store();
  }

  // Records that cannot be read

  // Keeps what cannot be read before it is replaced.
  keepUnread() {
    if (this.unread !== null) localStorage.setItem(this.unreadKey(), this.unread);
    this.unread = null;
  }

  unreadKey() {
    const dated = `${this.key}:unread-${new Date().toISOString().slice(0, 10)}`;
    const isTaken = (key) => localStorage.getItem(key) !== null;
    let key = dated;
    for (let n = 2; isTaken(key); n += 1) key = `${dated}-${n}`;
    return key;
  }

  // Returns the records that could not be read, by their keys: those that were kept, and the one that the next change will keep.
  unreadRecords() {
    try {
      const kept = Object.entries(localStorage).filter(([key]) => key.startsWith(`${this.key}:unread-`));
      return [...kept.sort(), ...(this.unread === null ? [] : [[this.unreadKey(), this.unread]])];
    } catch {
      return [];
    }
  }

  // Copies, for pages to which the browser shows an empty storage

  // Takes what only the copies contain. Returns whether there was anything.
  async recover() {
    const copies = await readCopies(this.key);
    this.catchUp();
    const before = this.text();
    for (const [name, text] of copies) this.takeCopy(name, readRecord(text, this.collection));
    const after = this.text();
    if (this.unread === null && (after !== before || this.merged.length)) this.store();
    else if (this.entries.size) this.storeCopy(after);
    return after !== before;
  }

  // A copy of what every page sees adds nothing to it; the copy of another page may.
  takeCopy(name, found) {
    if (found.problem) return;
    const [, page] = name;
    if (page) this.merged.push(name);
    if (page ? found.forgotten > this.forgotten : !this.isRead) this.take(found);
    else if (page && found.forgotten === this.forgotten) new Addition(found).addTo(this);
  }

  storeCopy(text) {
    const own = [this.key, this.page];
    if (this.isRead && this.stored) replaceCopies([...this.merged, own], [this.key, ""], text);
    else replaceCopies(this.merged, own, text);
    this.merged = [];
  }
}
