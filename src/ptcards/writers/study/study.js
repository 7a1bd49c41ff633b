// Studying: the queue, the two sides of its first card, the grades, and what a learner does on a card.

const AGAIN_AFTER = 6; // cards that come before a card that was not known

const selectedCards = () => state.notes.flatMap((note) => note.cards);
const isDue = (card) => (progress.entries.get(card.id)?.due ?? Infinity) <= today();

function fillQueue() {
  const cards = selectedCards();
  const due = cards.filter(isDue).sort((a, b) => progress.entries.get(a.id).due - progress.entries.get(b.id).due);
  const fresh = cards.filter((card) => !progress.entries.has(card.id));
  const later = state.ahead ? cards.filter((card) => progress.entries.has(card.id) && !isDue(card)) : [];
  state.queue = [...due, ...fresh, ...later];
}

function showCard() {
  const card = state.queue[0];
  Object.assign(state, { turned: false, picked: new Set(), typed: "" });
  $("card").hidden = !card;
  $("done").hidden = Boolean(card);
  $("show").disabled = $("skip").disabled = !card;
  if (card) render(card);
  else showDone();
  showStatus();
  showActions();
}

function render(card) {
  const side = make("div", `card card${card.ordinal + 1}${isNight() ? " nightMode night_mode" : ""}`);
  side.append(harmless(sideHtml(card, state.turned ? "back" : "front")));
  prepareHints(side);
  if (state.turned) markAnswers(side, card);
  else prepareOptions(side, card);
  cardRoot.replaceChildren(make("div", narrow.matches ? "mobile" : "", side));
}

function showDone() {
  const cards = selectedCards();
  const dues = cards.map((card) => progress.entries.get(card.id)?.due).filter((due) => due !== undefined);
  const next = Math.min(...dues);
  const days = next - today();
  $("next-due").textContent = !cards.length
    ? "No card matches the filters."
    : `Next: ${many(dues.filter((due) => due === next).length, "card")} ${days === 1 ? "tomorrow" : `in ${many(days, "day")}`}.`;
  $("ahead").hidden = !cards.length;
}

function showStatus() {
  const cards = selectedCards();
  const known = cards.filter((card) => (progress.entries.get(card.id)?.box ?? 0) > 0).length;
  const fresh = cards.filter((card) => !progress.entries.has(card.id)).length;
  const warning = progress.stored ? "" : " · this browser keeps no progress here: save it as a file";
  $("status").textContent = `${amount(cards.filter(isDue).length)} due · ${amount(fresh)} new · ${amount(known)} of ${many(cards.length, "card")} learnt${warning}`;
  $("bar").style.setProperty("--share", cards.length ? known / cards.length : 0);
  $("learnt").textContent = `${many(progress.entries.size, "card")} graded in this browser.`;
}

function showActions() {
  const card = state.queue[0];
  $("front-actions").hidden = state.turned;
  $("grades").hidden = !state.turned;
  $("previous").disabled = !state.past.length;
  if (!state.turned) sayVerdict("", "");
  for (const button of $("grades").querySelectorAll("button")) {
    const days = card ? BOX_DAYS[boxAfter(progress.entries.get(card.id), button.dataset.grade)] : 0;
    button.querySelector("small").textContent = days ? many(days, "day") : "soon";
  }
}

function turn() {
  const card = state.queue[0];
  if (!card) return;
  const focused = document.activeElement;
  const box = cardRoot.getElementById("typeans");
  if (!state.turned && box) state.typed = box.value;
  state.turned = !state.turned;
  render(card);
  showActions();
  if (state.turned) judge(card);
  if (focused === document.body || $("study").contains(focused)) focusMain();
  if (state.turned) showAnswerLine();
}

// Scrolls only where the answer would begin out of sight.
function showAnswerLine() {
  const line = cardRoot.getElementById("answer")?.getBoundingClientRect();
  if (line && line.top > innerHeight * 0.7) scrollBy({ top: line.top - innerHeight * 0.3 });
}

function focusMain() {
  const button = state.turned ? $("grades").querySelector(".primary") : state.queue.length ? $("show") : $("done");
  button.focus({ preventScroll: true });
}

function grade(name) {
  const card = state.queue.shift();
  state.past.push({ card, entry: progress.entries.get(card.id), graded: true });
  progress.grade(card.id, name);
  if (name === "again") state.queue.splice(AGAIN_AFTER, 0, card);
  next();
}

