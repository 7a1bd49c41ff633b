// The page. Its state is in the address; the server sends the collection's content whenever it changes.

import { BoxEditor } from "./boxes.js";
import { coded, explanation, finding, lastFix, placeLink, showMarks } from "./findings.js";
import { drawHealth, groupName, inGroup } from "./health.js";
import { List, make, markWords, question, sentence } from "./list.js";
import { align, drawSource } from "./source.js";
import { Stage } from "./stage.js";
import { many, say } from "./words.js";

const $ = (id) => document.getElementById(id);
const WIDTHS = ["360", "390", "768", "full"];
const SELECTS = ["difficulty", "kind", "tag", "rule", "draft"];
const FILTERS = ["q", ...SELECTS, "group"];
const KINDS = ["basic", "reversed", "typed", "choice", "cloze", "sequence", "set", "occlusion"];
const LEVELS = ["easy", "medium", "hard"];
const MOST_ERRORS = 20;

const data = { version: -1, written: -1, names: [], css: [], roots: [], order: [], cards: {}, problems: {}, editor: "", undo: null }; // problems by path; written: the version of the last change of a card; undo: the last fix, while its file is as it left it
const sides = new Map();
const problemsByCard = new Map();
const owners = new Map(); // the card of each problem
let decided = ""; // the draft that was accepted last, until it arrives as a note
let fixed = ""; // the file that was fixed last, until its cards arrive
let isConnected = null; // to the server; unknown at first
let waiting = 0; // the timer for drawing the list
let held = null; // messages that wait until everything is loaded
let shown = []; // the cards that match the filters, in order
let ranks = new Map(); // of the cards that the search found
let unranked = ""; // the card that was edited, until the search has looked at it
let searching = Promise.resolve();
let searches = 0;
let ranked = 0; // the newest search whose result has arrived
// If there is room, show both sides, so that an edit is visible on whichever side it is.
const roomy = matchMedia("(min-width: 701px)");
const DEFAULT_SIDE = roomy.matches ? "both" : "front";
let view = { card: "", c: 0, side: DEFAULT_SIDE, width: "full", night: false, q: "", difficulty: "", kind: "", tag: "", rule: "", draft: "", panel: "", show: "cards" };
const PANELS = ["advice", "source", "boxes"];
const SHOWS = ["cards", "wall", "health"];
let isFromWall = false; // the card was opened from the wall, to which Escape returns
let opener = document.body; // of the panel
let changes = null; // the changes since the last release, by place, while only they are shown
let verified = null; // what is known about all code
let source = { card: "", lines: [], units: {}, lines_of: {} };

const stage = new Stage($("stage"), {
  onKey: press,
  // A frame may say that the pointer has left when it is over a line already.
  onOver: (side, unit) => $("panel-body").matches(":hover") || lightLines(source.lines_of[side]?.[unit] ?? []),
  onUnits: (side, units) => { source.units[side] = units; alignSource(); },
  onTile: sendTile,
  onPick: openTile,
});
const list = new List($("tree"), { onSelect: (id) => { select(id); closeList(); } });

// The address

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  // The key comes from the terminal, once, and allows writing and running. It must not stay in the address.
  if (given.get("key")) sessionStorage.setItem("key", given.get("key"));
  const night = given.get("night");
  view = {
    card: cardOf(given.get("card") ?? "") || cardAt(given.get("at") ?? "") || view.card,
    c: /^\d+$/.test(given.get("c") ?? "") ? Number(given.get("c")) : 0,
    side: ["front", "back", "both"].includes(given.get("side")) ? given.get("side") : DEFAULT_SIDE,
    width: WIDTHS.includes(given.get("w")) ? given.get("w") : "full",
    panel: PANELS.includes(given.get("panel")) ? given.get("panel") : "",
    show: SHOWS.includes(given.get("show")) ? given.get("show") : "cards",
    night: night === null ? matchMedia("(prefers-color-scheme: dark)").matches : night === "1",
    ...Object.fromEntries(FILTERS.map((name) => [name, given.get(name) ?? ""])),
  };
  $("q").value = view.q;
}

function writeAddress({ push = false } = {}) {
  const parts = new URLSearchParams();
  const card = data.cards[view.card];
  if (card) parts.set("card", card.key);
  if (view.c) parts.set("c", view.c);
  if (view.side !== DEFAULT_SIDE) parts.set("side", view.side);
  if (view.width !== "full") parts.set("w", view.width);
  parts.set("night", view.night ? "1" : "0");
  if (PANELS.includes(view.panel)) parts.set("panel", view.panel);
  if (view.show !== "cards") parts.set("show", view.show);
  FILTERS.forEach((name) => view[name] && parts.set(name, view[name]));
  const hash = `#${parts}`;
  if (hash !== location.hash) history[push ? "pushState" : "replaceState"](null, "", hash);
}

// An editor that shows this page says where its cursor is: a file and a line.
function cardAt(place) {
  const [, file, line] = /^(.*):(\d+)$/.exec(place) ?? [];
  return data.order.findLast((id) => data.cards[id].file === file && data.cards[id].line <= line) ?? "";
}

function cardOf(key) {
  return data.order.find((id) => data.cards[id].key === key) ?? "";
}

// Messages from the server

async function loadAll() {
  held = [];
  let state = { version: 0 };
  try {
    state = await (await fetch("/state")).json();
    await find();
  } catch {
    // The server has ended. The next one sends its version.
  }
  const later = held;
  held = null;
  if (state.version) {
    Object.assign(data, state, { written: state.version });
    sides.clear();
    const given = new URLSearchParams(location.hash.slice(1));
    const wanted = given.get("card");
    const isBroken = wanted && !view.card && !cardOf(wanted);
    view.card = (wanted && cardOf(wanted)) || cardAt(given.get("at") ?? "") || (data.cards[view.card] ? view.card : data.order[0] ?? "");
    refresh();
    if (isBroken) tell(say("link_unknown"));
  } else {
    data.version = 0; // nothing has been read yet, so the old cards stay
  }
  later.forEach(receive);
}

