// Shared by the parts of the page, and the filters, which select the notes to study, list and print.

const DIFFICULTIES = ["easy", "medium", "hard"];

const progress = new Progress(DATA.id);
const cardRoot = shadowOf($("card"));
const narrow = matchMedia("(max-width: 70rem)"); // the filters open above the card
const phone = matchMedia("(max-width: 50rem)");
const filter = { words: [], deck: "", difficulties: new Set(), kind: "", tag: "" };
const FILTER_KEY = `${progress.key}:filter`;
const newSession = () => ({ begun: undefined, answers: [] });
// `more`: how many new cards today has beyond its share. `only`: the session has certain cards, and is not a part of the day's.
const state = {
  notes: NOTES, queue: [], past: [], turned: false, picked: new Set(), typed: "", suggested: "good", ahead: false, more: 0, only: false, exam: null, aside: null, welcome: false, fromList: false,
  session: newSession(),
};

// Filters

const isIn = (note, deck) => !deck || note.deck === deck || note.deck.startsWith(`${deck}::`);
const matches = (note) => isIn(note, filter.deck) && matchesElsewhere(note);

function matchesElsewhere(note) {
  return (
    (!filter.difficulties.size || filter.difficulties.has(note.difficulty)) &&
    (!filter.kind || note.kind === filter.kind) &&
    (!filter.tag || note.tags.includes(filter.tag)) &&
    filter.words.every((word) => searchTextOf(note).includes(word))
  );
}

// The filters of the last visit, except those that select nothing in this version of the deck.
function keptFilter() {
  const { deck, difficulties, kind, tag } = kept("localStorage", FILTER_KEY);
  return {
    deck: (NOTES.some((note) => isIn(note, deck)) && deck) || "",
    difficulties: new Set(DIFFICULTIES.filter((name) => [difficulties].flat().includes(name) && NOTES.some((note) => note.difficulty === name))),
    kind: NOTES.some((note) => note.kind === kind) ? kind : "",
    tag: NOTES.some((note) => note.tags.includes(tag)) ? tag : "",
  };
}

// A search is not kept: it leads to a card, while the other filters say what to study.
function keepFilter() {
  const { deck, difficulties, kind, tag } = filter;
  const isActive = deck || difficulties.size || kind || tag;
  keep("localStorage", FILTER_KEY, isActive && { deck, difficulties: [...difficulties], kind, tag });
}

// The words of the search one after the other in the question come first, then all of them in the question.
function searchRank(note) {
  const question = headingOf(note).toLowerCase();
  if (question.includes(filter.words.join(" "))) return 0;
  return filter.words.every((word) => question.includes(word)) ? 1 : 2;
}

function applyFilter() {
  state.notes = NOTES.filter(matches);
  if (filter.words.length) {
    const ranks = new Map(state.notes.map((note) => [note, searchRank(note)]));
    state.notes.sort((a, b) => ranks.get(a) - ranks.get(b));
  }
  setAside();
  Object.assign(state, { ahead: false, more: 0, only: false, past: [], session: newSession(), welcome: false });
  const { deck, words: searched, difficulties, kind, tag } = filter;
  $("clear").hidden = !(deck || searched.length || difficulties.size || kind || tag);
  $("filters-button").classList.toggle("active", !$("clear").hidden);
  showActive();
  nameTags();
  keepFilter();
  $("print-count").textContent = say("print_questions", { questions: many(state.notes.length, "question") });
  $("show-matches").textContent = say("show_cards", { cards: many(selectedCards().length, "cards") });
  fillQueue();
  showCard();
  showList();
  showStatistics();
  countTopics();
}

// What the filters are, where they are closed: each goes with a click.
function showActive() {
  const { deck, words: searched, difficulties, kind, tag } = filter;
  const active = [
    deck && [topicOf(deck), { deck: "" }],
    ...[...difficulties].map((name) => [say(`level_${name}`), { difficulties: new Set([...difficulties].filter((each) => each !== name)) }]),
    kind && [say(`kind_${kind}`), { kind: "" }],
    tag && [tagName(tag), { tag: "" }],
    searched.length && [say("searched", { words: searched.join(" ") }), { words: [] }],
  ];
  $("active").replaceChildren(...active.filter(Boolean).map(([name, without]) => {
    const cross = make("span", "", "✕");
    cross.setAttribute("aria-hidden", "true");
    const text = make("span", "", name);
    text.dir = "auto";
    const button = make("button", "", text, " ", cross);
    Object.assign(button, { type: "button", title: say("clear_one") });
    button.addEventListener("click", () => setFilter(without));
    return button;
  }));
}

// Changes the filter elsewhere than in its own controls.
function setFilter(changes) {
  Object.assign(filter, changes);
  $("search").value = filter.words.join(" ");
  // The description can name a tag that the menu leaves out.
  if (![...$("tag").options].some((option) => option.value === filter.tag)) $("tag").append(new Option(tagName(filter.tag), filter.tag));
  for (const id of ["kind", "tag"]) $(id).value = filter[id];
  for (const button of $("difficulties").querySelectorAll("button")) setPressed(button, filter.difficulties.has(button.dataset.level));
  for (const button of $("topics").querySelectorAll("button")) setPressed(button, button.dataset.deck === filter.deck);
  applyFilter();
}

