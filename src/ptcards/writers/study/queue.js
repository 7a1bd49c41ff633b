// Which cards to show, and in which order: due cards, then a day's share of new ones, in the deck's own order.

const AGAIN_AFTER = 6; // how many cards come before a forgotten card returns
const HARD_AFTER = 12; // the same for one that was forgotten today, and is hard now

const isAsked = (note) => !progress.suspended.get(note.guid)?.on;
const selectedCards = () => state.notes.filter(isAsked).flatMap((note) => note.cards);
const entryOf = (card) => progress.entries.get(card.id);
const isDue = (card) => (entryOf(card)?.due ?? Infinity) <= today();
const isNew = (card) => !entryOf(card);
const newToday = () => progress.days.get(today())?.[1] ?? 0;

// How many of these cards are new and still to come today.
function newLeft(cards) {
  const room = Math.max(settings.fresh + state.more - newToday(), 0);
  return Math.min(room, cards.filter(isNew).length);
}

// How many more new cards one press adds: a day's share, or those that are left.
const moreNew = () => Math.min(settings.fresh || DEFAULTS.fresh, selectedCards().filter(isNew).length);

// Whether the filters leave out cards that are due or new today.
function leavesOut() {
  const all = CARDS.filter((card) => isAsked(card.note));
  return !$("clear").hidden && (all.some(isDue) || (settings.fresh > newToday() && all.some(isNew)));
}

function fillQueue() {
  const cards = selectedCards();
  const due = cards.filter(isDue).sort((a, b) => memoryOf(a) - memoryOf(b));
  const fresh = cards.filter(isNew).slice(0, newLeft(cards));
  const later = state.ahead ? cards.filter((card) => !isNew(card) && !isDue(card)) : [];
  state.queue = apart([...due, ...fresh, ...later]);
}

// Puts the second card of a note, which would give the first one away or be given away by it, after the first cards of all notes.
function apart(cards) {
  const order = [...grouped(cards, (card) => card.note).values()].flatMap((each) => each.map((card, turn) => [turn, card])).sort(([a], [b]) => a - b).map(([, card]) => card);
  const seam = order.findIndex((card, place) => place > 1 && order[place - 1].note === card.note);
  // Only the last first card can meet its own second card: it comes one place earlier.
  if (seam > 1) [order[seam - 2], order[seam - 1]] = [order[seam - 1], order[seam - 2]];
  return order;
}

// Puts a card back, but not next to another card of its note, if there is such a place.
function putBack(card, after) {
  const isFree = (place) => ![place - 1, place].some((each) => state.queue[each]?.note === card.note);
  const wanted = Math.min(after, state.queue.length);
  const places = [...Array(state.queue.length + 1).keys()];
  const place = [...places.slice(wanted), ...places.slice(1, wanted).reverse()].find(isFree) ?? wanted;
  state.queue.splice(place, 0, card);
}

// The probability that a card is still known on a day; the least likely ones come first.
function memoryOf(card, day = today()) {
  const { last, stability } = entryOf(card);
  return retrievability(Math.max(day - last, 0), stability);
}

function grouped(cards, keyOf) {
  const groups = new Map();
  for (const card of cards) {
    const key = keyOf(card);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(card);
  }
  return groups;
}

// The same order for the same seed, so that a reloaded page continues where it was.
function shuffled(values, seed) {
  const random = randomFrom(seed);
  return values
    .map((value) => [random(), value])
    .sort(([a], [b]) => a - b)
    .map(([, value]) => value);
}

// Numbers from 0 to 1 (mulberry32).
function randomFrom(seed) {
  let count = seed | 0;
  return () => {
    count = (count + 0x6d2b79f5) | 0;
    let bits = Math.imul(count ^ (count >>> 15), 1 | count);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
