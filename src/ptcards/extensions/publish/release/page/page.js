// The page of a release: what changed since the version in the address, as in `index.html#v=1.3`.

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
  for (const [question, deck, publications] of DATA.notes)
    for (const kind of kindsOf(at(publications, release), publications.at(-1))) found[kind].push([question, DATA.decks[deck]]);
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
  const newest = DATA.versions.length - 1;
  const place = version ? DATA.versions.lastIndexOf(version) : -1;
  $("since").replaceChildren();
  if (!named) $("answer").textContent = "";
  else if (place < 0) $("answer").textContent = say("unknown", { version, newest: DATA.versions[newest] });
  else if (place === newest) $("answer").textContent = say("newest", { version });
  else {
    const found = changedSince(place);
    const kinds = KINDS.filter((kind) => found[kind].length);
    const changes = kinds.map((kind) => COUNTS[kind](found[kind].length)).join(", ");
    $("answer").textContent = changes ? say("since", { version, changes }) : say("since_nothing", { version });
    $("since").append(...kinds.flatMap((kind) => listed(kind, found[kind])));
  }
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function showNight() {
  document.documentElement.toggleAttribute("data-night", isNight());
  setPressed($("night"), isNight());
}

$("night").addEventListener("click", () => {
  settings.night = !isNight();
  keepSettings();
  showNight();
});
addEventListener("hashchange", answer);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showNight);
showNight();
answer();
