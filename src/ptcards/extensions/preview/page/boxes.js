// Draws the boxes of a picture: with the mouse or the keys, each edit is written to the source.

import { make } from "./list.js";
import { say } from "./words.js";

const SMALLEST = 1; // percent; a shorter drag is a click
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const STEP = 0.5; // percent
const PATIENCE = 600; // milliseconds without a key after which a box that keys moved is written

const CATCHING_UP = 3000; // milliseconds after which the source is shown, whatever was written

const rounded = (percent) => Math.round(percent * 10) / 10;
const within = (value, least, most) => Math.min(Math.max(value, least), most);

function textOf({ left, top, width, height, is_round: isRound }, label) {
  const place = [left, top, width, height].map((side) => `${rounded(side)}%`).join(" ");
  return `${isRound ? `(${place})` : place}: ${label}`;
}

// Returns where a box is after it was moved, or only its lower right corner.
function pushed({ left, top, width, height }, across, down, isCorner) {
  if (isCorner) return { width: within(width + across, SMALLEST, 100 - left), height: within(height + down, SMALLEST, 100 - top) };
  return { left: within(left + across, 0, 100 - width), top: within(top + down, 0, 100 - height) };
}

export class BoxEditor {
  /** `write` gets an edit, `{ number, old, new }`, and returns whether it was written. */
  constructor(write) {
    this.write = write;
    this.root = make("div", "boxes");
    this.about = make("p", "quiet");
    this.picture = make("div", "picture");
    this.image = new Image();
    Object.assign(this.image, { alt: "", draggable: false });
    this.list = make("ol", "labels");
    this.add = make("button", "plain small", say("box_add"));
    this.add.type = "button";
    this.add.addEventListener("click", () => this.begin({ left: 40, top: 40, width: 20, height: 10 }));
    this.picture.append(this.image);
    this.last = make("div", ""); // what was written last, which can be undone
    this.root.append(this.picture, this.about, this.list, this.add, this.last);
    this.picture.addEventListener("pointerdown", (event) => this.press(event));
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.shown = "";
    this.isHeld = false; // a box is being moved, so the boxes stay as they are until that is written
    this.waiting = 0;
    this.expected = ""; // the boxes that the source has as soon as the preview has read what was written
    this.fresh = null;
    this.boxes = [];
  }

  /** Show the boxes of a card, `{ picture, boxes }`, if they are other ones than before. */
  show(...shown) {
    const [card, { picture, boxes }, { isReadOnly }] = (this.newest = shown);
    const key = JSON.stringify([card, picture, boxes, isReadOnly]);
    const isOther = this.card !== card;
    const isOld = this.expected && this.expected !== JSON.stringify(boxes.map(({ text }) => text));
    if (key === this.shown || (!isOther && (this.isHeld || isOld))) return;
    this.expected = "";
    this.shown = key;
    const focus = isOther ? null : this.focused();
    if (focus) focus.number = this.follow(focus.number, boxes);
    Object.assign(this, { card, isReadOnly, fresh: isOther ? null : this.fresh });
    this.boxes = boxes.map((box) => ({ ...box, left: box.left / 100, top: box.top / 100, width: box.width / 100, height: box.height / 100 }));
    this.about.textContent = isReadOnly ? say("boxes_looking") : `${say("boxes_means")} ${say("boxes_keys")}`;
    this.add.hidden = isReadOnly;
    this.draw(focus);
    const address = `/media/${encodeURIComponent(picture)}`;
    if (this.image.getAttribute("src") !== address) this.image.src = address;
  }

  // Returns the number that a box has among other boxes, which an editor may have added above it; the new box comes last.
  follow(number, boxes) {
    const box = this.boxes[number];
    const found = box ? boxes.findIndex(({ text }) => text === box.text) : boxes.length;
    return found < 0 && boxes.length === this.boxes.length ? number : found;
  }

  // Which box has the keys, and whether its label has them, with what is selected there.
  focused() {
    const held = document.activeElement?.closest?.(".boxes [data-number]");
    if (!held) return null;
    const { value, selectionStart, selectionEnd } = held;
    return { number: Number(held.dataset.number), isLabel: held.matches("input"), value, selected: [selectionStart, selectionEnd] };
  }

  draw(focus) {
    const all = [...this.boxes, ...(this.fresh ? [this.fresh] : [])];
    this.shapes = all.map((box, number) => {
      const shape = make("div", `box${box.is_round ? " round" : ""}`, String(number + 1));
      shape.tabIndex = 0;
      shape.dataset.number = number;
      shape.setAttribute("role", "button");
      shape.setAttribute("aria-label", box.label ? say("box", { number: number + 1, label: box.label }) : say("box_new"));
      if (!this.isReadOnly) shape.append(make("span", "corner"));
      this.place(shape, box);
      return shape;
    });
    this.isDrawing = true; // a label that is replaced loses the keys, when its number is that of another box already
    this.picture.replaceChildren(this.image, ...this.shapes);
    this.list.replaceChildren(...all.map((box, number) => {
      const item = make("li", "");
      const label = make("input", "");
      Object.assign(label, { value: box.label ?? "", type: "text", readOnly: this.isReadOnly, autocomplete: "off" });
      label.dataset.number = number;
      label.setAttribute("aria-label", say("box_label", { number: number + 1 }));
      label.addEventListener("blur", () => this.isDrawing || this.rename(number, label.value.trim()));
      item.append(label);
      return item;
    }));
    this.isDrawing = false;
    if (!focus || focus.number < 0) return;
    const held = (focus.isLabel ? this.list.querySelectorAll("input") : this.shapes)[Math.min(focus.number, all.length - 1)];
    held?.focus({ preventScroll: true });
    if (!focus.isLabel || !held || focus.value === undefined) return;
    held.value = focus.value;
    held.setSelectionRange(...focus.selected);
  }