function receive(message) {
  if (held) {
    held.push(message);
    return;
  }
  if (data.version > 0 && message.version <= data.version) return;
  if (data.version < 1 || message.from !== data.version) {
    if (message.version) loadAll();
    return;
  }
  data.version = message.version;
  if (!message.cards && !Object.keys(message.problems).length) return; // unchanged advice
  Object.assign(data.problems, message.problems);
  if (message.cards) {
    data.written = message.version;
    data.names = message.names;
    data.css = message.css;
    data.roots = message.roots;
    data.undo = message.undo;
    Object.assign(data.cards, message.cards);
    if (message.order) keepOnly(message.order);
    Object.keys(message.edited).forEach((id) => sides.delete(id));
    // An accepted draft is no edit to show: the next draft is shown by now. A fix leaves the reader where it was asked for.
    const edited = Object.keys(message.edited).filter((id) => id !== decided && data.cards[id].file !== fixed);
    if (message.cards[decided]) decided = "";
    if (Object.values(message.cards).some(({ file }) => file === fixed)) fixed = "";
    Object.entries(message.sides).forEach(([id, value]) => sides.set(id, value));
    if (!data.cards[view.card]) view.card = edited[0] ?? shown.find((id) => data.cards[id]) ?? data.order[0] ?? "";
    else if (edited.length && edited.length <= 20 && !edited.includes(view.card)) {
      view.card = edited[0];
      view.c = 0;
      // A file that is written in two steps loses its cards for a moment. They return with the same side.
      if (cardSide() !== "both" && message.edited[view.card]) view.side = message.edited[view.card];
    }
    if (edited.includes(view.card)) stage.flash(message.edited[view.card]);
    if (edited.length && edited.length <= 20) unranked = view.card;
  }
  // The card and the errors come first. The list takes longer, and nobody waits for it.
  drawErrors();
  drawCard(false);
  clearTimeout(waiting);
  waiting = setTimeout(async () => {
    const mine = waiting;
    await find();
    if (mine !== waiting) return; // there is a later message, after which the list will be drawn
    if (unranked) dropFiltersHiding(unranked);
    unranked = "";
    refresh();
  }, 50);
}

function keepOnly(order) {
  data.order = order;
  const present = new Set(order);
  for (const id of Object.keys(data.cards)) {
    if (present.has(id) || data.cards[id].retired) continue;
    delete data.cards[id];
    sides.delete(id);
  }
}

function listen() {
  const events = new EventSource("/events");
  events.onmessage = (event) => receive(JSON.parse(event.data));
  events.onopen = () => { isConnected = true; drawLive(); stage.revive(); };
  events.onerror = () => { isConnected = false; drawLive(); };
}

function drawLive() {
  if (isConnected === null) return;
  const errors = errorsHere();
  const state = !isConnected ? "stopped" : errors.length ? "errors" : "live";
  const text = state === "errors" ? errorCount(errors) : say(state);
  if ($("live").textContent === text) return; // it is read aloud whenever it is written
  $("live").textContent = text;
  $("live").dataset.state = state;
  $("live").title = say(`${state}_means`);
}

// Each problem belongs to the last question that begins above it

function sortProblems() {
  problemsByCard.clear();
  owners.clear();
  const starts = new Map();
  for (const id of data.order) {
    const { path, line } = data.cards[id];
    if (!starts.has(path)) starts.set(path, []);
    starts.get(path).push([line, id]);
  }
  starts.forEach((each) => each.sort((a, b) => a[0] - b[0]));
  for (const problem of problems()) {
    const owner = (starts.get(problem.path) ?? []).findLast(([line]) => line <= problem.line);
    if (!owner) continue;
    owners.set(problem, owner[1]);
    if (!problemsByCard.has(owner[1])) problemsByCard.set(owner[1], []);
    problemsByCard.get(owner[1]).push(problem);
  }
}

const problems = () => Object.values(data.problems).flatMap((each) => [...each].sort((a, b) => a.line - b.line || a.column - b.column));
const problemsOf = (id) => problemsByCard.get(id) ?? [];

// Filters

const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

// The server ranks the cards, as `ptcards find` does. A result that arrives after that of a later search does not count: it may not know the newest cards.
async function find() {
  const { q } = view;
  if (!q.trim()) return;
  const search = ++searches;
  try {
    const found = await (await fetch(`/find?${new URLSearchParams({ q })}`)).json();
    if (q !== view.q || search < ranked) return;
    ranked = search;
    ranks = new Map(found.map((id, rank) => [id, rank]));
  } catch {
    // The server has ended. The last result stays.
  }
}

function matches(id) {
  const card = data.cards[id];
  if (changes && !card.retired && !changes.cards[placeOf(card)]) return false;
  if (view.difficulty && card.difficulty !== (view.difficulty === "none" ? "" : view.difficulty)) return false;
  if (view.kind && card.kind !== view.kind) return false;
  if (view.tag && !card.tags.some((tag) => tag === view.tag || tag.startsWith(`${view.tag}::`))) return false;
  if (view.rule && !problemsOf(id).some((each) => view.rule === "any" || each.rule === view.rule)) return false;
  if (view.group && !inGroup(card, view.group)) return false;
  if (view.draft && card.draft !== (view.draft === "only")) return false;
  return !view.q.trim() || ranks.has(id);
}

const placeOf = (card) => `${card.file}:${card.line}`;

// "new" or "changed" since the release, while the changes are shown.
function changeOf(id) {
  const change = changes?.cards[placeOf(data.cards[id])];
  return change ? (change.before ? "changed" : "new") : "";
}

function applyFilters() {
  shown = [...data.order, ...(changes?.retired ?? []).map(({ id }) => id)].filter(matches);
  if (view.q.trim()) shown.sort((a, b) => ranks.get(a) - ranks.get(b));
}

function dropFiltersHiding(id) {
  if (!FILTERS.some((name) => view[name])) return;
  sortProblems();
  if (data.cards[id] && !matches(id)) clearFilters();
}

function clearFilters() {
  FILTERS.forEach((name) => (view[name] = ""));
  $("q").value = "";
}

