// The page of a release: samples, a map of the topics, and the changed notes before and after. With a version in the address, as in
// `index.html#v=1.3`, it says what changed since.

const KINDS = ["changed", "new", "moved", "retired"];
const TITLES = { changed: say("title_changed"), new: say("title_new"), moved: say("title_moved"), retired: say("title_retired") };
const COUNTS = {
  changed: (count) => say("changed", { count: amount(count) }),
  new: (count) => say("new", { count: amount(count) }),
  moved: (count) => say("moved", { count: amount(count) }),
  retired: (count) => say("retired", { count: amount(count) }),
};

// The last publication, `[release, time, deck]` or `[release]`, up to a release; undefined if there is none yet.
const at = (publications, release) => publications.findLast((each) => each[0] <= release);
const isLive = (publication) => publication?.length > 1;

function* kindsOf(before, now) {
  if (isLive(before) && isLive(now)) {
    if (before[1] !== now[1]) yield "changed";
    if (before[2] !== now[2]) yield "moved";
  } else if (isLive(now)) yield "new";
  else if (isLive(before)) yield "retired";
}

function changedSince(release) {
  const found = { changed: [], new: [], moved: [], retired: [] };
  for (const [question, deck, publications] of DATA.history.notes)
    for (const kind of kindsOf(at(publications, release), publications.at(-1))) found[kind].push([question, DATA.history.decks[deck]]);
  return found;
}

function listed(kind, questions) {
  const items = questions.map(([question, deck]) => {
    const item = make("li", "", make("span", "", question), make("span", "deck", deck));
    item.dir = "auto";
    return item;
  });
  return [make("h2", "", TITLES[kind]), make("ul", "", ...items)];
}

function answer() {
  const named = location.hash.match(/^#v=(.+)/);
  const version = named ? decoded(named[1]) : "";
  const newest = DATA.history.versions.length - 1;
  const place = version ? DATA.history.versions.lastIndexOf(version) : -1;
  $("since").replaceChildren();
  if (!named) $("told").textContent = "";
  else if (place < 0) $("told").textContent = say("unknown", { version, newest: DATA.history.versions[newest] });
  else if (place === newest) $("told").textContent = say("newest", { version });
  else {
    const found = changedSince(place);
    const kinds = KINDS.filter((kind) => found[kind].length);
    const changes = kinds.map((kind) => COUNTS[kind](found[kind].length)).join(", ");
    $("told").textContent = changes ? say("since", { version, changes }) : say("since_nothing", { version });
    $("since").append(...kinds.flatMap((kind) => listed(kind, found[kind])));
  }
}

// Cards, each in a root of its own; `drawn` are the functions that draw them again for the night.

const drawn = [];
const changesSheet = new CSSStyleSheet();
changesSheet.replaceSync(DATA.changes_css);
OWN_SHEET.replaceSync(DATA.own);

function rootFor(note) {
  const host = make("div", "shown");
  host.tabIndex = 0; // it may scroll
  const root = shadowOf(host);
  dress(root, note);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, changesSheet];
  return root;
}

function showIn(root, build) {
  const show = () => root.replaceChildren(make("div", "mobile", build()));
  drawn.push(show);
  show();
  root.addEventListener("click", ({ target }) => {
    const hint = target.closest("a.hint");
    if (hint) [hint.hidden, hint.nextElementSibling.hidden] = [true, false];
  });
  return show;
}

function sideOf(card, side) {
  const built = builtSide(card, side);
  for (const part of built.querySelectorAll(".report")) part.remove();
  return built;
}

function sample(note) {
  const [card] = note.cards;
  let isTurned = false;
  const root = rootFor(note);
  const show = showIn(root, () => sideOf(card, isTurned ? "back" : "front"));
  const button = make("button", "", say("show_answer"));
  button.type = "button";
  button.addEventListener("click", () => {
    isTurned = !isTurned;
    button.textContent = say(isTurned ? "show_question" : "show_answer");
    show();
  });
  return make("article", "", root.host, button);
}

// Fills in the cards of a changed note that look different now, or the first card of a new one.
function fillVersions(details) {
  if (!details.open || details.querySelector(".versions")) return;
  const box = make("div", "versions");
  details.append(box);
  const [place, before] = DATA.changed[details.dataset.note];
  const [note, old] = [NOTES[place], NOTES[before]];
  if (!old) return box.append(version("", note.cards[0], "back"));
  const pairs = note.cards.map((card) => [card, old.cards.find((each) => each.ordinal === card.ordinal)]);
  const differing = pairs.filter(([card, was]) => !was || ["front", "back"].some((side) => sideHtml(card, side) !== sideHtml(was, side)));
  for (const [card, was] of differing.length ? differing : pairs.slice(0, 1)) {
    const side = was && sideHtml(card, "back") === sideHtml(was, "back") ? "front" : "back";
    if (was) box.append(version(say("before"), was, side, card));
    box.append(version(say("now"), card, side, was));
  }
}

function version(name, card, side, other) {
  const root = rootFor(card.note);
  showIn(root, () => {
    const built = sideOf(card, side);
    if (other) markChanges(built, sideOf(other, side));
    return built;
  });
  return make("figure", "", ...(name ? [make("figcaption", "", name)] : []), root.host);
}

function showDeck() {
  shadowOf($("about")).append(aboutDeck());
  $("samples").append(...NOTES.slice(0, DATA.samples).map(sample));
  $("samples-part").hidden = !DATA.samples;
  $("topics-part").hidden = DATA.topics.length < 2;
  $("license")?.replaceChildren(licence());
  if (DATA.language) $("language").textContent = new Intl.DisplayNames("en", { type: "language", fallback: "code" }).of(DATA.language);
  const changed = [...document.querySelectorAll("details[data-note]")];
  for (const each of changed) each.addEventListener("toggle", () => fillVersions(each));
  const first = changed.find((each) => DATA.changed[each.dataset.note][1] !== null);
  if (first) first.open = true;
}

const drawTopics = () => topicMap($("map"), Math.floor($("map").clientWidth), DATA.topics.map(([name, size]) => ({ name, size, said: amount(size) })));

function showNight() {
  document.documentElement.toggleAttribute("data-night", isNight());
  setPressed($("night"), isNight());
  for (const show of drawn) show();
}

$("night").addEventListener("click", () => {
  settings.night = !isNight();
  keepSettings();
  showNight();
});
addEventListener("hashchange", answer);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showNight);
addEventListener("resize", drawTopics);
showDeck();
showNight();
drawTopics();
answer();
