// The frames that show the sides of a card. A frame is loaded only once; new content is sent to it.

import { say } from "./words.js";

export class Stage {
  constructor(root, { onKey, onOver, onUnits, onTile, onPick }) {
    this.root = root;
    Object.assign(this, { onKey, onOver, onUnits, onTile, onPick });
    this.frames = new Map();
    addEventListener("message", (event) => this.receive(event));
  }

  /** Show `sides`, a list of [name, html, other html]; `card` identifies the card, to recognise a new one. */
  show(sides, { since = "", css, body, night, width, card, flipped, words }) {
    const names = sides.map(([name]) => name);
    for (const [name, frame] of this.frames) this.reveal(frame, names.includes(name));
    this.root.dataset.width = width;
    this.root.dataset.both = String(sides.length > 1);
    for (const [name, content, other] of sides) {
      const frame = this.frames.get(name) ?? this.make(name);
      frame.label.textContent = name === "before" ? say("before", { since }) : say(names[0] === "before" ? "after" : name);
      const side = { content, other, words, css, body, night, width, fresh: frame.card !== card, flipped: flipped && name === "back" };
      const same = frame.side && ["content", "other", "words", "css", "body", "night", "width"].every((key) => frame.side[key] === side[key]);
      frame.card = card;
      if (same && !side.fresh && !side.flipped) continue;
      frame.side = side;
      if (frame.ready) frame.element.contentWindow.postMessage({ side }, "*");
    }
  }

  /** Show all of these cards, a list of {id, name, mark, wrong}, as thumbnails; the current one is marked, and in view. */
  wall(cards, { css, night, key, current }) {
    for (const [name, frame] of this.frames) this.reveal(frame, name === "wall");
    const frame = this.frames.get("wall") ?? this.make("wall");
    Object.assign(this.root.dataset, { width: "full", both: "false" });
    const full = `${key} ${night} ${cards.map(({ id, mark }) => id + mark).join()}`;
    const isNew = frame.key !== full;
    frame.key = full;
    frame.wall = { cards, css, html: `linux chrome${night ? " night-mode" : ""}`, night: night ? "nightMode night_mode" : "" };
    frame.current = current;
    if (frame.ready) frame.element.contentWindow.postMessage({ ...(isNew ? { wall: frame.wall } : {}), current }, "*");
  }

  /** Send the content of a card's thumbnail. */
  tile(tile) {
    this.frames.get("wall")?.element.contentWindow.postMessage({ tile }, "*");
  }

  /** Highlight the elements with these numbers on each side. */
  light(lit) {
    for (const [name, frame] of this.frames) if (frame.ready) frame.element.contentWindow.postMessage({ lit: lit[name] ?? [] }, "*");
  }

  /** Draw attention to a side that has changed. */
  flash(name) {
    const box = this.frames.get(name)?.box;
    if (!box) return;
    box.classList.remove("changed");
    void box.offsetWidth; // restarts the animation
    box.classList.add("changed");
    box.addEventListener("animationend", () => box.classList.remove("changed"), { once: true });
  }

  /** Load the frames again that could not be loaded while the server was stopped. */
  revive() {
    for (const frame of this.frames.values()) if (!frame.ready) frame.element.src = "/card";
  }

  hide() {
    for (const frame of this.frames.values()) this.reveal(frame, false);
  }

  reveal(frame, visible) {
    // Otherwise, keys would go to an invisible frame.
    if (!visible && document.activeElement === frame.element) this.root.focus({ preventScroll: true });
    frame.box.hidden = !visible;
  }

  make(name) {
    const box = document.createElement("figure");
    box.className = "device";
    box.dataset.of = name;
    const label = document.createElement("figcaption");
    const element = document.createElement("iframe");
    element.title = say(`${name}_of_card`);
    element.setAttribute("sandbox", "allow-scripts");
    element.src = "/card";
    box.append(label, element);
    const frame = { name, box, label, element, ready: false, side: null, card: null };
    this.frames.set(name, frame);
    const after = ["before", "front", "back", "wall"];
    const next = [...this.frames.values()].find((each) => after.indexOf(each.name) > after.indexOf(name));
    this.root.insertBefore(box, next?.box ?? null);
    return frame;
  }

  receive(event) {
    const frame = [...this.frames.values()].find((each) => each.element.contentWindow === event.source);
    if (!frame || typeof event.data !== "object" || event.data === null) return;
    const { ready, wanted, key, open, over, units, tile, pick, height } = event.data;
    if (Number.isFinite(height)) frame.box.style.setProperty("--content", `${height}px`);
    if (Number.isInteger(over)) this.onOver(frame.name, over);
    if (Array.isArray(units)) this.onUnits(frame.name, units.map(String));
    if (typeof tile === "string") this.onTile(tile);
    if (typeof pick === "string") this.onPick(pick);
    if (ready) {
      frame.ready = true;
      if (frame.wall) event.source.postMessage({ wall: frame.wall, current: frame.current }, "*");
      if (frame.side) event.source.postMessage({ side: frame.side }, "*");
    }
    if (Array.isArray(wanted)) wanted.forEach((file) => send(event.source, String(file)));
    if (typeof key === "string") this.onKey(key);
    if (typeof open === "string" && /^https?:/i.test(open)) window.open(open, "_blank", "noopener,noreferrer");
  }
}

async function send(frame, file) {
  const answer = await fetch(`/media/${encodeURIComponent(file)}`);
  frame.postMessage(answer.ok ? { file, content: await answer.blob() } : { missing: file }, "*");
}
