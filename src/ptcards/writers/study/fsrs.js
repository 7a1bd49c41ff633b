// When a card is asked again: FSRS-6, from its published formulas and default parameters
// (https://github.com/open-spaced-repetition/awesome-fsrs/wiki/The-Algorithm). A memory has a stability, the days after which
// one card in ten is forgotten, and a difficulty from 1 to 10. Grades are Anki's: 1 Again, 2 Hard, 3 Good, 4 Easy.

const W = [
  0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796, 1.4835, 0.0614, 0.2629, 1.6483, 0.6014, 1.8729,
  0.5425, 0.0912, 0.0658, 0.1542,
];
const [AGAIN, HARD, GOOD, EASY] = [1, 2, 3, 4];
const LONGEST = 36_500; // days
const SHORTEST = 0.001;
const MOST_STABLE = LONGEST * 10; // days
const CURVE = 0.9 ** (-1 / W[20]) - 1;


function retrievability(days, stability) {
  return (1 + (CURVE * days) / stability) ** -W[20];
}

function intervalOf(stability) {
  const days = (stability / CURVE) * (settings.retention ** (-1 / W[20]) - 1);
  return between(1, Math.round(days), LONGEST);
}

const firstDifficulty = (grade) => W[4] - Math.exp(W[5] * (grade - 1)) + 1;

function firstMemory(grade) {
  return { stability: Math.max(W[grade - 1], SHORTEST), difficulty: between(1, firstDifficulty(grade), 10) };
}

// The memory after a review, `days` after the previous one; `memory` is null for a card that was never seen.
function reviewed(memory, grade, days) {
  if (!memory) return firstMemory(grade);
  const { stability, difficulty } = memory;
  const next = days < 1 ? stabilityOnTheSameDay(stability, grade) : stabilityLater(memory, grade, retrievability(days, stability));
  return { stability: between(SHORTEST, next, MOST_STABLE), difficulty: nextDifficulty(difficulty, grade) };
}

function nextDifficulty(difficulty, grade) {
  const step = difficulty - (W[6] * (grade - GOOD) * (10 - difficulty)) / 9;
  return between(1, W[7] * firstDifficulty(EASY) + (1 - W[7]) * step, 10);
}

function stabilityOnTheSameDay(stability, grade) {
  const growth = Math.exp(W[17] * (grade - GOOD + W[18])) * stability ** -W[19];
  return stability * (grade === AGAIN ? growth : Math.max(growth, 1));
}

function stabilityLater({ stability, difficulty }, grade, remembered) {
  if (grade === AGAIN) {
    const forgotten = W[11] * difficulty ** -W[12] * ((stability + 1) ** W[13] - 1) * Math.exp(W[14] * (1 - remembered));
    return Math.min(forgotten, stability / Math.exp(W[17] * W[18]));
  }
  const factor = grade === HARD ? W[15] : grade === EASY ? W[16] : 1;
  const growth = Math.exp(W[8]) * (11 - difficulty) * stability ** -W[9] * (Math.exp(W[10] * (1 - remembered)) - 1);
  return stability * (1 + growth * factor);
}
