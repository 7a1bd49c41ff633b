// The list of questions, by topic or, in a search, by where its words are.

const ROWS = 100; // rows added at a time
const LEAD = 16; // characters before a word that was found in the rest of a note
const SEEN_OF_GIST = 40; // characters of a line that a phone shows

const rowsOf = new Map(); // the buttons in the list, by their notes
let opened = null; // the note that was last opened from the list
let listed = []; // notes that are not in the list yet; the first one of a group with the heading of the group
function showList() {
  $("rows").replaceChildren();
  rowsOf.clear();
  if ($("list").hidden) return;
  listed = [...grouped(state.notes, groupOf)].flatMap(([name, notes]) => notes.map((note, n) => [note, n ? [] : [name, notes.length]]));
  addRows();
  if (!state.notes.length) $("rows").append(make("p", "", say("nothing")));
}

// The list opens where it was left.
function returnToRow() {
  while (listed.some(([note]) => note === opened)) addRows();
  const button = rowsOf.get(opened);
  if (!button) return scrollTo({ top: 0 });
  button.focus({ preventScroll: true });
  button.scrollIntoView({ block: "center" });
}

function moveInList(step) {
  const at = [...rowsOf.values()].indexOf(document.activeElement);
  if (at + step >= rowsOf.size) addRows();
  [...rowsOf.values()][at < 0 ? 0 : between(0, at + step, rowsOf.size - 1)]?.focus();
}

// Enter in the search.
function listFound() {
  search();
  opened = null;
  showView("list");
  $("search").blur();
  moveInList(0);
}

function addRows() {
  for (const [note, [name, count]] of listed.splice(0, ROWS)) {
    if (count) $("rows").append(make("section", "", listHeading(name, count), make("ul")));
    $("rows").lastChild.lastChild.append(row(note));
  }
  $("more-rows").hidden = !listed.length;
  markFound();
}

const groupOf = (note) => (!filter.words.length ? topicOf(note.deck) : searchRank(note) < 2 ? say("in_question") : say("in_rest"));

function listHeading(name, count) {
  const text = make("span", "", name);
  text.dir = "auto";
  return make("h2", "", text, " ", make("span", "count", many(count, "question")));
}

function row(note) {
  const question = make("span", "question", inlineOf(questionHtml(note)));
  const gist = gistOf(note);
  question.dir = gist.dir = "auto";
  const dues = note.cards.filter((card) => !isNew(card)).map((card) => entryOf(card).due - today());
  const soonest = Math.min(...dues);
  const when = !isAsked(note) ? say("suspended") : !dues.length ? "" : soonest <= 0 ? say("row_due") : say("row_in", { days: many(soonest, "days") });
  const meta = [filter.words.length ? topicOf(note.deck) : "", note.difficulty, when].filter(Boolean).map((text) => make("span", text === when ? "when" : "", text));
  const button = make("button", "", question, " ", gist, " ", make("span", "meta", ...meta.flatMap((each) => [each, " "])));
  button.type = "button";
  rowsOf.set(note, button);
  button.addEventListener("click", () => {
    opened = note;
    showView("study", { fromList: true });
    openCard(note.cards[0]);
  });
  return make("li", "", button);
}

// One line about the answer or, if a word of the search is neither in its beginning nor in the question, the place of that word.
function gistOf(note) {
  const gist = make("span", "gist", ...[answerOf(note)].flat());
  const seen = `${headingOf(note)} ${gist.textContent.slice(0, SEEN_OF_GIST)}`.toLowerCase();
  const missing = filter.words.find((word) => !seen.includes(word));
  const passage = missing && passageOf(note, missing);
  if (passage) gist.replaceChildren(passage);
  return gist;
}

// The right options, what to type, or the first paragraph.
function answerOf(note) {
  const [, answer = "", , typed] = note.fields;
  if (questionHtml(note) === answer) return "";
  if (note.kind === "typed") return make("code", "", textOf(typed));
  if (note.kind !== "choice") return inlineOf(/<p>(.*?)<\/p>/s.exec(answer)?.[1] || answer);
  const right = [...answer.matchAll(/<li class="right">.*?<p>(.*?)<\/p>/gs)].map(([, option]) => inlineOf(option));
  return right.flatMap((option, n) => (n ? [" · ", option] : [option]));
}

function passageOf(note, word) {
  const text = note.fields.slice(FIELD.answer, FIELD.topic).map((field) => textOf(field.replace(/<span class="mark">.*?<\/span>/g, ""))).join(" ").trim();
  const at = text.toLowerCase().indexOf(word);
  if (at < 0) return "";
  return (at > LEAD ? text.slice(at - LEAD).replace(/^\S*/, "…") : text).slice(0, 300);
}

// Marks the words of a search.
function markFound() {
  if (!CSS.highlights) return; // the browser is from 2023
  const found = new Highlight();
  const texts = document.createTreeWalker($("rows"), NodeFilter.SHOW_TEXT);
  while (filter.words.length && texts.nextNode()) {
    const node = texts.currentNode;
    const text = node.data.toLowerCase();
    for (const word of node.parentElement.closest("button") ? filter.words : []) {
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
        found.add(new StaticRange({ startContainer: node, startOffset: at, endContainer: node, endOffset: at + word.length }));
      }
    }
  }
  CSS.highlights.set("found", found);
}