// How many cards of each topic match the other filters.
function countTopics() {
  const counts = new Map();
  for (const note of NOTES.filter(matchesElsewhere)) for (const deck of ["", ...ancestors(note.deck)]) counts.set(deck, (counts.get(deck) ?? 0) + note.cards.length);
  for (const button of $("topics").querySelectorAll("button")) {
    const count = counts.get(button.dataset.deck) ?? 0;
    button.querySelector(".count").textContent = count;
    button.parentElement.hidden = !count && button.dataset.deck !== "" && button.dataset.deck !== filter.deck;
  }
}

function countBy(key) {
  const counts = new Map();
  for (const note of NOTES) for (const value of key(note)) counts.set(value, (counts.get(value) ?? 0) + note.cards.length);
  return counts;
}

function ancestors(deck) {
  const levels = deck.split("::");
  return levels.map((_, depth) => levels.slice(0, depth + 1).join("::"));
}

function fillFilters() {
  const decks = countBy((note) => ancestors(note.deck));
  const root = DATA.decks.length && DATA.decks.every((deck) => deck.split("::")[0] === DATA.decks[0].split("::")[0]) ? 1 : 0;
  const topics = [["", say("all_topics"), CARDS.length, 0]];
  for (const [deck, count] of [...decks].sort((a, b) => deckPlace(a[0]) - deckPlace(b[0]))) {
    const levels = deck.split("::");
    if (levels.length > root) topics.push([deck, levels.at(-1), count, levels.length - root - 1]);
  }
  $("topics").append(
    ...topics.map(([deck, name, count, level]) => {
      const label = make("span", "", name);
      label.dir = "auto";
      const button = toggle([label, " ", make("span", "count", `${count}`)], deck === filter.deck, () => {
        filter.deck = deck;
        for (const other of $("topics").querySelectorAll("button")) setPressed(other, other === button);
        applyFilter();
        if (narrow.matches) showFilters(false);
      });
      button.dataset.deck = deck;
      button.style.setProperty("--level", level);
      return make("li", "", button);
    }),
  );
  const counts = countBy((note) => [note.difficulty]);
  const levels = DIFFICULTIES.filter((name) => counts.has(name));
  $("difficulties").hidden = !levels.length;
  const row = make("div");
  for (const name of levels) {
    const button = toggle([say(`level_${name}`)], false, () => {
      if (!filter.difficulties.delete(name)) filter.difficulties.add(name);
      setPressed(button, filter.difficulties.has(name));
      applyFilter();
    });
    button.dataset.level = name;
    row.append(button);
  }
  $("difficulties").append(row);
  fillSelect("kind", say("all_kinds"), countBy((note) => [note.kind]), (kind) => say(`kind_${kind}`));
  const tags = [...countBy((note) => note.tags)].filter(([tag, count]) => !hasButton(tag, count, decks)).sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true }));
  fillSelect("tag", say("all_tags"), tags, tagName);
  groupTags();
}

// Tags with the same first level are a group of the menu, after the tags that are alone.
function groupTags() {
  const groups = new Map();
  for (const option of [...$("tag").options].filter(({ value }) => value)) {
    const [first] = option.value.split("::");
    groups.set(first, [...(groups.get(first) ?? []), option]);
  }
  for (const [first, options] of groups) {
    if (options.length < 2) continue;
    const group = make("optgroup");
    group.label = first;
    group.append(...options);
    $("tag").append(group);
  }
}

// In its group, a tag goes without its first level. The chosen one shows all of its name in the closed menu, too.
function nameTags() {
  for (const option of $("tag").querySelectorAll("optgroup > option")) {
    const [, ...rest] = option.value.split("::");
    const name = option.selected || !rest.length ? option.value : rest.join("::");
    option.text = option.text.replace(/^.*(?= \(\d+\)$)/, () => tagName(name));
  }
}

// Whether a button selects the cards of this tag: that of a difficulty, of a topic or of all topics.
function hasButton(tag, count, decks) {
  if (DIFFICULTIES.some((name) => tag === `difficulty::${name}`)) return true;
  const notes = NOTES.filter((note) => note.tags.includes(tag));
  return count === CARDS.length || ancestors(notes[0].deck).some((deck) => decks.get(deck) === count && notes.every((note) => isIn(note, deck)));
}

// A parent goes where its first note is, before its children.
function deckPlace(deck) {
  const first = DATA.decks.findIndex((each) => each === deck || each.startsWith(`${deck}::`));
  return first + deck.split("::").length / 100;
}

function toggle(content, pressed, action) {
  const button = make("button", "", ...content);
  button.type = "button";
  setPressed(button, pressed);
  button.addEventListener("click", action);
  return button;
}

function fillSelect(id, all, counts, label) {
  const options = [...counts].map(([value, count]) => new Option(`${label(value)} (${count})`, value));
  $(id).append(new Option(all, ""), ...options);
  $(id).parentElement.hidden = [...counts].every(([, count]) => count === CARDS.length); // it would select nothing
  $(id).addEventListener("change", () => {
    filter[id] = $(id).value;
    applyFilter();
    if ("pointer" in document.documentElement.dataset && !narrow.matches) focusMain(); // chosen with a mouse
  });
}

function search() {
  // The key that leads to the box can also be typed into it.
  const searched = $("search").value.replace(/^\//, "").toLowerCase().split(/\s+/).filter(Boolean);
  if (searched.join(" ") === filter.words.join(" ")) return;
  filter.words = searched;
  applyFilter();
}

function clearFilters() {
  setFilter({ words: [], deck: "", difficulties: new Set(), kind: "", tag: "" });
  $("search").focus();
}
