// Runs inside a card's frame, which has its own origin and cannot fetch anything. The card may be a stranger's.
"use strict";

const box = document.getElementById("qa");
const sheet = document.getElementById("css");
const LEFT_OUT = "script, iframe, frame, frameset, object, embed, base, link, meta, portal, fencedframe";
const WITH_FILES = ["src", "poster"];
const OURS = [" ", "ArrowLeft", "ArrowRight", "b", "B", "n", "N", "w", "W", "c", "C", "j", "J", "k", "K", "e", "E", "a", "A", "s", "S", "x", "X", "d", "D", "g", "G", "h", "H", "r", "R", "/", "?", "Escape"];
let files = new Map();

function tell(message) {
  parent.postMessage(message, "*");
}

function harmless(content) {
  const template = document.createElement("template");
  // The policy blocks such attributes, even those on Anki's own hints, and reports each one, so they are renamed.
  template.innerHTML = content.replace(/<[^<>]*>/g, (tag) => tag.replace(/\son\w+\s*=/gi, " data-on="));
  template.content.querySelectorAll(LEFT_OUT).forEach((each) => each.remove());
  return template.content;
}

// Removes the addresses from the content. The page then sends the files that are `wanted`.
function withoutFiles(root) {
  const wanted = new Set();
  const used = new Map();
  for (const element of root.querySelectorAll("[src], [poster]")) {
    for (const name of WITH_FILES) {
      const address = element.getAttribute(name);
      if (address === null || address.startsWith("data:")) continue;
      element.removeAttribute(name);
      const file = decoded(address);
      element.setAttribute(`data-${name}`, file);
      if (files.has(file)) used.set(file, files.get(file));
      else wanted.add(file);
    }
    element.removeAttribute("srcset");
  }
  return { wanted, used };
}

function show(side) {
  document.documentElement.className = side.html;
  document.body.className = side.body;
  if (sheet.textContent !== side.css) sheet.textContent = side.css;
  const content = harmless(side.content);
  const { wanted, used } = withoutFiles(content);
  for (const [file, address] of files) if (!used.has(file)) URL.revokeObjectURL(address);
  files = used;
  place(content);
  drawBoxes(content);
  if (side.other !== undefined) markChanges(content, harmless(side.other));
  box.replaceChildren(content);
  CSS.highlights.set("found", new Highlight(...findWords(side.words ?? "")));
  tell({ units: findUnits() });
  if (side.flipped) document.getElementById("answer")?.scrollIntoView({ block: "nearest" });
  if (side.fresh) scrollTo(0, 0);
  sized.observe(box); // not on the wall, which sets its own height
  tell({ shown: side.token, wanted: [...wanted] });
}

function decoded(address) {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

function place(root) {
  for (const name of WITH_FILES) {
    for (const element of root.querySelectorAll(`[data-${name}]`)) {
      const address = files.get(element.getAttribute(`data-${name}`));
      if (address && element.getAttribute(name) !== address) element.setAttribute(name, address);
    }
  }
}

// Returns where the words of a search are. Ranges can be highlighted without changing the card.
function findWords(text) {
  const wanted = text.split(" ").filter(Boolean);
  const found = [];
  const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const lower = node.data.toLowerCase();
    if (lower.length !== node.length) continue; // positions would differ
    for (const word of wanted) {
      for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length)) {
        found.push(new StaticRange({ startContainer: node, startOffset: at, endContainer: node, endOffset: at + word.length }));
      }
    }
  }
  return found;
}

// Elements that may come from a line of the source. The page matches them by their text.

const UNITS = "h1, h2, h3, h4, h5, h6, p, li, tr, dt, dd, figcaption, .heading, .ln";
let units = [];

function findUnits() {
  units = [...box.querySelectorAll(UNITS)].filter((each) => !each.querySelector(UNITS));
  return units.map((each) => each.textContent);
}

function light(numbers) {
  units.forEach((each, number) => each.classList.toggle("ptcards-lit", numbers.includes(number)));
}

// The page divides its room by the heights of the sides, without what is left over below them.
const sized = new ResizeObserver(() => {
  const { paddingBottom, marginBottom } = getComputedStyle(document.body);
  tell({ height: Math.ceil(box.getBoundingClientRect().bottom + scrollY + parseFloat(paddingBottom) + parseFloat(marginBottom)) });
});

