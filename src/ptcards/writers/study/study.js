// Studying: the two sides of the first card in the queue, the grades, and the last screen.

const MINUTES_A_CARD = 0.5; // for a new card, with the reviews of earlier ones that come with it
const REMIND_AFTER = 7; // days with progress that is in no file
const GRADES = { again: AGAIN, hard: HARD, good: GOOD, easy: EASY };
const EXAM_GRADES = { again: "exam_wrong", good: "exam_right" };

function showCard() {
  const card = state.queue[0];
  Object.assign(state, { turned: false, picked: new Set(), typed: "" });
  $("notice").textContent = ""; // until something happens
  $("welcome").hidden = !state.welcome;
  for (const id of ["card", "dock"]) $(id).hidden = !card || state.welcome;
  $("done").hidden = Boolean(card) || state.welcome;
  if (card) render(card);
  else showDone();
  showStatus();
  showActions();
  hear();
  keepExam();
}

// The first screen, for those who have not studied this deck yet.

let aboutRoot;
function showWelcome() {
  state.welcome = true;
  const cards = CARDS.length;
  const days = Math.ceil(cards / (settings.fresh || cards));
  const minutes = Math.max(1, Math.round(Math.min(settings.fresh, cards) * MINUTES_A_CARD));
  const topics = DATA.decks.length > 1 && many(DATA.decks.length, "topic_count");
  const size = [many(NOTES.length, "question"), cards > NOTES.length && many(cards, "cards")].filter(Boolean).join(", ");
  $("facts").textContent = [size, topics, say(days > 1 ? "a_day" : "one_day", { days: many(days, "days"), minutes: many(minutes, "minutes") })].filter(Boolean).join(" · ");
  aboutRoot ??= shadowOf($("about"));
  aboutRoot.replaceChildren(aboutDeck());
  for (const code of aboutRoot.querySelectorAll("code")) if (DATA.tags.includes(code.textContent)) code.replaceWith(tagButton(code.textContent));
  $("package").hidden = !DATA.package;
  $("package").href = DATA.package;
  showCard();
}

// A tag that the description names starts with its cards.
function tagButton(tag) {
  const cards = NOTES.filter((note) => note.tags.includes(tag)).flatMap((note) => note.cards);
  const button = make("button", "", tagName(tag));
  Object.assign(button, { type: "button", title: say("tag_start", { cards: many(cards.length, "cards") }) });
  button.addEventListener("click", () => {
    setFilter({ tag });
    next();
  });
  return button;
}

function start() {
  state.welcome = false;
  next();
}

function render(card) {
  const side = builtSide(card, state.turned ? "back" : "front");
  if (state.turned) markAnswers(side, card);
  else prepareOptions(side, card);
  prepareBox(side);
  dress(cardRoot, card.note);
  cardRoot.replaceChildren(make("div", phone.matches ? "mobile" : "", side));
  $("link").href = `#${encodeURIComponent(card.id)}`;
}

function showStatus() {
  const cards = selectedCards();
  const started = cards.filter((card) => !isNew(card)).length;
  const parts = [
    say("status_due", { count: amount(cards.filter(isDue).length) }),
    say("status_new", { count: amount(newLeft(cards)) }),
  ];
  if (!progress.stored) parts.push(say("status_lost"));
  if (progress.hasUnread) parts.push(say("status_unread"));
  if (progress.stored && progress.unsavedDays() >= REMIND_AFTER) parts.push(say("status_unsaved", { saved: lastSaved() }));
  // A phone has the bar below for that.
  const whole = make("span", "wide", ` · ${say("status_started", { count: amount(started), cards: many(cards.length, "cards") })}`);
  if (examRuns()) $("status").textContent = examStatus();
  else if (state.only) $("status").textContent = say("status_only", { cards: many(state.queue.length, "cards") });
  else $("status").replaceChildren(parts.join(" · "), whole);
  for (const id of ["today", "bar"]) $(id).hidden = $("study").hidden || state.welcome || hasResult();
  $("active").hidden = $("study").hidden ? false : Boolean(state.exam);
  $("exam-open").hidden = [state.exam, state.aside?.exam].some((exam) => exam && !exam.ended);
  $("exam-end").hidden = !examRuns();
  $("filters").inert = $("filters-button").disabled = examRuns(); // another selection would set it aside
  showExamBar();
  $("link").hidden = $("study").hidden || state.welcome || !state.queue.length || Boolean(state.exam);
  const share = state.exam ? state.exam.marks.length / state.exam.cards.length : shareOfToday(cards);
  $("bar").style.setProperty("--share", share);
  $("learnt").textContent = [say("graded", { cards: many(progress.entries.size, "cards") }), progress.entries.size && say("saved_when", { saved: lastSaved() })].filter(Boolean).join(" ");
}