function skip() {
  if (!state.queue.length) return;
  const card = state.queue.shift();
  state.past.push({ card, graded: false });
  state.queue.push(card);
  next();
}

function back() {
  const last = state.past.pop();
  if (!last) return;
  if (last.graded) progress.put(last.card.id, last.entry);
  openCard(last.card);
}

function openCard(card) {
  state.queue = [card, ...state.queue.filter((other) => other !== card)];
  next();
}

function next() {
  showCard();
  scrollTo({ top: 0 });
  focusMain();
}

// What a learner does on a card

function prepareHints(side) {
  side.querySelectorAll("a.hint").forEach((link) => {
    const text = link.nextElementSibling;
    text.hidden = true;
    link.setAttribute("role", "button");
    link.setAttribute("aria-expanded", "false");
  });
}

function openHint() {
  const link = cardRoot.querySelector("a.hint:not([hidden])");
  if (!link) return;
  link.nextElementSibling.hidden = false;
  link.hidden = true;
}

const optionsOf = (side) => [...side.querySelectorAll(".options > .choices > li")];

function prepareOptions(side, card) {
  const several = side.querySelector(".choose") !== null;
  const options = optionsOf(side);
  if (card.note.kind !== "choice" || !options.length) return;
  const group = options[0].parentElement;
  group.setAttribute("role", "listbox");
  group.setAttribute("aria-label", "Options");
  group.setAttribute("aria-multiselectable", `${several}`);
  options.forEach((option, index) => {
    option.setAttribute("role", "option");
    option.tabIndex = 0;
    option.setAttribute("aria-selected", `${state.picked.has(index)}`);
  });
}

function pick(index) {
  const options = optionsOf(cardRoot);
  if (state.turned || !options[index]?.hasAttribute("role")) return;
  const several = options[index].parentElement.getAttribute("aria-multiselectable") === "true";
  const had = state.picked.delete(index);
  if (!several) state.picked.clear();
  if (!had) state.picked.add(index);
  options.forEach((option, each) => option.setAttribute("aria-selected", `${state.picked.has(each)}`));
}

function markAnswers(side, card) {
  if (card.note.kind === "choice") {
    side.querySelectorAll(".answer > .choices > li").forEach((option, index) => {
      if (!state.picked.has(index)) return;
      option.classList.add("picked");
      option.append(make("span", "yours", "your choice"));
    });
  }
  const expected = side.querySelector("code#typeans");
  if (expected && state.typed.trim()) {
    const right = isTyped(expected.textContent);
    const typed = make("span", right ? "typeGood" : "typeBad", state.typed.trim());
    expected.replaceChildren(...(right ? [typed] : [typed, make("br"), "↓", make("br"), make("span", "typeGood", expected.textContent)]));
  }
}

const isTyped = (expected) => state.typed.trim().normalize("NFC") === expected.trim();

function judge(card) {
  if (card.note.kind === "choice" && state.picked.size) {
    const options = [...cardRoot.querySelectorAll(".answer > .choices > li")];
    const right = options.every((option, index) => option.classList.contains("right") === state.picked.has(index));
    sayVerdict(right ? "Right" : "Not quite", right ? "right" : "wrong");
  } else if (cardRoot.querySelector("#typeans .typeBad")) {
    sayVerdict("Not quite", "wrong");
  } else if (cardRoot.querySelector("#typeans .typeGood")) {
    sayVerdict("Right", "right");
  }
}

function sayVerdict(text, name) {
  $("verdict").textContent = text;
  $("verdict").className = name;
}

// A link, a button or marked text inside a card is used, not a wish to turn it.
function clickCard(event) {
  const target = event.composedPath()[0];
  const link = target.closest("a");
  if (link?.classList.contains("hint")) {
    event.preventDefault();
    openHint();
  } else if (link?.getAttribute("href")?.startsWith("#")) {
    event.preventDefault();
    cardRoot.getElementById(decodeURIComponent(link.getAttribute("href").slice(1)))?.scrollIntoView({ block: "center" });
  } else if (target.closest("[role=option]")) {
    pick(optionsOf(cardRoot).indexOf(target.closest("[role=option]")));
  } else if (!target.closest("a, summary, input, audio, video") && !`${getSelection()}`) {
    turn();
  }
}

