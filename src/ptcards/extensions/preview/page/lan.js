// The page for another device: one card, which follows what the author writes.
"use strict";

history.replaceState(null, "", "/card"); // the key must not stay in the address
const $ = (id) => document.getElementById(id);
const WORDS = JSON.parse($("words").textContent);
const night = matchMedia("(prefers-color-scheme: dark)");
const state = { order: [], card: "", sides: [], side: 0, isReady: false };

// The sides of all cards of a note, in turn.
const faces = () => state.sides.flatMap((each) => ["front", "back"].map((name) => ({ ...each, name, content: each[name] })));

async function load(isFresh) {
  const id = state.card;
  const answer = id && (await fetch(`/sides/${id}`).catch(() => null));
  if (!id || state.card !== id) return;
  if (!answer || answer.status === 403) return over();
  state.sides = answer.ok ? await answer.json() : [];
  if (isFresh || state.side >= faces().length) state.side = 0;
  draw(isFresh);
}

function draw(isFresh) {
  const face = faces()[state.side];
  $("frame").hidden = !face;
  $("said").hidden = Boolean(face);
  $("said").textContent = WORDS[state.order.length ? "no_card" : "no_questions"];
  const at = state.order.indexOf(state.card);
  $("position").textContent = at < 0 ? "" : `${at + 1} / ${state.order.length}`;
  if (!face || !state.isReady) return;
  const side = {
    content: face.content, css: face.css, fresh: isFresh, flipped: face.name === "back",
    html: `mobile${night.matches ? " night-mode" : ""}`, body: `${face.body} mobile${night.matches ? " nightMode night_mode" : ""}`,
  };
  $("frame").contentWindow.postMessage({ side }, "*");
}

function show(id) {
  if (!id) return;
  state.card = id;
  load(true);
}

function step(by) {
  const at = state.order.indexOf(state.card) + by;
  show(state.order[Math.min(Math.max(at, 0), state.order.length - 1)]);
}

function turn() {
  state.side = (state.side + 1) % Math.max(1, faces().length);
  draw(false);
}

async function send(frame, file) {
  const answer = await fetch(`/media/${encodeURIComponent(file)}`);
  if (answer.ok) frame.postMessage({ file, content: await answer.blob() }, "*");
}

addEventListener("message", ({ source, data }) => {
  if (source !== $("frame").contentWindow || typeof data !== "object" || data === null) return;
  if (data.ready) {
    state.isReady = true;
    draw(true);
  }
  if (Array.isArray(data.wanted)) data.wanted.forEach((file) => send(source, String(file)));
  if (data.key === " ") turn();
  if (data.key === "ArrowLeft") step(-1);
  if (data.key === "ArrowRight") step(1);
});
const events = new EventSource("/events");
events.onmessage = ({ data }) => {
  const { order, card } = JSON.parse(data);
  state.order = order;
  if (card && card !== state.card) show(card);
  else if (!order.includes(state.card)) show(order[0]);
  else load(false);
  if (!order.length) draw(false);
};
events.onerror = () => {
  if (events.readyState === EventSource.CLOSED) over();
};

// Says that the preview ended or was started again, with another key.
function over() {
  $("frame").hidden = true;
  $("said").hidden = false;
  $("said").textContent = WORDS["over"];
}

night.addEventListener("change", () => draw(false));
$("frame").src = "/card?frame";
$("previous").addEventListener("click", () => step(-1));
$("next").addEventListener("click", () => step(1));
$("turn").addEventListener("click", turn);