function lastSaved() {
  const day = progress.savedDay();
  if (day === undefined) return say("saved_never");
  return say(day === today() ? "saved_today" : "saved_ago", { days: many(today() - day, "days") });
}

// The part of today's cards that is done; "Again" is not.
function shareOfToday(selected) {
  const cards = state.only ? [...new Set(state.session.answers.map((answer) => answer.card))] : selected;
  const done = cards.filter((card) => entryOf(card)?.last === today() && !isDue(card)).length;
  return done / (done + state.queue.length || 1);
}

function showActions() {
  const card = state.queue[0];
  $("front-actions").hidden = !card || state.turned;
  $("show").querySelector("kbd").textContent = say(answerBox() ? "enter" : "space");
  $("grades").hidden = !card || !state.turned;
  $("skip").hidden = !card;
  $("previous").hidden = !state.past.length;
  if (card) $("actions").prepend($("previous"));
  else $("done-buttons").append($("previous"));
  suggest("good");
  if (!state.turned) sayVerdict("");
  for (const button of $("grades").querySelectorAll("button")) {
    const { grade: name } = button.dataset;
    button.hidden = Boolean(state.exam) && !EXAM_GRADES[name];
    button.querySelector("b").textContent = gradeWord(name);
    if (name === "good") button.querySelector("kbd").textContent = state.exam ? "2" : "3";
    button.querySelector("small").textContent = card && !state.exam ? waitOf(card, GRADES[name]) : "";
  }
}

const gradeWord = (name) => say((state.exam && EXAM_GRADES[name]) || name);

function waitOf(card, grade) {
  const days = waitAfter(entryOf(card), grade);
  if (!days) return say(grade === AGAIN ? "soon" : "today");
  if (days < 60) return many(days, "days");
  return days < 700 ? say("months", { count: Math.round(days / 30.4) }) : say("years", { count: (days / 365).toFixed(1) });
}

function turn() {
  const card = state.queue[0];
  if (!card) return;
  const focused = document.activeElement;
  if (!state.turned) state.typed = answerBox()?.value ?? "";
  state.turned = !state.turned;
  render(card);
  showActions();
  if (state.turned) sayVerdict(verdictOn(card));
  if (focused === document.body || $("study").contains(focused)) focusMain();
  if (state.turned) showAnswerLine();
  hear();
}

function sayVerdict(verdict) {
  $("verdict").textContent = verdict && say(`verdict_${verdict}`);
  $("verdict").className = verdict;
  suggest(["close", "wrong"].includes(verdict) ? "again" : "good");
}

// Announces what is new on the card to screen readers: the focus is on a button, and they only read its name.
function hear() {
  const isShown = state.queue.length && !state.welcome && !$("study").hidden;
  const parts = cardRoot.querySelectorAll(state.turned ? ".typed, .answer" : ".question, .options, .answer");
  const text = [...parts].map((part) => part.innerText).join(" ").replace(/\s+/g, " ").trim();
  $("heard").textContent = isShown ? `${say(state.turned ? "heard_answer" : "heard_question")}: ${text}` : "";
}

// Scrolls only if the answer would begin out of sight.
function showAnswerLine() {
  const line = cardRoot.getElementById("answer")?.getBoundingClientRect();
  if (line && line.top > innerHeight * 0.7) scrollBy({ top: line.top - innerHeight * 0.3 });
}

function focusMain() {
  const front = (finePointer.matches && answerBox()) || $("show");
  if (state.welcome) return;
  // Space, pressed once too often, adds no cards to those of a day.
  const last = $("done-buttons").querySelector(".primary:not([hidden], #save-here, #more-new, #ahead)") ?? $("done");
  const main = state.turned ? $("grades").querySelector(".primary") : state.queue.length ? front : last;
  main.focus({ preventScroll: true });
}

// The grade for Space and Enter.
function suggest(name) {
  state.suggested = name;
  for (const button of $("grades").querySelectorAll("button")) button.classList.toggle("primary", button.dataset.grade === name);
}

