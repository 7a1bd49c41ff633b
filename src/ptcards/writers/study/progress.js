// The learner's progress, kept in the browser under the collection's id; it can be saved as a file.
// Version 2: for each card [stability, difficulty, due, last, at, asked, known], for each day [answers, new cards].
// `due` and `last` are days, `at` the second of the last answer; `asked` and `known` count reviews of cards that were due.

const VERSION = 2;
const BOX_DAYS = [0, 1, 2, 4, 8, 16, 32, 64, 128]; // version 1 had Leitner boxes: [box, due, at]
const DAY_BEGINS_AT = 4; // o'clock, because studying past midnight belongs to the day before
const NAMES = ["stability", "difficulty", "due", "last", "at", "asked", "known"];

function dayOf(time) {
  const local = time.getTime() - time.getTimezoneOffset() * 60_000;
  return Math.floor(local / 86_400_000 - DAY_BEGINS_AT / 24);
}

const today = () => dayOf(new Date());

// Returns a card's entry after an answer. A card that was not known is due again on the same day.
function entryAfter(entry, grade) {
  const day = today();
  const memory = reviewed(entry, grade, entry ? day - entry.last : 0);
  const counts = entry && entry.due <= day && entry.last < day;
  return {
    ...memory,
    due: grade === AGAIN ? day : day + intervalOf(memory.stability),
    last: day,
    at: Math.floor(Date.now() / 1000),
    asked: (entry?.asked ?? 0) + (counts ? 1 : 0),
    known: (entry?.known ?? 0) + (counts && grade !== AGAIN ? 1 : 0),
  };
}

class Progress {
  constructor(collection) {
    this.key = `ptcards:${collection}`;
    this.collection = collection;
    this.stored = true;
    this.load();
  }

  load() {
    Object.assign(this, { entries: new Map(), days: new Map() });
    try {
      const record = JSON.parse(localStorage.getItem(this.key));
      if (!record) return;
      Object.assign(this, readRecord(record, this.collection));
      if (record.ptcards !== VERSION) this.save();
    } catch {
      this.stored = false; // forbidden, full or foreign: the session continues without storage
    }
  }

  save() {
    try {
      localStorage.setItem(this.key, this.text());
      this.stored = true;
    } catch {
      this.stored = false;
    }
  }

  text() {
    const cards = [...this.entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, entry]) => [id, NAMES.map((name) => shortened(entry[name]))]);
    const days = [...this.days].sort(([a], [b]) => a - b);
    return JSON.stringify({ ptcards: VERSION, collection: this.collection, cards: Object.fromEntries(cards), days: Object.fromEntries(days) });
  }

  // Counts an answer; returns a function that undoes it.
  grade(id, grade) {
    const before = { entry: this.entries.get(id), day: today(), counts: this.days.get(today()) };
    const [answers, fresh] = before.counts ?? [0, 0];
    this.days.set(before.day, [answers + 1, fresh + (before.entry ? 0 : 1)]);
    this.entries.set(id, entryAfter(before.entry, grade));
    this.save();
    return () => {
      if (before.entry) this.entries.set(id, before.entry);
      else this.entries.delete(id);
      if (before.counts) this.days.set(before.day, before.counts);
      else this.days.delete(before.day);
      this.save();
    };
  }

  // Loads an exported file; of two records of a card, the later one counts. Returns how many were loaded.
  merge(text) {
    const { entries, days } = readRecord(JSON.parse(text), this.collection);
    let taken = 0;
    for (const [id, entry] of entries) {
      if (entry.at <= (this.entries.get(id)?.at ?? -1)) continue;
      this.entries.set(id, entry);
      taken += 1;
    }
    for (const [day, counts] of days) {
      const own = this.days.get(day) ?? [0, 0];
      this.days.set(day, counts.map((count, n) => Math.max(count, own[n])));
    }
    this.save();
    return taken;
  }

  clear() {
    this.entries.clear();
    this.days.clear();
    this.save();
  }
}

const shortened = (number) => Number(number.toFixed(4));

// Checks a record from outside; throws the message for the learner.
function readRecord(record, collection) {
  const isRecord = [1, VERSION].includes(record?.ptcards) && isTable(record.cards) && (record.ptcards === 1 || isTable(record.days));
  if (!isRecord) throw new Error(say("no_progress"));
  if (record.collection !== collection) throw new Error(say("other_deck"));
  const read = record.ptcards === 1 ? readBox : readEntry;
  const entries = new Map(Object.entries(record.cards).map(([id, entry]) => [id, read(entry)]));
  const days = new Map(Object.entries(record.days ?? {}).map(([day, counts]) => [Number(day), readCounts(day, counts)]));
  return { entries, days };
}

const isTable = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

function check(isGood) {
  if (!isGood) throw new Error(say("damaged"));
}

function readEntry(entry) {
  check(Array.isArray(entry) && entry.length === NAMES.length && entry.every(Number.isFinite));
  const [stability, difficulty, ...counted] = entry;
  check(stability > 0 && stability <= LONGEST * 10 && difficulty >= 1 && difficulty <= 10 && counted.every(Number.isSafeInteger));
  return Object.fromEntries(NAMES.map((name, n) => [name, entry[n]]));
}

function readCounts(day, counts) {
  const isPair = Array.isArray(counts) && counts.length === 2 && counts.every((count) => Number.isSafeInteger(count) && count >= 0);
  check(/^\d{1,6}$/.test(day) && isPair);
  return counts;
}

// A card stayed in a box for as many days as it was expected to be remembered, which is its stability.
function readBox(entry) {
  check(Array.isArray(entry) && entry.length === 3 && entry.every(Number.isSafeInteger) && entry[0] in BOX_DAYS);
  const [box, due, at] = entry;
  const { stability, difficulty } = firstMemory(box ? GOOD : AGAIN);
  return { stability: BOX_DAYS[box] || stability, difficulty, due, last: due - BOX_DAYS[box], at, asked: 0, known: 0 };
}
