// The list of decks and questions, with the findings about them.

import { plainFormula } from "./formula.js";
import { say } from "./words.js";

const MOST = 400;
export const SEVERITIES = ["error", "warning", "hint"];

export function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

/** Return Markdown with its code spans as code and the rest as text. */
export function question(text) {
  const parts = document.createDocumentFragment();
  text.replace(/\$`(.+?)`\$/g, "$$$1$$").split(/(`+)(.+?)\1/).forEach((part, n) => {
    if (n % 3 === 0) parts.append(part.replace(/\$(?=\S)([^$]*?\S)\$(?!\d)/g, (_, tex) => plainFormula(tex)).replace(/\*\*?(\S(?:.*?\S)?)\*\*?/g, "$1").replace(/\\([!-/:-@[-`{-~])/g, "$1"));
    if (n % 3 === 2) parts.append(make("code", "", part));
  });
  return parts;
}

/** Mark these words in an element; inside other words, too, unless they must be whole. */
export function markWords(root, words, { whole = false } = {}) {
  if (!words.length) return;
  const pattern = wordPattern(words, whole ? ["(?<!\\w)", "(?!\\w)"] : ["", ""]);
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  for (const node of nodes) {
    const parts = node.data.split(pattern); // every other part is a word
    if (parts.length > 1) node.replaceWith(...parts.map((part, n) => (n % 2 ? make("mark", "", part) : part)));
  }
}

const wordPattern = (words, [before, after]) => new RegExp(`${before}(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join("|")})${after}`, "giu");

/** Return a paragraph with this text. */
export function sentence(text, className = "") {
  const paragraph = make("p", className);
  paragraph.append(question(text));
  return paragraph;
}

export function badges(problems) {
  const box = make("span", "badges");
  for (const severity of SEVERITIES) {
    const count = problems.filter((each) => each.severity === severity).length;
    if (!count) continue;
    const badge = make("span", `badge ${severity}`, String(count));
    badge.title = say(`${severity}s_${count > 1 ? "many" : "one"}`, { count });
    badge.append(make("span", "unseen", ` ${badge.title.replace(/^\d+ /, "")}`));
    box.append(badge);
  }
  return box;
}

