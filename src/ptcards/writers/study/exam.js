// The exam: a number of random cards that match the filters, against the clock. It does not change the schedule.

const EXAM_KEY = `${progress.key}:exam`;
const EXAM_SIZE = 20; // questions, if there are as many cards

const startExam = (size, minutes) => beginExam(shuffled(selectedCards(), Date.now()).slice(0, size), minutes);

function beginExam(cards, minutes) {
  if (!cards.length) return;
  state.exam = { cards, minutes, marks: [], begun: Date.now(), ends: Date.now() + minutes * 60_000, timer: setInterval(tick, 500) };
  Object.assign(state, { past: [], queue: cards.slice(), only: false, aside: null });
  showView("study");
  start();
}

function mark(card, right) {
  state.exam.marks.push({ card, right });
  state.past.push(undoable(card));
  if (!state.queue.length) finishExam();
}

const undoable = (card) => ({ card, undo: () => state.exam.marks.pop() });

function tick() {
  const { exam } = state.aside ?? state;
  if (Date.now() < exam.ends) return showStatus();
  finishExam();
  if (state.exam && !$("study").hidden) next();
  else showStatus();
}

function endExam() {
  finishExam();
  next();
}

function finishExam() {
  const place = state.aside ?? state;
  clearInterval(place.exam.timer);
  Object.assign(place.exam, { left: place.queue, ended: Math.min(Date.now(), place.exam.ends) });
  Object.assign(place, { queue: [], past: [] });
}

// Other cards do not end an exam: it continues aside, and a bar leads back to it, or to its result.

function setAside() {
  if (!state.exam) return;
  const { exam, queue, past } = state;
  Object.assign(state, { aside: { exam, queue, past }, exam: null, past: [] });
}

function backToExam() {
  const { aside } = state;
  if (aside) Object.assign(state, { ...aside, aside: null, only: false });
  showView("study");
  if (aside) start();
  else focusMain();
}

function showExamBar() {
  const exam = state.aside?.exam ?? ($("study").hidden ? state.exam : null);
  $("exam-bar").hidden = !exam;
  if (!exam) return;
  const right = exam.marks.filter((each) => each.right).length;
  $("exam-said").textContent = exam.ended ? say("exam_over", { right, size: exam.cards.length }) : say("exam_left", { clock: clockOf(exam) });
  $("exam-back").textContent = say(exam.ended ? "exam_back_result" : "exam_back");
  $("exam-forget").hidden = !exam.ended;
}

function forgetExam() {
  const inView = state.exam;
  leaveExam();
  if (inView) applyFilter();
  else showStatus();
}

const hasResult = () => Boolean(state.exam?.ended);
const examRuns = () => Boolean(state.exam && !state.exam.ended && !$("study").hidden);
const clock = (time) => `${Math.floor(time / 60_000)}:${`${Math.floor(time / 1000) % 60}`.padStart(2, "0")}`;
const clockOf = (exam) => clock(Math.max(0, exam.ends - Date.now()));

// A time in words: `3 seconds`, `1:05 minutes`.
function lasted(time) {
  const seconds = Math.max(1, Math.round(time / 1000));
  return seconds < 60 ? many(seconds, "seconds") : say("minutes_clock", { clock: clock(seconds * 1000) });
}

function examStatus() {
  const { cards, marks } = state.exam;
  return say("exam_status", { number: marks.length + 1, size: cards.length, clock: clockOf(state.exam) });
}

// The result: the score, the questions to look at again, and each topic.

function showResult() {
  const { cards, marks, left, begun, ended } = state.exam;
  const right = marks.filter((each) => each.right).map((each) => each.card);
  $("done-title").textContent = say("exam_result", { right: right.length, size: cards.length });
  $("summary").textContent = say(left.length ? "exam_summary_left" : "exam_summary", {
    share: Math.round((100 * right.length) / cards.length), time: lasted(ended - begun), questions: many(left.length, "question"),
  });
  $("next-due").textContent = "";
  $("done-mark").toggleAttribute("hidden", right.length < cards.length);
  showMissed(missedInExam(), left);
  showTopics(cards, right);
}

function missedInExam() {
  const { marks, left } = state.exam;
  return [...marks.filter((each) => !each.right).map((each) => each.card), ...left];
}

// The topics of the exam, the weakest first.
function showTopics(cards, right) {
  const inOrder = cards.toSorted((one, other) => one.note.index - other.note.index);
  const rows = [...grouped(inOrder, (card) => topicOf(card.note.deck))].map(([name, asked]) => {
    const known = asked.filter((card) => right.includes(card)).length;
    return [name, known / asked.length, say("of", { part: known, all: asked.length })];
  });
  rows.sort(([, one], [, other]) => one - other);
  const label = `${say("by_topic")}: ${rows.map(([name, , value]) => `${name} ${value}`).join(", ")}`;
  $("study-missed").textContent = many(cards.length - right.length, "study_missed");
  $("by-topic").hidden = false;
  $("topic-bars").replaceChildren(shareChart($("topic-bars").clientWidth, rows, label));
}

function tryAgain() {
  const { cards, minutes } = state.exam;
  beginExam(shuffled(cards, Date.now()), minutes);
}

function studyMissed() {
  const cards = missedInExam();
  setAside();
  Object.assign(state, { queue: apart(cards), past: [], session: newSession(), only: true });
  next();
}

// Leaves a finished exam.
function leaveExam() {
  Object.assign(state, { exam: null, aside: null });
  keepExam();
}

// An exam outlives a reload of its tab, and is aside then; its clock does not stop.

function keepExam() {
  const { exam, queue } = state.aside ?? state;
  const idsOf = (cards) => cards.map((card) => card.id);
  keep("sessionStorage", EXAM_KEY, exam && {
    minutes: exam.minutes, begun: exam.begun, ends: exam.ends, ended: exam.ended,
    cards: idsOf(exam.cards), marks: exam.marks.map(({ card, right }) => [card.id, right]), left: idsOf(exam.left ?? queue),
  });
}

function restoreExam() {
  const { cards: ids, marks, left, ...times } = kept("sessionStorage", EXAM_KEY);
  const known = new Map(CARDS.map((card) => [card.id, card]));
  if (!Array.isArray(ids) || !ids.every((id) => known.has(id))) return; // the deck has changed
  const cardsOf = (some) => some.map((id) => known.get(id));
  const exam = { ...times, cards: cardsOf(ids), marks: marks.map(([id, right]) => ({ card: known.get(id), right })) };
  state.aside = { exam, queue: cardsOf(left), past: exam.marks.map(({ card }) => undoable(card)) };
  if (exam.ended) Object.assign(state.aside, { queue: [], past: [] }).exam.left = cardsOf(left);
  else if (Date.now() >= exam.ends) finishExam();
  else exam.timer = setInterval(tick, 500);
}