function fillSelect(name, label, options) {
  const select = $(name);
  const wanted = [["", label], ...options];
  if (view[name] && !wanted.some(([value]) => value === view[name])) wanted.push([view[name], view[name]]);
  const key = JSON.stringify(wanted);
  if (select.dataset.key !== key) {
    select.dataset.key = key;
    select.replaceChildren(...wanted.map(([value, text]) => new Option(text, value)));
  }
  select.value = view[name];
}

// `a::b` is also in `a`, whose filter shows both.
const levels = (tag) => tag.split("::").map((_, depth, parts) => parts.slice(0, depth + 1).join("::"));

function drawFilters() {
  const cards = data.order.map((id) => data.cards[id]);
  const counted = (values) => {
    const counts = new Map();
    for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
    return counts;
  };
  const difficulties = counted(cards.map((card) => card.difficulty || "none"));
  const kinds = counted(cards.map((card) => card.kind));
  const tags = counted(cards.flatMap((card) => [...new Set(card.tags.filter((tag) => !tag.startsWith("difficulty::")).flatMap(levels))]));
  const rules = counted(problems().map((each) => each.rule));
  const entries = (names, counts) => names.filter((name) => counts.has(name)).map((name) => [name, `${name} (${counts.get(name)})`]);
  fillSelect("difficulty", say("any_difficulty"), entries([...LEVELS, "none"], difficulties));
  fillSelect("kind", say("any_kind"), entries(KINDS, kinds));
  const place = (tag) => tag.replaceAll("::", " "); // a space, which no tag has, comes before all else
  const sorted = [...tags.keys()].sort((a, b) => place(a).localeCompare(place(b), "en", { numeric: true }));
  fillSelect("tag", say("any_tag"), sorted.map((tag) => [tag, `${"\u2003".repeat(levels(tag).length - 1)}${tag.split("::").at(-1)} (${tags.get(tag)})`]));
  const named = entries([...rules.keys()].sort(), rules);
  $("rule").disabled = !named.length && !view.rule;
  fillSelect("rule", say(named.length ? "any_rule" : "no_findings"), named.length ? [["any", say("with_findings", { count: problems().length })], ...named] : []);
  const drafts = cards.filter((card) => card.draft).length;
  fillSelect("draft", say("any_state"), [["only", say("only_drafts", { count: drafts })], ["none", say("only_notes", { count: cards.length - drafts })]]);
  $("draft").hidden = !drafts && !view.draft;
  drawChosen();
}

// Each active filter can be removed without unfolding the others.
function drawChosen() {
  const chosen = [...SELECTS, "group"].filter((name) => view[name]);
  $("active").textContent = String(chosen.length);
  $("active").hidden = !chosen.length;
  $("chosen").hidden = !chosen.length;
  const named = (name) => (name === "group" ? groupName(view.group) : name === "tag" ? view.tag : $(name).selectedOptions[0].text.replace(/ \([\d,]+\)$/, ""));
  $("chosen-chips").replaceChildren(...chosen.map((name) => {
    const chip = make("button", "chip", `${named(name)} ✕`);
    Object.assign(chip, { type: "button", ariaLabel: say("drop_filter", { name: named(name) }) }).dataset.filter = name;
    return chip;
  }));
}

// Drawing

function refresh() {
  sortProblems();
  drawFilters();
  applyFilters();
  if (!data.cards[view.card]) view.card = shown[0] ?? data.order[0] ?? "";
  const title = [...new Set(data.names)].filter(Boolean).join(", ") || "ptcards";
  document.title = `${title} · ptcards`;
  $("name").textContent = title;
  $("title").textContent = title;
  const filtered = shown.length !== data.order.length;
  const decks = new Set(data.order.map((id) => data.cards[id].deck)).size;
  const drafts = data.order.filter((id) => data.cards[id].draft).length;
  const apart = drafts && !filtered ? drafts : 0;
  const notes = many("note", data.order.length - apart) + (apart ? `, ${many("drafts", apart)}` : "");
  $("counts").textContent = filtered ? say("some_of", { count: shown.length.toLocaleString("en"), notes }) : many("in_decks", decks, { notes });
  drawNoMatch();
  list.draw({ order: shown, cards: data.cards, problemsOf, changeOf, filtered, current: view.card, words: wordsOf(view.q) });
  drawErrors();
  draw();
}

const noMatch = () => say(view.q.trim() ? "no_match" : "no_match_filters", { text: view.q.trim() });

function drawNoMatch() {
  $("no-match").hidden = shown.length > 0 || !data.order.length;
  $("no-match-said").textContent = noMatch();
  $("clear").hidden = !shown.length; // there is a larger one below
}

function draw({ flipped = false } = {}) {
  document.documentElement.dataset.night = String(view.night);
  $("night").setAttribute("aria-pressed", String(view.night));
  mark("sides", "side", view.show === "wall" ? tileSide() : cardSide());
  $("width").value = view.width;
  $("width-name").textContent = $("width").selectedOptions[0].text;
  mark("views", "show", view.show);
  drawLive();
  $("changed").setAttribute("aria-pressed", String(Boolean(changes)));
  const show = data.version > 0 && !data.order.length ? "none" : view.show;
  if ($("main").dataset.show !== show) { // what was said belongs to the view before
    tell("");
    isFromWall = false;
  }
  $("main").dataset.show = show;
  $("stage").hidden = view.show === "health";
  $("health").hidden = view.show !== "health";
  if (view.show === "health") drawHealth($("health"), { notes: data.order.filter((id) => !data.cards[id].draft).map((id) => [data.cards[id], problemsOf(id)]), problems: problems(), verified });
  list.select(view.card);
  const at = shown.indexOf(view.card);
  const isUnlisted = at < 0 && data.order.length > shown.length && Boolean(data.cards[view.card]);
  $("position").textContent = shown.length && !isUnlisted ? `${at < 0 ? "–" : at + 1} / ${shown.length.toLocaleString("en")}` : "";
  $("position").hidden = isUnlisted;
  $("previous").setAttribute("aria-disabled", String(at === 0 || !shown.length));
  $("next").setAttribute("aria-disabled", String(at === shown.length - 1));
  $("unlisted").hidden = !isUnlisted;
  drawAbout();
  drawClosest();
  drawPanel();
  if (view.show === "wall") drawWall();
  else drawCard(flipped);
  if (data.version >= 0) writeAddress();
}

