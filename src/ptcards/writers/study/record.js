// The record of a learner's progress, as the browser stores it and as a file contains it.
// Version 2: for each card [stability, difficulty, due, last, at, asked, known], for each day [answers, new cards].
// `due` and `last` are days, `at` the second of the last answer; `asked` and `known` count reviews of cards that were due.
// `suspended`, if there, has for each note [second, 1 if it is not asked again, 0 if it is asked again].
// `forgotten`, if there, is the millisecond at which the learner last forgot everything.

const VERSION = 2;
const BOX_DAYS = [0, 1, 2, 4, 8, 16, 32, 64, 128]; // version 1 had Leitner boxes: [box, due, at]
const NAMES = ["stability", "difficulty", "due", "last", "at", "asked", "known"];

const shortened = (number) => Number(number.toFixed(4));
const isTable = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isSame = (one, other) => NAMES.every((name) => shortened(one[name]) === shortened(other[name]));

function recordText({ collection, entries, days, suspended, forgotten }) {
  const cards = [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, entry]) => [id, NAMES.map((name) => shortened(entry[name]))]);
  const sorted = [...days].sort(([a], [b]) => a - b);
  const notes = [...suspended].sort(([a], [b]) => (a < b ? -1 : 1)).map(([guid, { at, on }]) => [guid, [at, Number(on)]]);
  return JSON.stringify({
    ptcards: VERSION, collection, cards: Object.fromEntries(cards), days: Object.fromEntries(sorted),
    suspended: notes.length ? Object.fromEntries(notes) : undefined, forgotten: forgotten || undefined,
  });
}

// Reads a record entry by entry; `bad` is the number of entries that cannot be read. If nothing can, `problem` is the message for the learner.
function readRecord(text, collection) {
  const record = parsed(text);
  const isRecord = [1, VERSION].includes(record?.ptcards) && isTable(record.cards) && (record.ptcards === 1 || isTable(record.days));
  if (!isRecord) return { problem: say("no_progress") };
  if (record.collection !== collection) return { problem: say("other_deck") };
  const cards = readTable(record.cards, record.ptcards === 1 ? readBox : readEntry);
  const days = readTable(record.days ?? {}, readCounts);
  const suspended = readTable(record.suspended ?? {}, readSuspension);
  const bad = cards.bad + days.bad + suspended.bad;
  if (bad && ![cards, days, suspended].some(({ read }) => read.length)) return { problem: say("damaged") };
  const forgotten = Number.isSafeInteger(record.forgotten) ? record.forgotten : 0;
  return { bad, forgotten, entries: new Map(cards.read), days: new Map(days.read), suspended: new Map(suspended.read), isOld: record.ptcards !== VERSION };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

// Returns the rows that can be read, and the number of those that cannot.
function readTable(table, readRow) {
  const rows = Object.entries(table);
  const read = rows.map(readRow).filter(Boolean);
  return { read, bad: rows.length - read.length };
}

function readEntry([id, entry]) {
  if (!Array.isArray(entry) || entry.length !== NAMES.length || !entry.every(Number.isFinite)) return null;
  const [stability, difficulty, ...counted] = entry;
  const isGood = stability > 0 && stability <= MOST_STABLE && difficulty >= 1 && difficulty <= 10 && counted.every(Number.isSafeInteger);
  return isGood ? [id, Object.fromEntries(NAMES.map((name, n) => [name, entry[n]]))] : null;
}

// A day before 1970 has a negative number.
function readCounts([day, counts]) {
  const isPair = Array.isArray(counts) && counts.length === 2 && counts.every((count) => Number.isSafeInteger(count) && count >= 0);
  return isPair && /^-?\d{1,9}$/.test(day) ? [Number(day), counts] : null;
}

function readSuspension([guid, value]) {
  const isPair = Array.isArray(value) && value.length === 2 && Number.isSafeInteger(value[0]) && [0, 1].includes(value[1]);
  return isPair ? [guid, { at: value[0], on: value[1] === 1 }] : null;
}

// A card stayed in a box for as many days as it was expected to be remembered, which is its stability.
function readBox([id, entry]) {
  if (!Array.isArray(entry) || entry.length !== 3 || !entry.every(Number.isSafeInteger) || !(entry[0] in BOX_DAYS)) return null;
  const [box, due, at] = entry;
  const { stability, difficulty } = firstMemory(box ? GOOD : AGAIN);
  return [id, { stability: BOX_DAYS[box] || stability, difficulty, due, last: due - BOX_DAYS[box], at, asked: 0, known: 0 }];
}
