// Leitner boxes: a card moves up a box when it is known and back to the first when it is not; each box waits
// longer than the one before. Kept in the browser under the collection's id.

const BOX_DAYS = [0, 1, 2, 4, 8, 16, 32, 64, 128];
const STEPS = { again: -BOX_DAYS.length, good: 1, easy: 2 };
const DAY_BEGINS_AT = 4; // o'clock, so that who studies past midnight is still in the same day

function today() {
  const now = new Date();
  const local = now.getTime() - now.getTimezoneOffset() * 60_000;
  return Math.floor(local / 86_400_000 - DAY_BEGINS_AT / 24);
}

function boxAfter(entry, grade) {
  return Math.min(Math.max((entry?.box ?? 0) + STEPS[grade], 0), BOX_DAYS.length - 1);
}

// What the learner has done: for each card its box, the day it is due and the second it was last graded.
class Progress {
  constructor(collection) {
    this.key = `ptcards:${collection}`;
    this.collection = collection;
    this.entries = new Map();
    this.stored = true;
    this.load();
  }

  load() {
    try {
      const text = localStorage.getItem(this.key);
      this.entries = text ? readEntries(JSON.parse(text), this.collection) : new Map();
    } catch {
      this.stored = false; // forbidden, full or foreign: the session goes on without
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
    const cards = {};
    for (const id of [...this.entries.keys()].sort()) {
      const { box, due, at } = this.entries.get(id);
      cards[id] = [box, due, at];
    }
    return JSON.stringify({ ptcards: 1, collection: this.collection, cards });
  }

  grade(id, grade) {
    const box = boxAfter(this.entries.get(id), grade);
    this.entries.set(id, { box, due: today() + BOX_DAYS[box], at: Math.floor(Date.now() / 1000) });
    this.save();
  }

  put(id, entry) {
    if (entry) this.entries.set(id, entry);
    else this.entries.delete(id);
    this.save();
  }

  // Takes in an exported file; of two records of a card the later one holds. Gives how many were taken.
  merge(text) {
    let taken = 0;
    for (const [id, entry] of readEntries(JSON.parse(text), this.collection)) {
      if (entry.at > (this.entries.get(id)?.at ?? -1)) {
        this.entries.set(id, entry);
        taken += 1;
      }
    }
    this.save();
    return taken;
  }

  clear() {
    this.entries.clear();
    this.save();
  }
}

// Checks a record from outside; throws what to tell the learner.
function readEntries(record, collection) {
  if (record?.ptcards !== 1 || typeof record.cards !== "object" || record.cards === null) {
    throw new Error("This is not a file with progress.");
  }
  if (record.collection !== collection) throw new Error("This progress belongs to another deck.");
  const entries = new Map();
  for (const [id, entry] of Object.entries(record.cards)) {
    const whole = Array.isArray(entry) && entry.length === 3 && entry.every(Number.isSafeInteger);
    if (!whole || entry[0] < 0 || entry[0] >= BOX_DAYS.length) throw new Error("The file is damaged.");
    entries.set(id, { box: entry[0], due: entry[1], at: entry[2] });
  }
  return entries;
}
