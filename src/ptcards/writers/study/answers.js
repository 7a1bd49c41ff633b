// A learner's actions on a card: hints, options and the box, and whether the answer was right.

const finePointer = matchMedia("(pointer: fine)"); // elsewhere a focused box would open the keyboard over the card
const answerBox = () => cardRoot.querySelector("input#typeans");

function openHint() {
  const link = cardRoot.querySelector("a.hint:not([hidden])");
  if (!link) return;
  link.nextElementSibling.hidden = false;
  link.hidden = true;
}

function openDetails() {
  const details = cardRoot.querySelector(".ptc > details");
  if (!details) return;
  details.open = !details.open;
  details.scrollIntoView({ block: "nearest" });
}

const optionsOf = (side) => [...side.querySelectorAll(".options > .choices > li")];

function prepareOptions(side, card) {
  const several = side.querySelector(".choose") !== null;
  const options = optionsOf(side);
  if (card.note.kind !== "choice" || !options.length) return;
  const group = options[0].parentElement;
  group.setAttribute("role", "listbox");
  group.setAttribute("aria-label", say("options"));
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
  const had = several && state.picked.delete(index);
  if (!several) state.picked.clear();
  if (!had) state.picked.add(index);
  options.forEach((option, each) => option.setAttribute("aria-selected", `${state.picked.has(each)}`));
  if (settings.atOnce && !several) turn();
}

function markAnswers(side, card) {
  if (card.note.kind === "choice") {
    side.querySelectorAll(".answer > .choices > li").forEach((option, index) => {
      if (!state.picked.has(index)) return;
      option.classList.add("picked");
      option.querySelector(".mark").after(make("span", "yours", say("your_choice")));
    });
  }
  const expected = side.querySelector("code#typeans");
  if (expected && state.typed.trim()) {
    const right = isTyped(expected.textContent);
    const typed = make("span", right ? "typeGood" : "typeBad", state.typed.trim());
    expected.replaceChildren(...(right ? [typed] : [typed, make("br"), "↓", make("br"), make("span", "typeGood", expected.textContent)]));
  }
}

// A phone begins with a capital letter.
const asTyped = (text) => (finePointer.matches ? text : text.charAt(0).toLowerCase() + text.slice(1));
const isTyped = (expected) => asTyped(state.typed.trim().normalize("NFC")) === asTyped(expected.trim());

// A keyboard on a screen must not correct code.
const AS_IS = { autocapitalize: "none", autocomplete: "off", autocorrect: "off", enterkeyhint: "done", spellcheck: "false" };

function prepareBox(side) {
  for (const [name, value] of Object.entries(AS_IS)) side.querySelector("input#typeans")?.setAttribute(name, value);
}

// What the chosen or typed answer is: `right`, `close`, `wrong`, or empty if there was none. Close is one of several options
// missed, or one too many, and up to a quarter of the expected letters, in either case, to change, add or remove.
function verdictOn(card) {
  if (card.note.kind === "choice" && state.picked.size) {
    const options = [...cardRoot.querySelectorAll(".answer > .choices > li")];
    const off = options.filter((option, index) => option.classList.contains("right") !== state.picked.has(index)).length;
    return off ? (off === 1 ? "close" : "wrong") : "right";
  }
  const expected = cardRoot.querySelector("#typeans .typeGood")?.textContent.trim().toLowerCase();
  if (!expected) return "";
  if (!cardRoot.querySelector("#typeans .typeBad")) return "right";
  const typed = state.typed.trim().normalize("NFC").toLowerCase();
  return editsBetween(typed, expected) <= expected.length / 4 ? "close" : "wrong";
}

// How many letters to change, add or remove (Levenshtein).
function editsBetween(one, other) {
  let row = [...Array(other.length + 1).keys()];
  for (const letter of one) {
    const next = [row[0] + 1];
    for (let at = 1; at < row.length; at++) next.push(Math.min(row[at] + 1, next[at - 1] + 1, row[at - 1] + (letter !== other[at - 1])));
    row = next;
  }
  return row.at(-1);
}

// What is meant for the whole card shows no answer before one was typed: Enter and the button do that.
function turnOrType() {
  const box = !state.turned && answerBox();
  if (box) box.focus();
  else turn();
}

// A click on a link or a button, or a selection of text, does not turn the card.
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
  } else if (!target.closest("a, button, summary, input, audio, video") && !`${getSelection()}`) {
    turnOrType();
  }
}

