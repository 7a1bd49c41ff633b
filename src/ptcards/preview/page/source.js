// Shows the source beside the card, and matches lines with elements by the letters and digits they share.

import { make } from "./list.js";

const plain = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
const unmarked = (line) => plain(line.replace(/<!--.*?-->|<[^>]*>/g, "").replace(/\]\([^)]*\)/g, "]").replace(/&\w+;/g, ""));
const ENOUGH = 24; // letters that identify a unit

/** Return, for each unit, the numbers of the lines that it came from; empty if they are unknown. */
export function align(units, lines) {
  const starts = [];
  let all = "";
  for (const line of lines) {
    starts.push(all.length);
    all += unmarked(line);
  }
  let from = 0;
  return units.map((unit) => {
    const wanted = plain(unit);
    if (!wanted) return [];
    let text = wanted;
    let at = find(all, text, from);
    // Formulas look different when rendered, so only the text between them is compared.
    for (let start = 0; at < 0 && start + ENOUGH <= wanted.length; start += ENOUGH / 2) at = find(all, (text = wanted.slice(start, start + ENOUGH)), from);
    if (at < 0) return [];
    from = at + text.length;
    const [first, last] = [at, from - 1].map((offset) => starts.findLastIndex((start) => start <= offset));
    return Array.from({ length: last - first + 1 }, (_, n) => first + n);
  });
}

function find(all, text, from) {
  const next = all.indexOf(text, from);
  return next < 0 ? all.indexOf(text) : next;
}

/** Return the lines of a note as a list; `first` is the number of the first one in its file. */
export function drawSource(lines, first) {
  const list = make("ol", "source");
  list.append(...lines.map((line, n) => {
    const item = make("li", "");
    Object.assign(item.dataset, { line: n, number: first + n });
    item.append(make("code", "", line || " "));
    return item;
  }));
  list.style.setProperty("--digits", String(first + lines.length).length);
  return list;
}
