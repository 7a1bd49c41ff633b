// The page of a release: samples, and what changed. With a version in the address, as in
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
    const changes = kinds.map((kind) => COUNTS[kind](found[kind].length)).join(say("comma"));
    $("told").textContent = changes ? say("since", { version, changes }) : say("since_nothing", { version });
    $("since").append(...kinds.flatMap((kind) => listed(kind, found[kind])));
  }
}

// Cards to try.

const MOST_HELD = 640;

// What each of them does: turns to a side, and says how high its higher side is.
const samples = [];

function sample(note, place, notes) {
  const [card] = note.cards;
  let side = "front";
  const root = rootFor(note);
  const show = showIn(root, () => sideOf(card, side));
  const button = make("button", "", say("show"));
  const turn = (to) => {
    side = to;
    const isTurned = side === "back";
    button.textContent = say(isTurned ? "show_question" : "show");
    show();
  };
  const height = () => {
    const shown = side;
    const heights = ["front", "back"].map((each) => {
      turn(each);
      return root.host.scrollHeight;
    });
    turn(shown);
    return Math.max(...heights);
  };
  samples.push({ turn, height });
  button.addEventListener("click", () => turn(side === "front" ? "back" : "front"));
  const next = make("button", "next", say("next_card"), " ›");
  next.addEventListener("click", () => {
    showSample((place + 1) % notes.length);
    $("samples").children[(place + 1) % notes.length].querySelector(".next").focus();
  });
  return make("article", "", root.host, make("div", "", button, ...(notes.length > 1 ? [next] : [])));
}

function showSample(place) {
  samples[place]?.turn("front");
  [...$("samples").children].forEach((each, n) => (each.inert = n !== place));
}

// The page stays where it is while cards are tried, unless one of them is very long.
function holdHeight() {
  $("samples").style.setProperty("--height", "0px");
  const highest = Math.max(0, ...samples.map(({ height }) => height()));
  $("samples").style.setProperty("--height", `${Math.min(highest + 1, MOST_HELD)}px`);
}

function showDeck() {
  shadowOf($("about")).append(aboutDeck());
  $("samples").append(...NOTES.slice(0, DATA.samples).map(sample));
  showSample(0);
  $("samples-part").hidden = !DATA.samples;
  $("license")?.replaceChildren(licence());
  const { lang } = document.documentElement;
  if (DATA.language) $("language").textContent = new Intl.DisplayNames(lang, { type: "language", fallback: "code" }).of(DATA.language);
  if (lang !== "en") for (const each of document.querySelectorAll("time")) each.textContent = new Date(each.dateTime).toLocaleDateString(`${lang}-u-nu-latn`, { dateStyle: "long", timeZone: "UTC" });
  const first = watchVersions().find((each) => DATA.changed[each.dataset.note][1] !== null);
  if (first) first.open = true;
}

addEventListener("hashchange", answer);
addEventListener("load", holdHeight);
showDeck();
showNight();
answer();

let width = 0;
new ResizeObserver(([{ contentRect }]) => {
  if (contentRect.width === width) return;
  width = contentRect.width;
  holdHeight();
}).observe($("samples"));
