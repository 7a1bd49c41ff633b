// Runs inside a card's frame, which has its own origin and cannot fetch anything. The card may be a stranger's.
"use strict";

const box = document.getElementById("qa");
const sheet = document.getElementById("css");
const LEFT_OUT = "script, iframe, frame, frameset, object, embed, base, link, meta, portal, fencedframe";
const WITH_FILES = ["src", "poster"];
// What Anki's programs of this width say about themselves on a card.
const HOSTS = {
  360: { html: "android mobile chrome", body: "" },
  390: { html: "mobile iphone ios", body: "" },
  768: { html: "mobile ipad ios", body: "" },
  full: { html: "linux chrome", body: " isLin fancy" },
};
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
  const host = HOSTS[side.width];
  document.documentElement.className = `${host.html}${side.night ? " night-mode" : ""}`;
  document.body.className = `${side.body}${host.body}${side.night ? " nightMode night_mode" : ""}`;
  if (sheet.textContent !== side.css) sheet.textContent = side.css;
  const content = harmless(side.content);
  const { wanted, used } = withoutFiles(content);
  for (const [file, address] of files) if (!used.has(file)) URL.revokeObjectURL(address);
  files = used;
  place(content);
  drawBoxes(content);
  if (typeof side.other === "string") {
    const other = harmless(side.other);
    withoutFiles(other);
    drawBoxes(other);
    markChanges(content, other);
  }
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
function height() {
  const { paddingBottom, marginBottom } = getComputedStyle(document.body);
  return Math.ceil(box.getBoundingClientRect().bottom + scrollY + parseFloat(paddingBottom) + parseFloat(marginBottom));
}

const sized = new ResizeObserver(() => tell({ height: height() }));

addEventListener("pointermove", (event) => tell({ over: units.findIndex((each) => each.contains(event.target)) }));
document.documentElement.addEventListener("pointerleave", () => tell({ over: -1 }));

addEventListener("message", (event) => {
  if (event.source !== parent) return;
  if (event.data.side) show(event.data.side);
  if (event.data.lit) light(event.data.lit);
  if (typeof event.data.missing === "string") {
    for (const each of box.querySelectorAll("img")) if (each.dataset.src === event.data.missing) each.classList.add("ptcards-missing");
  }
  if (event.data.file) {
    files.set(event.data.file, URL.createObjectURL(event.data.content));
    place(box);
  }
});

addEventListener("click", (event) => {
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
  if (event.ctrlKey || event.metaKey || event.altKey || !OURS.includes(event.key)) return;
  if (event.target.closest("input, textarea, select, audio, video")) return;
  if (event.key === " " && event.target.closest("summary, a, button")) return;
  event.preventDefault();
  tell({ key: event.key });
});

tell({ ready: true });