addEventListener("pointermove", (event) => tell({ over: units.findIndex((each) => each.contains(event.target)) }));
document.documentElement.addEventListener("pointerleave", () => tell({ over: -1 }));

// Shows all cards as thumbnails in columns, each loaded when it scrolls into view, and then as high as its card.

const NARROWEST = 250; // pixels
const GAP = 14;
const HEAD = 24; // above a card with a mark, as in card.html
const TALLEST = 740; // beyond which a card fades out, if it is not scaled
const SCALE = 0.62; // of cards side by side
const MOST_ASKED = 12; // at the same time
const MOST_TIME = 4; // milliseconds of a frame for filling tiles
const heights = new Map(); // kept for when the wall is drawn again
const tiles = new Map();
const sheets = new Map();
let styles = {}; // the CSS of each collection
const visible = new Set(); // tiles in sight without content
const asked = new Set();
const arrived = []; // content for tiles
const waiting = new Map(); // the tiles that wait for a file
let isDue = false; // the next step of loading

const measured = new ResizeObserver((seen) => {
  for (const { target, contentRect } of seen) heights.set(target.getRootNode().host.dataset.card, Math.ceil(contentRect.height));
  arrange();
});
const resized = new ResizeObserver(arrange);
const inSight = new IntersectionObserver((seen) => {
  for (const { isIntersecting, target } of seen) {
    if (isIntersecting) visible.add(target);
    else visible.delete(target);
  }
  load();
}, { root: document, rootMargin: "600px" }); // without a root, a frame of another origin has no margin

// A grid with rows would be laid out again whenever a tile gets its height. Only tiles that move are touched here.
function arrange() {
  const room = box.clientWidth;
  const count = Math.max(1, Math.floor((room + GAP) / (NARROWEST + GAP)));
  const width = (room - GAP * (count - 1)) / count;
  const bottoms = Array(count).fill(0);
  const scale = count > 1 ? SCALE : 1; // a phone has one column, as wide as its cards
  const tallest = TALLEST * scale;
  box.style.setProperty("--tile", `${width}px`);
  box.style.setProperty("--scale", scale);
  for (const [id, tile] of tiles) {
    const height = heights.get(id) ?? 250;
    const shown = Math.min(height, tallest) + 2 + (tile.dataset.mark ? HEAD : 0); // with its border
    const top = Math.min(...bottoms);
    const column = bottoms.indexOf(top);
    bottoms[column] = top + shown + GAP;
    const place = `${column * (width + GAP)}px ${top}px`;
    if (tile.place === `${place} ${shown}`) continue;
    tile.place = `${place} ${shown}`;
    tile.classList.toggle("long", height > tallest);
    Object.assign(tile.style, { height: `${shown}px`, translate: place });
  }
  box.style.height = `${Math.max(...bottoms)}px`;
  if (scrollY === followed) follow();
}

let current = null; // the tile of the card that is selected
let followed = -1; // where the page was scrolled for it; tiles that get their height move it until the reader scrolls

function point(id) {
  const isSame = current?.dataset.card === id; // a finding that arrives moves nobody away from what they look at
  current?.removeAttribute("aria-current");
  current = tiles.get(id);
  current?.setAttribute("aria-current", "true");
  if (!isSame) follow();
}

function follow() {
  current?.scrollIntoView({ block: "nearest" });
  followed = scrollY;
}

function wall({ cards, css, html, night }) {
  styles = css;
  document.documentElement.className = html;
  document.body.className = `wall ${night}`;
  for (const each of [inSight, measured, resized]) each.disconnect();
  for (const each of [tiles, visible, asked, waiting]) each.clear();
  arrived.length = 0;
  box.replaceChildren(...cards.map(({ id, name, mark, wrong }) => {
    const tile = document.createElement("div");
    Object.assign(tile, { className: "tile", tabIndex: 0 });
    tile.setAttribute("role", "link");
    tile.setAttribute("aria-label", mark ? `${name}, ${mark}` : name);
    tile.dataset.card = id;
    if (mark) tile.dataset.mark = mark;
    if (wrong) tile.classList.add("wrong");
    tiles.set(id, tile);
    inSight.observe(tile);
    return tile;
  }));
  arrange();
  resized.observe(document.documentElement);
}

