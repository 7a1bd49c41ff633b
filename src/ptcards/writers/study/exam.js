// The exam: a number of random cards that match the filters, against the clock. It does not change the schedule.

const EXAM_SIZE = 20; // questions, if there are as many cards

function startExam(size, minutes) {
  const drawn = shuffled(selectedCards(), Date.now()).slice(0, size);
  if (!drawn.length) return;
  state.exam = { size: drawn.length, marks: [], begun: Date.now(), ends: Date.now() + minutes * 60_000, timer: setInterval(tick, 500) };
  state.past = [];
  state.queue = drawn;
  showView("study");
  start();
}

function mark(card, right) {
  state.exam.marks.push({ card, right });
  state.past.push({ card, undo: () => state.exam.marks.pop() });
  if (!state.queue.length) finishExam();
}

function tick() {
  if (Date.now() < state.exam.ends) return showStatus();
  endExam();
}

function endExam() {
  finishExam();
  next();
}

function finishExam() {
  clearInterval(state.exam.timer);
  Object.assign(state.exam, { left: state.queue.map((card) => card), ended: Math.min(Date.now(), state.exam.ends) });
  Object.assign(state, { queue: [], past: [] });
}

const examRuns = () => Boolean(state.exam && !state.exam.ended);
const clock = (time) => `${Math.floor(time / 60_000)}:${`${Math.floor(time / 1000) % 60}`.padStart(2, "0")}`;

// A time in words: `3 seconds`, `1:05 minutes`.
function lasted(time) {
  const seconds = Math.max(1, Math.round(time / 1000));
  return seconds < 60 ? many(seconds, "seconds") : say("minutes_clock", { clock: clock(seconds * 1000) });
}

function examStatus() {
  const { size, marks, ends, ended } = state.exam;
  return ended ? say("exam") : say("exam_status", { number: marks.length + 1, size, clock: clock(Math.max(0, ends - Date.now())) });
}

function showResult() {
  const { size, marks, left, begun, ended } = state.exam;
  const right = marks.filter((each) => each.right).length;
  $("done-title").textContent = say("exam_result", { right, size });
  $("summary").textContent = say(left.length ? "exam_summary_left" : "exam_summary", {
    share: Math.round((100 * right) / size), time: lasted(ended - begun), questions: many(left.length, "question"),
  });
  $("next-due").textContent = "";
  $("done-mark").toggleAttribute("hidden", right < size);
  for (const id of ["clear-here", "more-new", "ahead"]) $(id).hidden = true;
  $("exam-close").hidden = false;
  showMissed([...marks.filter((each) => !each.right).map((each) => each.card), ...left]);
}

// Leaves the exam, finished or not.
function leaveExam() {
  if (!state.exam) return;
  clearInterval(state.exam.timer);
  state.exam = null;
}