function mark(group, name, value) {
  for (const button of $(group).children) button.setAttribute("aria-pressed", String(button.dataset[name] === value));
}

function drawErrors() {
  drawLive();
  const errors = errorsHere();
  $("errors").hidden = !errors.length;
  if (!errors.length && $("said").hasAttribute("data-stays")) tell("");
  if (!errors.length) return;
  const files = [...new Set(errors.map((each) => each.path))];
  const stale = data.order.filter((id) => data.cards[id].stale).length;
  const kept = stale ? ` · ${many("last_good", stale)}` : "";
  const count = !files[0] ? errorCount(errors) : files.length > 1 ? say("error_files", { count: errors.length, files: files.length }) : many("error", errors.length, { path: files[0] });
  const line = `${count}${kept}`;
  if ($("unfold").textContent !== line) $("unfold").textContent = line; // it is read aloud whenever it is written
}

const errorCount = ({ length: count }) => say(count > 1 ? "errors_many" : "errors_one", { count });

// The errors in the file of the card come first.
function errorsHere() {
  const path = data.cards[view.card]?.path;
  return problems().filter((each) => each.severity === "error").sort((a, b) => (b.path === path) - (a.path === path));
}

const editorName = () => data.editor || "VS Code";

function drawAbout() {
  const card = data.cards[view.card];
  $("about").hidden = !card || view.show !== "cards";
  for (const each of $("menu").children) {
    const isOfCard = each.classList.contains("of-card");
    each.hidden = isOfCard && ($("about").hidden || card.retired || (each.dataset.press === "r" && !card.code));
  }
  if (!card) return;
  $("deck").textContent = card.deck.split("::").join(" › ");
  const chips = [["kind", card.kind]];
  if (card.difficulty) chips.push([card.difficulty, card.difficulty]);
  for (const tag of card.tags) if (!tag.startsWith("difficulty::")) chips.push(["tag", tag]);
  if (card.draft) chips.push(["draft", say("draft")]);
  if (card.stale) chips.push(["stale", say("last_good_version")]);
  if (card.retired) chips.push(["stale", say("retired_since", { since: changes?.since })]);
  document.querySelector(".place").hidden = Boolean(card.retired);
  const key = JSON.stringify(chips);
  if ($("chips").dataset.key !== key) {
    $("chips").dataset.key = key;
    $("chips").className = "chips";
    $("chips").replaceChildren(...chips.map(([name, text]) => make("span", `chip ${name}`, text)));
    fitChips();
  }
  $("copy").textContent = `${card.path}:${card.line}`;
  $("editor").textContent = $("editor-name").textContent = say("open_in", { editor: editorName() });
  if (card.retired) $("editor").removeAttribute("href");
  else placeLink($("editor"), card);
  const count = problemsOf(view.card).length;
  $("advice").hidden = !count;
  $("advice").textContent = many("finding", count);
  $("advice").setAttribute("aria-expanded", String(view.panel === "advice"));
  $("source").setAttribute("aria-expanded", String(view.panel === "source"));
  $("run").hidden = !card.code;
  $("boxes").hidden = !card.boxes;
  $("boxes").setAttribute("aria-expanded", String(view.panel === "boxes"));
  $("decide").hidden = !card.draft || card.stale;
}

// Chips that do not fit are counted in a last one, which shows all of them.
function fitChips() {
  const box = $("chips");
  const chips = [...box.children];
  for (const each of chips) each.hidden = false;
  $("rest").hidden = true;
  for (let count = 1; count < chips.length && box.scrollWidth > box.clientWidth; count += 1) {
    chips.at(-count).hidden = true;
    $("rest").hidden = false;
    $("rest").textContent = `+${count}`;
  }
}

function drawPanel() {
  const isOfCard = view.panel && view.panel !== "advice";
  const hasBoxes = view.panel !== "boxes" || data.cards[view.card]?.boxes;
  showPanel(Boolean(view.panel && hasBoxes) && view.show === "cards" && !(isOfCard && data.cards[view.card]?.retired));
  $("unfold").setAttribute("aria-expanded", String(!$("panel").hidden && !isOfCard));
  if ($("panel").hidden) {
    delete $("panel-body").dataset.key; // another width may need other scrolling
    return;
  }
  if (view.panel === "source") return drawSourcePanel();
  if (view.panel === "boxes") return drawBoxesPanel();
  if (view.panel === "advice") drawFindings();
}

// Whoever closes it from inside gets the keys back where it was opened.
function showPanel(isShown) {
  if (isShown === !$("panel").hidden) return;
  if (isShown) opener = document.activeElement;
  const isInside = $("panel").contains(document.activeElement);
  $("panel").hidden = !isShown;
  if (isInside) (opener !== document.body && opener.checkVisibility() ? opener : $("stage")).focus();
}

// The findings about this card, and then all other errors, because each keeps a card from being shown.
function drawFindings() {
  const own = [...problemsOf(view.card)].sort((a, b) => (b.severity === "error") - (a.severity === "error"));
  const others = errorsHere().filter((each) => owners.get(each) !== view.card);
  const asked = (each) => data.cards[owners.get(each)]?.question ?? "";
  const all = problems().length;
  const shownHere = [...own, ...others.slice(0, MOST_ERRORS)];
  const key = `findings ${JSON.stringify(data.undo)} ${all} ${own.length} ${others.length} ${shownHere.map((each) => `${asked(each)} ${each.text}${each.fixable}`).join("\n\n")}`;
  if ($("panel-body").dataset.key === key) return;
  const boxes = (problems) => problems.map((each) => finding(each, editorName()));
  const parts = own.length ? [make("h3", "", say("this_note")), ...boxes(own)] : [make("p", "quiet", say(all ? "no_findings_here" : "no_findings"))];
  if (!own.length && all) parts[0].append(" ", linkTo(many("in_the_deck", all), { filter: "rule=any" }));
  if (data.undo) parts.unshift(lastFix(data.undo));
  if (others.length) parts.push(make("h3", "", say("other_errors")));
  for (const each of others.slice(0, MOST_ERRORS)) {
    if (asked(each)) parts.push(linkTo(question(asked(each)), { card: owners.get(each) }));
    parts.push(...boxes([each]));
  }
  if (others.length > MOST_ERRORS) parts.push(make("p", "quiet", say("and_more", { count: others.length - MOST_ERRORS })));
  fillPanel(say("findings"), parts);
  $("panel-body").dataset.key = key;
  showMarks($("panel-body"));
}

