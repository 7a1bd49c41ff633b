// Changed notes as cards before and after, each in a root of its own; `drawn` are the functions that draw them again for the night.

const drawn = [];
const FADED = 24; // at each end of what scrolls
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
  const show = () => {
    root.replaceChildren(make("div", "mobile", build()));
  };
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

// Fills in the sides of a changed note that the page shows.
function fillVersions(details) {
  if (!details.open || details.querySelector(".versions")) return;
  const box = make("div", "versions");
  details.append(box);
  const [now, before, sides] = DATA.changed[details.dataset.note];
  const [cards, olds] = [now, before].map((place) => NOTES[place]?.cards);
  const isOfBoth = new Set(sides.map(([, side]) => side)).size > 1;
  const pairs = [];
  for (const [ordinal, side] of sides) {
    const pair = [];
    const [card, was] = [cards, olds].map((each) => each?.find((one) => one.ordinal === ordinal));
    for (const [when, shown, other] of [["before", was, card], ["now", card, was]]) {
      if (!shown) continue;
      const name = [...(cards && olds ? [say(when)] : []), ...(isOfBoth ? [say(side)] : [])].join(" · ");
      pair.push(version(when, name, shown, side, other));
    }
    box.append(...pair);
    pairs.push(pair);
  }
  if (!isOfBoth) showOnce(box, pairs);
  const scroll = () => pairs.forEach(scrollToChanges);
  drawn.push(scroll);
  scroll();
}

// A table or formula that scrolls shows all that changed if there is room, or else the first of it, and its other version
// the same part. A formula is marked as a whole.
function scrollToChanges(pair) {
  const [boxes, others] = [pair, [...pair].reverse()].map((figures) =>
    figures.map((each) => [...each.lastChild.shadowRoot.querySelectorAll("table, pre, math")]));
  boxes.forEach((own, n) => own.forEach((box, place) => {
    const other = others[n][place];
    const changed = box.matches(".ptcards-changed") ? [firstOther(box, other)] : [...box.querySelectorAll(".ptcards-changed")];
    if (!changed.length || box.scrollWidth <= box.clientWidth) return;
    const [view, ...words] = [box, ...changed].map((each) => each.getBoundingClientRect());
    const [left, right] = [view.left + FADED, view.right - FADED];
    const all = { left: Math.min(...words.map((each) => each.left)), right: Math.max(...words.map((each) => each.right)) };
    const seen = all.right - all.left > right - left ? words[0] : all;
    if (seen.left >= left && seen.right <= right) return;
    box.scrollLeft += (seen.left + seen.right - left - right) / 2;
    const end = Math.sign(box.scrollLeft) * (box.scrollWidth - box.clientWidth);
    if (Math.abs(end - box.scrollLeft) < 2 * FADED) box.scrollLeft = end; // there, what is cut would not fade
    if (other && !other.matches(".ptcards-changed") && !other.querySelector(".ptcards-changed")) other.scrollLeft = box.scrollLeft;
  }));
}

// The first sign of a formula that its other version does not have there.
function firstOther(formula, other) {
  const [own, theirs] = [formula, other].map((each) => [...(each?.querySelectorAll(":not(:has(*))") ?? [])]);
  return own.find((sign, place) => sign.textContent !== theirs[place]?.textContent) ?? own.at(-1);
}

// Of cards that look the same, and of those that differ in the same way as another one, the first is enough.
function showOnce(box, pairs) {
  const seen = new Set();
  const same = pairs.filter(looksSame);
  let alike = 0;
  for (const pair of pairs) {
    const changes = pair.length > 1 ? JSON.stringify(pair.map((each) => visibleChanges(each).map(changeOf))) : "";
    const isSame = same.length < pairs.length && same.includes(pair);
    if (isSame || seen.has(changes)) for (const each of pair) each.remove();
    if (!isSame && seen.has(changes)) alike += 1;
    if (changes && !isSame) seen.add(changes);
  }
  const last = pairs.findLast((pair) => pair.length > 1 && pair[0].isConnected);
  if (alike) last.at(-1).after(make("p", "", many(alike, "alike")));
}

const changesIn = (figure) => [...figure.lastChild.shadowRoot.querySelectorAll(".ptcards-changed")];
const visibleChanges = (figure) => changesIn(figure).filter((each) => each.checkVisibility({ visibilityProperty: true }));
const changeOf = (mark) => WHOLES[mark.localName]?.(mark) ?? mark.textContent;

// Whether all words that changed are hidden, such as those of the steps after the one that is asked.
function looksSame(pair) {
  return pair.some((each) => changesIn(each).length) && !pair.some((each) => visibleChanges(each).length);
}

function version(when, name, card, side, other) {
  const root = rootFor(card.note);
  showIn(root, () => {
    const built = sideOf(card, side);
    if (other) markChanges(built, sideOf(other, side));
    for (const picture of built.querySelectorAll("img:not([src])")) describe(picture, when);
    return built;
  });
  return make("figure", when, ...(name ? [make("figcaption", "", name)] : []), root.host);
}

// Puts its description in the place of a picture that the page does not have, such as one that was replaced.
function describe(picture, when) {
  const said = when === "before" ? [make("small", "", say("earlier_picture"))] : [];
  for (const box of picture.parentElement.querySelectorAll("button")) box.remove(); // of an occlusion
  picture.replaceWith(make("span", `${picture.className} ptcards-described`, ...said, picture.alt));
}

// Draws the questions of changed notes, fills in the notes that the reader opens, and returns all.
function watchVersions() {
  const changed = [...document.querySelectorAll("details[data-note]")];
  for (const each of changed) {
    const [now, before] = DATA.changed[each.dataset.note];
    each.querySelector("span").replaceChildren(inlineOf(questionHtml(NOTES[now ?? before])));
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