// A few tiles are asked for at a time, and each frame fills a few, so that scrolling stays smooth. Those that left
// again are skipped.
function load() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    const began = performance.now();
    while (arrived.length && performance.now() - began < MOST_TIME) fill(arrived.shift());
    for (const { dataset } of visible) {
      if (asked.size >= MOST_ASKED) break;
      if (asked.has(dataset.card)) continue;
      asked.add(dataset.card);
      tell({ tile: dataset.card });
    }
    if (arrived.length) load();
  });
}

function fill({ id, content, css: own, collection, body }) {
  const tile = tiles.get(id);
  asked.delete(id);
  if (!visible.delete(tile)) return;
  if (content === undefined) return; // the card has gone
  inSight.unobserve(tile);
  const css = own ?? styles[collection] ?? "";
  const root = tile.attachShadow({ mode: "open" });
  if (!sheets.has(css)) {
    const made = new CSSStyleSheet();
    made.replaceSync(`${css} :host { display: block } .ptc > .question .heading { padding-top: 0 } .card { min-height: 0; padding: 1em; zoom: var(--scale) }`);
    sheets.set(css, made);
  }
  root.adoptedStyleSheets = [sheets.get(css)];
  const shape = document.createElement("div");
  shape.className = `${body} mobile`;
  shape.inert = true;
  const inside = harmless(content);
  const { wanted, used } = withoutFiles(inside);
  used.forEach((address, file) => files.set(file, address));
  place(inside);
  drawBoxes(inside);
  shape.append(inside);
  const holder = document.createElement("div"); // measured without the card's zoom
  holder.append(shape);
  root.append(holder);
  measured.observe(holder);
  for (const file of wanted) waiting.set(file, [...(waiting.get(file) ?? []), root]);
  tell({ wanted: [...wanted] });
}

function pick(target) {
  const tile = target.closest?.(".tile");
  if (tile) tell({ pick: tile.dataset.card });
  return Boolean(tile);
}

addEventListener("message", (event) => {
  if (event.source !== parent) return;
  if (event.data.side) show(event.data.side);
  if (event.data.lit) light(event.data.lit);
  if (event.data.wall) wall(event.data.wall);
  if (typeof event.data.current === "string") point(event.data.current);
  if (event.data.tile) {
    arrived.push(event.data.tile);
    load();
  }
  if (typeof event.data.missing === "string") {
    for (const each of box.querySelectorAll("img")) if (each.dataset.src === event.data.missing) each.classList.add("ptcards-missing");
  }
  if (event.data.file) {
    files.set(event.data.file, URL.createObjectURL(event.data.content));
    place(box);
    waiting.get(event.data.file)?.forEach(place);
    waiting.delete(event.data.file);
  }
});

addEventListener("click", (event) => {
  if (pick(event.target)) return;
  const link = event.target.closest("a, area");
  if (!link) return;
  event.preventDefault();
  const target = link.getAttribute("href") ?? link.getAttribute("xlink:href") ?? "";
  if (link.matches("a.hint")) {
    // Anki does this with an attribute that this page's policy blocks.
    link.style.display = "none";
    const hint = link.nextElementSibling;
    if (hint?.matches("div.hint")) hint.style.display = "block";
  } else if (target.startsWith("#")) {
    document.getElementById(decoded(target.slice(1)))?.scrollIntoView();
  } else if (/^https?:/i.test(target)) {
    tell({ open: target });
  }
}, true);

addEventListener("submit", (event) => event.preventDefault(), true);

addEventListener("keydown", (event) => {
  if (event.key === "Enter" && pick(event.target)) return;
  if (event.key === "Enter" && current) pick(current);
  if (event.ctrlKey || event.metaKey || event.altKey || !OURS.includes(event.key)) return;
  if (event.target.closest("input, textarea, select, audio, video")) return;
  if (event.key === " " && event.target.closest("summary, a, button")) return;
  event.preventDefault();
  tell({ key: event.key });
});

tell({ ready: true });