// Looked up once the reader stays on a card: with 10,000 notes, the first time takes a third of a second.
async function drawClosest() {
  const id = view.card;
  const box = $("closest");
  const key = `${id} ${data.written}`;
  if (box.dataset.key === key) return;
  if (!box.dataset.key?.startsWith(`${id} `)) box.replaceChildren();
  box.dataset.key = key;
  await new Promise((resolve) => setTimeout(resolve, 200));
  if (box.dataset.key !== key || !data.cards[id] || data.cards[id].retired) return;
  const { card, likeness, shared } = await fetch(`/closest/${id}`).then((answer) => answer.json()).catch(() => ({})); // the server has ended
  if (box.dataset.key !== key) return;
  box.replaceChildren();
  if (!data.cards[card]) return;
  const link = linkTo(question(data.cards[card].question), { card });
  markWords(link, shared, { whole: true });
  box.append(make("span", "", say("closest")), link, make("span", "", say("alike", { percent: Math.round(likeness * 100) })));
}

function linkTo(content, goal) {
  const button = make("button", "link");
  button.append(content);
  Object.assign(Object.assign(button, { type: "button" }).dataset, goal);
  return button;
}

async function drawSourcePanel() {
  const id = view.card;
  const card = data.cards[id];
  if (!card) return;
  const answer = await fetch(`/source/${id}`);
  if (!answer.ok || view.card !== id || view.panel !== "source") return;
  const all = await answer.json();
  const starts = data.order.map((each) => data.cards[each]).filter((each) => each.file === card.file && each.line > card.line).map((each) => each.line);
  const lines = all.slice(card.line - 1, Math.min(...starts, all.length + 1) - 1);
  while (lines.length && !lines.at(-1).trim()) lines.pop();
  const key = `source ${id} ${card.line}\n${lines.join("\n")}`;
  $("panel-title").textContent = `${card.path.split("/").at(-1)}:${card.line}`;
  if ($("panel-body").dataset.key !== key) {
    $("panel-body").dataset.key = key;
    $("panel-body").replaceChildren(drawSource(lines, card.line));
  }
  source = { ...source, card: id, lines };
  alignSource();
}

// Whoever can write edits the boxes of the picture; on a phone there is no room for that.
const boxes = new BoxEditor(async (edit) => {
  const card = data.cards[view.card];
  fixed = card.file;
  const answer = await request("box", { card: view.card, ...edit });
  if (!answer?.done) fixed = "";
  if (answer) tell(say(answer.said, answer.values));
  return Boolean(answer?.done);
});

function drawBoxesPanel() {
  const card = data.cards[view.card];
  $("panel-title").textContent = say("boxes");
  const isReadOnly = !sessionStorage.getItem("key") || !roomy.matches || card.stale;
  const key = `boxes ${view.card} ${isReadOnly}`;
  if ($("panel-body").dataset.key !== key) $("panel-body").replaceChildren(boxes.root);
  $("panel-body").dataset.key = key;
  boxes.show(view.card, card.boxes, { isReadOnly });
  const isUndoable = data.undo?.file === card.file && !isReadOnly;
  boxes.last.replaceChildren(...(isUndoable ? [lastFix(data.undo)] : []));
}

function alignSource() {
  source.lines_of = Object.fromEntries(Object.entries(source.units).map(([side, units]) => [side, align(units, source.lines)]));
}

function lightLines(lines) {
  if (view.panel !== "source") return;
  for (const item of $("panel-body").querySelectorAll("li")) item.classList.toggle("lit", lines.includes(Number(item.dataset.line)));
  const lit = ([side, units]) => [side, units.flatMap((each, unit) => (each.some((line) => lines.includes(line)) ? [unit] : []))];
  stage.light(Object.fromEntries(Object.entries(source.lines_of).map(lit)));
  if (lines.length) $("panel-body").querySelector(".lit")?.scrollIntoView({ block: "nearest" });
}

async function sidesOf(id) {
  const card = data.cards[id];
  if (card && !sides.has(id)) {
    const answer = await (await fetch(`/sides/${id}`)).json();
    // Another save may have arrived meanwhile, so nothing must be awaited from here on.
    if (!sides.has(id) && data.cards[id] === card) sides.set(id, answer);
  }
  return sides.get(id) ?? [];
}

function drawWall() {
  $("empty").hidden = shown.length > 0;
  $("first").hidden = true;
  $("wait").hidden = false;
  $("wait").textContent = noMatch();
  const cards = shown.map((id) => ({ id, name: data.cards[id].question, mark: markOf(id), wrong: problemsOf(id).some((each) => each.severity === "error") }));
  stage.wall(cards, { css: data.css, night: view.night, key: `${data.written} ${tileSide()} ${Boolean(changes)}`, current: view.card });
}

// What the wall says above a card: hints are left out, because most cards may have some.
function markOf(id) {
  const { retired, draft } = data.cards[id];
  const change = changeOf(id);
  const counts = ["error", "warning"].map((severity) => [severity, problemsOf(id).filter((each) => each.severity === severity).length]);
  const found = counts.filter(([, count]) => count).map(([severity, count]) => say(`${severity}s_${count > 1 ? "many" : "one"}`, { count }));
  return [...found, retired && say("retired"), change && say(`${change}_note`), draft && say("draft")].filter(Boolean).join(" · ");
}

const tileSide = () => (view.side === "front" ? "front" : "back");

async function sendTile(id) {
  const [one] = await sidesOf(id);
  if (!one) return stage.tile({ id });
  const night = view.night ? " nightMode night_mode" : "";
  stage.tile({ id, content: one[tileSide()], css: one.css, collection: data.cards[id].collection, body: `${one.body}${night}` });
}

