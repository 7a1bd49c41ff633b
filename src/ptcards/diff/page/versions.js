// Changed notes as cards before and after, each in a root of its own; `drawn` are the functions that draw them again for the night.

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
    if (hint) openHint(hint);
  });
  return show;
}

function openHint(link) {
  [link.hidden, link.nextElementSibling.hidden] = [true, false];
}

function sideOf(card, side) {
  const built = builtSide(card, side);
  for (const part of built.querySelectorAll(".report")) part.remove();
  return built;
}

const looksSame = (card, was, side) => sideHtml(card, side) === sideHtml(was, side);

// Fills in the cards of a changed note that look different now, or the first card of another one. A page on which changes are
// reviewed shows both sides, and all cards of another note; others show the side that differs, which is mostly the back.
function fillVersions(details) {
  if (!details.open || details.querySelector(".versions")) return;
  const box = make("div", "versions");
  details.append(box);
  const [note, old] = DATA.changed[details.dataset.note].map((place) => NOTES[place]);
  for (const [card, was] of pairsOf(note?.cards ?? [], old?.cards ?? []))
    for (const side of sidesOf(card, was)) {
      const named = (when) => [...(note && old ? [say(when)] : []), ...(DATA.both_sides ? [say(side)] : [])].join(" · ");
      for (const [when, shown, other] of [["before", was, card], ["now", card, was]]) {
        if (!shown) continue;
        const figure = version(named(when), shown, side, other);
        Object.assign(figure.dataset, { when, side, card: shown.ordinal + 1 }); // for `--pictures`
        box.append(figure);
      }
    }
}

// Cards now and before; one is undefined if there is no such card.
function pairsOf(cards, olds) {
  const kept = cards.map((card) => [card, olds.find((each) => each.ordinal === card.ordinal)]);
  const gone = olds.filter((was) => !cards.some((each) => each.ordinal === was.ordinal)).map((was) => [undefined, was]);
  const pairs = DATA.both_sides ? [...kept, ...gone] : kept;
  if (!cards.length || !olds.length) return DATA.both_sides ? pairs : pairs.slice(0, 1);
  const differing = pairs.filter(([card, was]) => !card || !was || ["front", "back"].some((side) => !looksSame(card, was, side)));
  return differing.length ? differing : pairs.slice(0, 1);
}

function sidesOf(card, was) {
  if (DATA.both_sides) return ["front", "back"];
  return [was && looksSame(card, was, "back") ? "front" : "back"];
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

// Fills in the notes that the reader opens, and returns all.
function watchVersions() {
  const changed = [...document.querySelectorAll("details[data-note]")];
  for (const each of changed) {
    each.addEventListener("toggle", () => fillVersions(each));
    fillVersions(each);
  }
  return changed;
}

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
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showNight);
