// Shows all cards in a frame as thumbnails in columns, each loaded when it scrolls into view, and then as high as its card.

const NARROWEST = 250; // pixels
const GAP = 14;
const HEAD = 24; // above a card with a mark, as in wall.css
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
  if (event.data.wall) wall(event.data.wall);
  if (typeof event.data.current === "string") point(event.data.current);
  if (event.data.tile) {
    arrived.push(event.data.tile);
    load();
  }
  if (event.data.file) {
    waiting.get(event.data.file)?.forEach(place);
    waiting.delete(event.data.file);
  }
});

addEventListener("click", (event) => pick(event.target), true);

addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !pick(event.target) && current) pick(current);
});