async function drawCard(flipped) {
  if (view.show !== "cards") return;
  const id = view.card;
  const card = data.cards[id];
  if (card && !sides.has(id)) {
    await sidesOf(id);
    if (view.card !== id || view.show !== "cards") return;
  }
  const each = sides.get(id) ?? [];
  if (each.length && view.c >= each.length) view.c = 0;
  drawCards(each);
  const one = each[view.c];
  $("empty").hidden = Boolean(one);
  if (!one) {
    const isReady = data.version > 0 && data.names.length > 0;
    $("first").hidden = Boolean(card) || !isReady;
    $("wait").hidden = !$("first").hidden;
    const hasErrors = problemsOf(id).some((each) => each.severity === "error");
    $("wait").textContent = say(hasErrors ? "no_card_yet" : card ? "no_card" : "reading");
    $("first-file").textContent = `${data.roots[0] ?? ""}/first.md`;
    stage.hide();
    return;
  }
  stage.show(sidesToShow(one, card), {
    since: changes?.since,
    css: one.css ?? data.css[card.collection] ?? "",
    body: one.body,
    night: view.night,
    width: view.width,
    card: `${id} ${view.c}`,
    flipped,
    words: wordsOf(view.q).join(" "),
  });
}

// A phone has room for one side.
const cardSide = () => (view.side === "both" && !roomy.matches ? "front" : view.side);

function sidesToShow(one, card) {
  if (card.retired) return [["before", one[view.side === "front" ? "front" : "back"]]];
  const before = changes?.cards[placeOf(card)]?.before?.[view.c];
  if (before) {
    const name = view.side === "front" ? "front" : "back";
    return [["before", before[name], one[name]], [name, one[name], before[name]]];
  }
  return (cardSide() === "both" ? ["front", "back"] : [cardSide()]).map((name) => [name, one[name]]);
}

// A collection's own note types have their own CSS and their own names for cards.
const cardName = ({ name, deletion, css }) =>
  deletion ? say("deletion", { number: deletion }) : css === undefined ? say(`card_${name.toLowerCase()}`) : name;

function drawCards(each) {
  const box = $("cards");
  box.hidden = each.length < 2;
  const key = each.map(cardName).join("\n");
  if (box.dataset.key !== key) {
    box.dataset.key = key;
    box.replaceChildren(...each.map((one, n) => {
      const button = make("button", "", cardName(one));
      button.type = "button";
      button.dataset.c = String(n);
      return button;
    }));
  }
  mark("cards", "c", String(view.c));
}

// What the user does

function select(id) {
  view.card = id;
  if (view.panel === "run") view.panel = "";
  view.c = 0;
  if (view.side === "back" && view.show === "cards") view.side = "front";
  writeAddress({ push: true });
  draw();
}

function openTile(id) {
  if (!data.cards[id]) return;
  change({ show: "cards" });
  isFromWall = true;
  select(id);
  $("stage").focus();
}

function step(by) {
  const at = shown.indexOf(view.card);
  const next = shown[Math.min(Math.max(at + by, 0), shown.length - 1)];
  if (next && next !== view.card) select(next);
}

function change(part, options) {
  Object.assign(view, part);
  draw(options);
}

function press(key) {
  const keys = {
    " ": () => change({ side: view.side === "back" ? "front" : "back" }, { flipped: true }),
    ArrowLeft: () => step(-1),
    ArrowRight: () => step(1),
    k: () => step(-1),
    j: () => step(1),
    e: () => $("editor").click(),
    s: () => change({ panel: view.panel === "source" ? "" : "source" }),
    x: () => data.cards[view.card]?.boxes && change({ panel: view.panel === "boxes" ? "" : "boxes" }),
    d: toggleChanges,
    r: runCode,
    g: () => change({ show: view.show === "wall" ? "cards" : "wall" }),
    h: toggleHealth,
    a: () => change({ panel: view.panel === "advice" ? "" : "advice" }),
    b: () => change({ side: view.side === "both" ? "front" : "both" }),
    n: () => change({ night: !view.night }),
    w: () => change({ width: WIDTHS[(WIDTHS.indexOf(view.width) + 1) % WIDTHS.length] }),
    c: () => change({ c: (view.c + 1) % Math.max(1, (sides.get(view.card) ?? []).length) }),
    "/": () => { openList(); $("q").focus(); $("q").select(); },
    "?": () => $("keys").showModal(),
    Enter: view.show === "wall" && (() => openTile(view.card)),
    Escape: () => {
      closeList();
      if (view.panel && view.show === "cards") change({ panel: "" });
      else if (view.show !== "cards") change({ show: "cards" });
      else if (isFromWall) change({ show: "wall" });
    },
  };
  const act = keys[key] ?? keys[key.toLowerCase()];
  if (!act) return false;
  if (key !== "w") $("menu").hidePopover(); // several steps of the width are often needed
  act();
  return true;
}

function openList() {
  document.body.classList.add("listing");
  $("open").setAttribute("aria-expanded", "true");
}

function closeList() {
  document.body.classList.remove("listing");
  $("open").setAttribute("aria-expanded", "false");
}

// After this key, browsers clear the box, but send no event if it has lost the focus.
function leave(field) {
  if (field === $("q") && field.value) {
    field.value = "";
    field.dispatchEvent(new Event("input"));
  }
  $("stage").focus();
}

let saying = 0;
function tell(text, { stays = false } = {}) {
  $("said").replaceChildren(...coded("", text).childNodes);
  $("said").toggleAttribute("data-stays", stays); // while there are errors
  clearTimeout(saying);
  if (!stays) saying = setTimeout(() => $("said").hasAttribute("data-stays") || ($("said").textContent = ""), 3000);
}

// Actions that write or run something need the key from the terminal.
async function request(name, values = {}) {
  const key = sessionStorage.getItem("key");
  const answer = key && (await fetch(`/do/${name}?${new URLSearchParams(values)}`, { method: "POST", headers: { "X-Ptcards-Key": key } }));
  if (answer?.ok) return answer.json();
  tell(say("no_key"));
  return null;
}