function grade(name) {
  const card = state.queue.shift();
  if (state.exam) {
    mark(card, name !== "again");
  } else {
    state.session.begun ??= Date.now();
    const undo = progress.grade(card.id, GRADES[name]);
    state.past.push({ card, undo: () => { undo(); state.session.answers.pop(); } });
    state.session.answers.push({ card, known: name !== "again" });
    if (isDue(card)) putBack(card, name === "again" ? AGAIN_AFTER : HARD_AFTER);
  }
  next();
}

function skip() {
  if (!state.queue.length) return;
  const card = state.queue.shift();
  state.past.push({ card });
  state.queue.push(card);
  next();
}

// Asks no card of this note again, or asks them again.
function suspend() {
  const { queue, queue: [card] } = state;
  if (!card || state.exam) return;
  const on = isAsked(card.note);
  progress.suspend(card.note.guid, on);
  if (on) {
    state.past.push({ card, undo: () => { progress.suspend(card.note.guid, false); state.queue = queue; } });
    state.queue = queue.filter((other) => other.note !== card.note);
    next();
  }
  showStatus();
  $("notice").textContent = say(on ? "suspended_now" : "asked_now");
}

function back() {
  const last = state.past.pop();
  if (!last) return;
  last.undo?.();
  putFirst(last.card);
}

function openCard(card) {
  if (state.exam) {
    setAside();
    fillQueue();
  }
  putFirst(card);
}

function putFirst(card) {
  state.queue = [card, ...state.queue.filter((other) => other !== card)];
  start();
}

function next() {
  showCard();
  scrollTo({ top: 0 });
  focusMain();
}

// The last screen: when the next card is due, and how the session went.

function showDone() {
  const cards = selectedCards();
  const buttons = lastButtons(cards);
  const [primary] = buttons.filter(Boolean);
  for (const button of $("done-buttons").querySelectorAll("button")) {
    button.hidden = !buttons.includes(button.id);
    button.classList.toggle("primary", button.id === primary);
  }
  $("more-new").textContent = many(moreNew(), "more_new");
  $("by-topic").hidden = true;
  if (hasResult()) return showResult();
  $("done-title").textContent = cards.length ? say(state.only || leavesOut() ? "done_some" : "done") : say("nothing");
  $("done-mark").toggleAttribute("hidden", !cards.length);
  $("next-due").textContent = cards.length && !state.only ? nextDue(cards) : "";
  showSummary(cards.length ? state.session : { answers: [] });
}

// The first one is what to do next.
function lastButtons(cards) {
  if (hasResult()) return [missedInExam().length > 0 && "study-missed", "exam-close", "exam-again"];
  if (state.only) return ["exam-close"];
  return [(!cards.length || leavesOut()) && "clear-here", progress.unsavedDays() >= REMIND_AFTER && "save-here", cards.some(isNew) && "more-new", cards.some((card) => !isNew(card)) && "ahead"];
}

function nextDue(cards) {
  const dues = cards.flatMap((card) => entryOf(card)?.due ?? []);
  const due = dues.length ? Math.min(...dues) : today() + 1;
  const fresh = cards.some(isNew) && due > today() + 1 ? `${say("new_tomorrow")} ` : "";
  if (!dues.length) return say("new_tomorrow");
  const days = due - today();
  const count = many(dues.filter((each) => each === due).length, "cards");
  return fresh + say(days === 1 ? "next_tomorrow" : "next_in", { cards: count, days: many(days, "days") });
}

function showSummary({ answers, begun }) {
  const known = answers.filter((answer) => answer.known).length;
  const minutes = Math.max(1, Math.round((Date.now() - begun) / 60_000));
  $("summary").textContent = answers.length
    ? say("summary", { answers: many(answers.length, "answers"), minutes: many(minutes, "minutes"), share: Math.round((100 * known) / answers.length) })
    : "";
  showMissed(answers.filter((answer) => !answer.known).map((answer) => answer.card));
}

function showMissed(cards, unanswered = []) {
  const notes = [...new Set(cards.map((card) => card.note))];
  $("missed").hidden = !notes.length;
  $("missed-rows").replaceChildren(...notes.map((note) => {
    const card = cards.find((each) => each.note === note);
    const question = make("span", "", inlineOf(questionHtml(note)));
    question.dir = "auto";
    const button = make("button", "", question, ...(unanswered.includes(card) ? [" ", make("small", "", say("not_answered"))] : []));
    button.type = "button";
    button.addEventListener("click", () => openCard(card));
    return make("li", "", button);
  }));
}

function goOn(wish) {
  Object.assign(state, wish, { session: newSession() });
  fillQueue();
  next();
}