  place(shape, { left, top, width, height }) {
    Object.assign(shape.style, { left: `${left}%`, top: `${top}%`, width: `${width}%`, height: `${height}%` });
  }

  // Returns where the pointer is on the picture, in percent.
  point({ clientX, clientY }, { left, top, width, height }) {
    return [within(((clientX - left) / width) * 100, 0, 100), within(((clientY - top) / height) * 100, 0, 100)];
  }

  press(event) {
    if (this.isReadOnly || event.button) return;
    event.preventDefault();
    const shape = event.target.closest(".box");
    const isCorner = event.target.matches(".corner");
    const room = this.picture.getBoundingClientRect(); // what is above the picture may grow during the drag
    const [left, top] = this.point(event, room);
    const number = shape ? Number(shape.dataset.number) : this.boxes.length;
    const box = shape ? this.at(number) : { left, top, width: 0, height: 0, label: "" };
    const before = { ...box };
    this.isHeld = true;
    if (shape) shape.focus({ preventScroll: true });
    else document.activeElement?.blur?.();
    let drawn = shape;
    if (!shape) this.picture.append((drawn = make("div", "box")));
    this.picture.setPointerCapture(event.pointerId);
    const move = (moved) => {
      const [x, y] = this.point(moved, room);
      const [across, down] = [x - left, y - top];
      if (!shape) Object.assign(box, { left: Math.min(x, left), top: Math.min(y, top), width: Math.abs(across), height: Math.abs(down) });
      else Object.assign(box, pushed(before, across, down, isCorner));
      this.place(drawn, box);
    };
    const done = new AbortController();
    const end = (last) => {
      if (last.type === "pointerup") move(last); // a busy browser leaves out moves
      done.abort();
      if (shape) return this.moved(number);
      drawn.remove();
      this.isHeld = false;
      if (box.width >= SMALLEST && box.height >= SMALLEST) this.begin(box);
    };
    this.picture.addEventListener("pointermove", move, { signal: done.signal });
    for (const name of ["pointerup", "pointercancel"]) this.picture.addEventListener(name, end, { signal: done.signal });
  }

  at(number) {
    return this.boxes[number] ?? this.fresh;
  }

  // A new box is written as soon as it has a label.
  begin(box) {
    this.fresh = { ...box, label: "" };
    this.draw({ number: this.boxes.length, isLabel: true });
  }

  key(event) {
    event.stopPropagation(); // the keys of the page would go to another card
    const shape = event.target.closest(".box");
    if (shape && event.key === "z" && (event.ctrlKey || event.metaKey)) {
      this.last.querySelector("button")?.click();
    } else if (event.key === "Escape" && this.fresh) {
      this.fresh = null;
      this.draw({ number: this.boxes.length - 1, isLabel: false });
    } else if (event.key === "Enter" && event.target.matches("input")) {
      event.target.blur();
      this.shapes[Number(event.target.dataset.number)]?.focus({ preventScroll: true });
    } else if (!shape || this.isReadOnly) {
      return;
    } else if (STEPS[event.key]) {
      const number = Number(shape.dataset.number);
      const box = this.at(number);
      const [across, down] = STEPS[event.key].map((way) => way * STEP);
      Object.assign(box, pushed(box, across, down, event.shiftKey));
      this.place(shape, box);
      this.isHeld = true;
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => this.moved(number), PATIENCE);
    } else if (event.key === "Enter") {
      this.list.querySelectorAll("input")[Number(shape.dataset.number)].focus();
    } else if (event.key === "Delete" || event.key === "Backspace") {
      const number = Number(shape.dataset.number);
      if (this.boxes[number] && this.boxes.length > 1) this.change(number, ""); // without a box, there is no card
    } else {
      return;
    }
    event.preventDefault();
  }

  rename(number, label) {
    const box = this.at(number);
    if (!box || !label || label === box.label) return;
    box.label = label;
    this.moved(number);
  }

  moved(number) {
    this.isHeld = false;
    const box = this.at(number);
    if (box?.label) this.change(number, textOf(box, box.label));
  }

  // Writes what a box is now, or removes it; if that fails, the boxes of the source are shown again.
  async change(number, text) {
    const old = this.boxes[number]?.text ?? "";
    if (text === old) return this.show(...this.newest);
    if (!old) this.boxes.push({ ...this.fresh, text });
    else if (text) this.boxes[number].text = text;
    if (!old) this.fresh = null;
    this.expected = JSON.stringify(this.boxes.map((box) => box.text).filter((_, each) => text || each !== number));
    clearTimeout(this.catching);
    this.catching = setTimeout(() => this.expected && this.reset(), CATCHING_UP);
    if (!(await this.write({ number, old, new: text }))) this.reset();
  }

  reset() {
    this.expected = this.shown = "";
    this.show(...this.newest);
  }
}