async function act(name, values) {
  if (name === "fix" || name === "undo") fixed = values.file;
  const answer = await request(name, values);
  if (!answer?.done) fixed = "";
  if (answer) tell(say(answer.said, answer.values));
}

// Show the next draft before this one leaves the list.
async function decide(name) {
  const id = view.card;
  const at = shown.indexOf(id);
  const next = [...shown.slice(at + 1), ...shown.slice(0, Math.max(at, 0)).reverse()].find((each) => data.cards[each].draft);
  decided = id;
  const answer = await request(name, { card: id });
  if (!answer?.done) decided = "";
  if (!answer) return;
  tell(say(answer.said, answer.values));
  if (answer.done && next && view.card === id) select(next);
}

function askToReject() {
  const card = data.cards[view.card];
  $("rejecting-question").replaceChildren(sentence(card.question));
  $("rejecting-about").textContent = say("reject_about", { place: `${card.path}:${card.line}` });
  $("rejecting").returnValue = "";
  $("rejecting").showModal();
}

async function toggleChanges() {
  let said = "";
  if (changes) {
    for (const { id } of changes.retired) {
      delete data.cards[id];
      sides.delete(id);
    }
    changes = null;
  } else {
    tell(say("comparing"));
    const found = await request("changed");
    if (!found) return;
    const count = Object.keys(found.cards ?? {}).length;
    const retired = found.retired?.length ?? 0;
    const what = !count && !retired ? "nothing_changed" : retired ? "changed_retired" : "changed_since";
    said = found.refused ?? say(what, { count, retired, since: found.since });
    if (found.refused && errorsHere().length) {
      change({ show: "cards", panel: "advice" });
      return tell(said, { stays: true });
    }
    if (!count && !retired) return tell(said);
    changes = found;
    for (const each of found.retired) {
      data.cards[each.id] = each;
      sides.set(each.id, each.sides);
    }
    if (view.show === "health") view.show = "cards";
  }
  applyFilters();
  if (shown.length && !shown.includes(view.card)) view.card = shown[0];
  refresh();
  if (said) tell(said);
}

async function toggleHealth() {
  change({ show: view.show === "health" ? "cards" : "health" });
  if (view.show !== "health" || !sessionStorage.getItem("key")) return;
  verified = await request("verified");
  draw();
}

async function runCode() {
  const card = data.cards[view.card];
  if (card && !card.code) tell(say("no_code"));
  if (!card?.code) return;
  const id = view.card;
  change({ panel: "run" });
  fillPanel(say("ran"), [make("p", "quiet", say("running"))]);
  const answer = await request("run", { card: id });
  if (!answer || view.panel !== "run" || view.card !== id) return;
  fillPanel(say("ran"), answer.refused ? refusal(answer) : outcome(answer));
}

// A finding that is fixed leaves the keys to the next one, or to the panel if it was the last. Undo leaves them to the first.
// What is the same stays the same element, because its buttons may be being pressed.
function fillPanel(title, parts) {
  const body = $("panel-body");
  const findings = () => [...body.querySelectorAll(".finding")];
  const held = document.activeElement.closest(".finding, .last-fix");
  const at = findings().indexOf(held);
  delete body.dataset.key;
  $("panel-title").textContent = title;
  const before = [...body.children];
  const after = parts.map((part) => {
    const same = before.findIndex((each) => each.isEqualNode(part));
    return same < 0 ? part : before.splice(same, 1)[0];
  });
  before.forEach((each) => each.remove());
  after.forEach((part, n) => body.children[n] === part || body.insertBefore(part, body.children[n] ?? null));
  if (held && !body.contains(held)) (findings()[Math.max(at, 0)] ?? body).focus();
}

