// Runs inside a card's frame, which has an origin of its own and may fetch nothing. What it shows is a stranger's text.
"use strict";

const box = document.getElementById("qa");
const sheet = document.getElementById("css");
const LEFT_OUT = "script, iframe, frame, frameset, object, embed, base, link, meta, portal, fencedframe";
const WITH_FILES = ["src", "poster"];
const OURS = [" ", "ArrowLeft", "ArrowRight", "b", "B", "n", "N", "w", "W", "c", "C", "/", "?", "Escape"];
let files = new Map();

function tell(message) {
  parent.postMessage(message, "*");
}

function show(side) {
  document.documentElement.className = side.html;
  document.body.className = side.body;
  if (sheet.textContent !== side.css) sheet.textContent = side.css;
  const template = document.createElement("template");
  // The policy runs no such attribute, Anki's own on hints included, and reports each: they go under another name.
  template.innerHTML = side.content.replace(/<[^<>]*>/g, (tag) => tag.replace(/\son\w+\s*=/gi, " data-on="));
  template.content.querySelectorAll(LEFT_OUT).forEach((each) => each.remove());
  const wanted = new Set();
  const used = new Map();
  for (const element of template.content.querySelectorAll("[src], [poster]")) {
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
  for (const [file, address] of files) if (!used.has(file)) URL.revokeObjectURL(address);
  files = used;
  place(template.content);
  box.replaceChildren(template.content);
  if (side.flipped) document.getElementById("answer")?.scrollIntoView({ block: "nearest" });
  if (side.fresh) scrollTo(0, 0);
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

addEventListener("message", (event) => {
  if (event.source !== parent) return;
  if (event.data.side) show(event.data.side);
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
    // Anki does this by an attribute that a page as strict as this one does not run.
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