export class List {
  constructor(root, { onSelect }) {
    this.root = root;
    this.onSelect = onSelect;
    this.opened = new Map();
    this.rows = new Map();
    root.addEventListener("click", (event) => {
      const row = event.target.closest("[data-card]");
      if (row) onSelect(row.dataset.card);
    });
    root.addEventListener("toggle", (event) => {
      const deck = event.target;
      if (deck.dataset?.deck === undefined) return;
      this.opened.set(deck.dataset.deck, deck.open);
      if (deck.open) this.fill(deck);
      else if (deck.contains(this.stop)) this.rest(deck.firstElementChild);
    }, true);
    root.addEventListener("focusin", (event) => this.rest(event.target.closest("summary, .note")));
    root.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !this.move(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  /** Make this the only row of the list that Tab reaches. */
  rest(row) {
    if (!row || row === this.stop) return;
    if (this.stop) this.stop.tabIndex = -1;
    this.stop = row;
    row.tabIndex = 0;
  }

  /** Follow an arrow key; return whether the key has a meaning here. */
  move(key) {
    const rows = [...this.root.querySelectorAll("summary, .note")].filter((each) => each.checkVisibility());
    const at = rows.indexOf(document.activeElement);
    const deck = document.activeElement.closest("details");
    if (at < 0) return false;
    const isHead = rows[at].localName === "summary";
    const leads = {
      ArrowDown: () => rows[at + 1],
      ArrowUp: () => rows[at - 1],
      Home: () => rows[0],
      End: () => rows.at(-1),
      ArrowRight: () => { if (isHead && deck.open) return rows[at + 1]; if (isHead) deck.open = true; },
      ArrowLeft: () => { if (!isHead) return deck.firstElementChild; if (deck.open) deck.open = false; else return deck.parentElement.closest("details")?.firstElementChild; },
    }[key];
    if (!leads) return false;
    leads()?.focus();
    return true;
  }

  /** Draw the cards in `order`; with `filtered`, open every deck. What a search for `words` found has no decks: the best is first. */
  draw({ order, cards, problemsOf, changeOf, filtered, current, words }) {
    const shape = JSON.stringify([filtered, words, order.map((id) => [id, cards[id].deck])]);
    if (shape === this.shape) {
      this.data = { cards, problemsOf, changeOf, current: this.data.current };
      this.update();
      return;
    }
    this.shape = shape;
    this.words = words;
    this.data = { cards, problemsOf, changeOf, current };
    const focused = document.activeElement?.dataset?.card;
    const head = this.root.contains(document.activeElement) && document.activeElement.parentElement.dataset?.deck;
    const scroll = this.root.scrollTop;
    const tree = { name: "", full: "", decks: new Map(), notes: [] };
    for (const id of order) {
      let at = tree;
      let full = "";
      for (const level of cards[id].deck.split("::")) {
        full = full ? `${full}::${level}` : level;
        if (!at.decks.has(level)) at.decks.set(level, { name: level, full, decks: new Map(), notes: [] });
        at = at.decks.get(level);
      }
      at.notes.push(id);
    }
    this.rows.clear();
    this.open = filtered && order.length <= MOST;
    this.root.replaceChildren(...(words.length ? this.found(order) : [...tree.decks.values()].map((deck) => this.deck(deck, 0))));
    this.root.scrollTop = scroll;
    if (focused) this.rows.get(focused)?.focus({ preventScroll: true });
    else if (head !== false && head !== undefined) this.box(head)?.firstElementChild.focus({ preventScroll: true });
    if (!this.root.contains(this.stop)) this.rest(this.rows.get(current) ?? this.root.querySelector("summary"));
  }

  /** Redraw only the rows that differ: with 600 notes, laying out all of them would delay each save by 80 ms. */
  update() {
    for (const [id, row] of this.rows) {
      if (row.dataset.shows === this.shows(id)) continue;
      const isFocused = row === document.activeElement;
      row.parentElement.replaceWith(this.row(id));
      if (row === this.stop) this.rest(this.rows.get(id));
      if (isFocused) this.rows.get(id).focus({ preventScroll: true });
    }
    for (const box of this.root.querySelectorAll("details")) this.mark(box.firstElementChild, members(box.contents));
  }

  /** Show the number of findings about a deck's notes in its heading. */
  mark(head, ids) {
    const found = badges(ids.flatMap((id) => this.data.problemsOf(id)));
    const before = head.querySelector(".badges");
    if (before.innerHTML !== found.innerHTML) before.replaceWith(found);
  }

  /** Return the content of a row as text. */
  shows(id) {
    const { question, difficulty, stale, retired, draft } = this.data.cards[id];
    return JSON.stringify([question, difficulty, stale, retired, draft, this.data.changeOf(id), SEVERITIES.map((severity) => this.data.problemsOf(id).filter((each) => each.severity === severity).length)]);
  }

  deck(deck, depth) {
    const all = members(deck);
    const box = make("details", "deck");
    box.dataset.deck = deck.full;
    box.style.setProperty("--depth", depth);
    const holdsCurrent = all.includes(this.data.current);
    box.open = this.open || (this.opened.get(deck.full) ?? (holdsCurrent || depth === 0));
    const head = make("summary");
    head.tabIndex = -1;
    head.append(make("span", "name", deck.name), badges(all.flatMap((id) => this.data.problemsOf(id))), make("span", "count", String(all.length)));
    box.append(head);
    box.contents = deck;
    box.depth = depth;
    if (box.open) this.fill(box);
    return box;
  }

  found(order) {
    const list = make("ul", "found");
    list.append(...order.slice(0, MOST).map((id) => this.row(id)));
    return order.length > MOST ? [list, make("p", "quiet", say("and_more", { count: order.length - MOST }))] : [list];
  }

  fill(box) {
    if (box.filled) return;
    box.filled = true;
    for (const inner of box.contents.decks.values()) box.append(this.deck(inner, box.depth + 1));
    if (!box.contents.notes.length) return;
    const list = make("ul");
    for (const id of box.contents.notes) list.append(this.row(id));
    box.append(list);
  }

  row(id) {
    const card = this.data.cards[id];
    const item = make("li");
    const row = make("button", card.stale || card.retired ? "note stale" : "note");
    row.type = "button";
    row.tabIndex = -1;
    row.dataset.card = id;
    row.dataset.shows = this.shows(id);
    if (id === this.data.current) row.setAttribute("aria-current", "true");
    const text = make("span", "question");
    text.append(card.question ? question(card.question) : make("em", "", say("no_question")));
    text.title = text.textContent; // three lines of it are shown
    markWords(text, this.words);
    if (this.words.length) text.append(make("span", "where quiet", card.deck.split("::").at(-1)));
    const mark = make("span", `mark ${card.difficulty}`);
    if (card.difficulty) {
      mark.title = card.difficulty;
      mark.append(make("span", "unseen", card.difficulty));
    }
    row.append(mark, text, badges(this.data.problemsOf(id)));
    if (card.draft) row.append(make("span", "badge draft", say("draft")));
    const change = this.data.changeOf(id);
    if (change) row.append(make("span", "badge hint", say(`${change}_note`)));
    if (card.retired) row.append(make("span", "badge hint", say("retired")));
    item.append(row);
    this.rows.set(id, row);
    return item;
  }

  /** Mark the card that is shown, and scroll it into view. */
  select(id) {
    if (!this.data) return;
    this.rows.get(this.data.current)?.removeAttribute("aria-current");
    this.data.current = id;
    if (!this.rows.has(id) && this.data.cards[id]) this.unfold(id);
    const row = this.rows.get(id);
    row?.setAttribute("aria-current", "true");
    row?.scrollIntoView({ block: "nearest" });
    if (!this.root.contains(document.activeElement)) this.rest(row);
  }

  box(name) {
    return [...this.root.querySelectorAll("details")].find((each) => each.dataset.deck === name);
  }

  unfold(id) {
    const levels = this.data.cards[id].deck.split("::");
    levels.forEach((_, n) => {
      const name = levels.slice(0, n + 1).join("::");
      const box = this.box(name);
      if (!box) return;
      box.open = true;
      this.fill(box);
    });
  }
}

function members(deck) {
  return [...[...deck.decks.values()].flatMap(members), ...deck.notes];
}