// A command to copy, if one helps.
function refusal({ refused, help = "" }) {
  const [, command] = /^run `([^`]+)`/.exec(help) ?? [];
  if (!command) return [sentence(refused), ...(help ? [sentence(help)] : [])];
  const box = make("pre", "command", command);
  const button = make("button", "plain", say("copy"));
  button.type = "button";
  button.addEventListener("click", () => copy(button, command));
  return [sentence(refused), make("p", "", say("install_first")), box, button, sentence(say("other_python"), "quiet")];
}

function outcome({ status, reasons, blocks, problems: found }) {
  const parts = [make("p", "", say(`ran_${status}`, { reasons: reasons.join(", ") }))];
  for (const { line, old, new: printed, wrong } of blocks) {
    const box = make("div", "outputs");
    for (const [name, text] of [["on_the_card", old], ["now", printed]]) {
      const side = make("div", "");
      side.append(make("h3", "", say(name)), make("pre", wrong && name === "now" ? "other" : "", text || say("nothing_printed")));
      box.append(side);
    }
    parts.push(make("h3", "quiet", say("block", { line })), box);
  }
  return [...parts, ...found.map((each) => finding(each, editorName()))];
}

async function explain(rule) {
  const { text } = await (await fetch(`/explain/${encodeURIComponent(rule)}`)).json();
  if (!text) return;
  $("explained-title").textContent = rule;
  $("explanation").replaceChildren(...explanation(text));
  $("explained").showModal();
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape" && $("menu").matches(":popover-open")) return; // the browser closes it
  if (event.target.matches("input, select")) {
    if (event.key === "Escape") { event.preventDefault(); leave(event.target); }
    return;
  }
  if ((event.key === " " || event.key === "Enter") && event.target.closest("button, a, summary")) return;
  if (event.key.startsWith("Arrow") && event.target.closest("pre")) return;
  if (press(event.key)) event.preventDefault();
});

$("sides").addEventListener("click", (event) => {
  const { side } = event.target.closest("button")?.dataset ?? {};
  if (side) change({ side }, { flipped: side === "back" });
});
$("width").addEventListener("input", () => change({ width: $("width").value }));
$("cards").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button) change({ c: Number(button.dataset.c) });
});
// Whoever points at the stage, or at a control that returns the keys to it, needs no ring around it.
addEventListener("pointerdown", () => { $("stage").dataset.pointed = ""; });
addEventListener("keydown", (event) => { if (event.key === "Tab") delete $("stage").dataset.pointed; });
// After a click, give the keys back to the card, so that Space flips it instead of pressing the button again.
addEventListener("click", (event) => {
  if (event.detail && event.target.closest(".segments button, .group button, #night, .note")) $("stage").focus({ preventScroll: true });
});
addEventListener("click", (event) => {
  const key = event.target.closest("[data-press]")?.dataset.press;
  if (key) press(key);
});
$("menu").addEventListener("keydown", (event) => {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  const items = [...$("menu").children].filter((each) => each.checkVisibility());
  items.at((items.indexOf(document.activeElement) + by) % items.length).focus();
});
$("rest").addEventListener("click", () => {
  $("chips").classList.add("all");
  fitChips();
  $("stage").focus({ preventScroll: true });
});
new ResizeObserver(fitChips).observe($("chips").parentElement);
$("filter").addEventListener("click", () => {
  const isOpen = $("selects").hidden;
  $("selects").hidden = !isOpen;
  $("filter").setAttribute("aria-expanded", String(isOpen));
});
$("chosen-chips").addEventListener("click", (event) => {
  const { filter } = event.target.closest("button")?.dataset ?? {};
  if (!filter) return;
  filterBy(filter, "");
  $("filter").focus();
});
// A finger would have to close the keyboard first to see the list.
$("open").addEventListener("click", () => { openList(); $(matchMedia("(pointer: coarse)").matches ? "close" : "q").focus(); });
$("close").addEventListener("click", () => { closeList(); $("open").focus(); });
async function showAll() {
  clearFilters();
  if (changes) await toggleChanges();
  refresh();
}
for (const id of ["clear", "show-all", "unlisted"]) $(id).addEventListener("click", showAll);
$("filters").addEventListener("submit", async (event) => {
  event.preventDefault();
  closeList();
  $("stage").focus(); // at once: the next key is no part of the words
  await searching;
  if (view.q.trim() && shown.length) select(shown[0]);
});
function filterBy(name, value) {
  view[name] = value;
  applyFilters();
  if (shown.length && !shown.includes(view.card)) { view.card = shown[0]; view.c = 0; }
  refresh();
}
for (const name of SELECTS) $(name).addEventListener("input", () => filterBy(name, $(name).value));
$("q").addEventListener("input", async () => {
  view.q = $("q").value;
  writeAddress();
  searching = find();
  await searching;
  filterBy("q", $("q").value);
});
$("unfold").addEventListener("click", () => {
  change({ show: "cards", panel: $("unfold").getAttribute("aria-expanded") === "true" ? "" : "advice" });
  $("panel-body").querySelector(".finding.error")?.scrollIntoView({ block: "nearest" });
});
$("accept").addEventListener("click", () => decide("accept"));
$("edit").addEventListener("click", () => $("editor").click());
$("reject").addEventListener("click", askToReject);
$("rejecting").addEventListener("close", () => $("rejecting").returnValue === "remove" && decide("reject"));
$("views").addEventListener("click", (event) => {
  const name = event.target.closest("button")?.dataset.show;
  if (name === "health" && view.show !== "health") toggleHealth();
  else if (name) change({ show: name });
});
$("panel-body").addEventListener("click", (event) => {
  const { card, filter } = event.target.closest("button.link")?.dataset ?? {};
  if (card) select(card);
  if (filter) showFiltered(filter);
});
$("closest").addEventListener("click", (event) => {
  const { card } = event.target.closest("button")?.dataset ?? {};
  if (card) select(card);
});
$("panel-body").addEventListener("pointerover", (event) => {
  const item = event.target.closest("li[data-line]");
  if (item) lightLines([Number(item.dataset.line)]);
});
$("panel-body").addEventListener("pointerleave", () => lightLines([]));
$("health").addEventListener("click", (event) => {
  const { filter, key, show } = event.target.closest("button")?.dataset ?? {};
  if (filter) showFiltered(filter);
  if (show) change({ show });
  if (key) change({ show: "cards", card: cardOf(key) });
});
function showFiltered(filter) {
  clearFilters();
  Object.assign(view, { show: "cards", ...Object.fromEntries(new URLSearchParams(filter)) });
  applyFilters();
  if (shown.length) view.card = shown[0];
  refresh();
}
// The panel is as wide as the author makes it, with the pointer or the arrow keys.
function widen(pixels) {
  const width = Math.min(Math.max(pixels, 240), innerWidth * 0.7);
  document.documentElement.style.setProperty("--panel-width", `${Math.round(width)}px`);
  $("edge").setAttribute("aria-valuenow", String(Math.round(width)));
}
$("edge").addEventListener("pointerdown", (event) => {
  event.preventDefault();
  $("edge").setPointerCapture(event.pointerId);
});
$("edge").addEventListener("pointermove", (event) => {
  if ($("edge").hasPointerCapture(event.pointerId)) widen($("panel").getBoundingClientRect().right - event.clientX);
});
$("edge").addEventListener("keydown", (event) => {
  const by = { ArrowLeft: 32, ArrowRight: -32 }[event.key];
  if (!by) return;
  event.preventDefault();
  event.stopPropagation();
  widen($("panel").getBoundingClientRect().width + by);
});
$("close-panel").addEventListener("click", () => change({ panel: "" }));
addEventListener("click", (event) => {
  const link = event.target.closest("a[data-file]");
  if (link && data.editor) {
    event.preventDefault();
    act("open", { file: link.dataset.file, line: link.dataset.line, column: link.dataset.column });
  }
  const button = event.target.closest("[data-do]");
  if (!button) return;
  const { do: name, ...values } = button.dataset;
  if (name === "explain") explain(values.rule);
  else act(name, values);
});
async function copy(button, text) {
  await navigator.clipboard.writeText(text);
  tell(say("copied"));
  button.dataset.copied = say("is_copied");
  setTimeout(() => delete button.dataset.copied, 1200);
}
$("copy").addEventListener("click", () => copy($("copy"), $("copy").textContent));
$("copy-sample").addEventListener("click", () => copy($("copy-sample"), $("sample").textContent));
roomy.addEventListener("change", () => draw());
addEventListener("popstate", () => { readAddress(); find().then(refresh); });

readAddress();
draw();
listen();
