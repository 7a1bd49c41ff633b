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

// Returns what each line is: a heading, a fence, code, a comment, or plain text.
function kindsOf(lines) {
  let fence = "";
  let comment = false;
  return lines.map((line) => {
    const [, mark] = /^\s*(?:>\s*)*(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence) {
      if (!mark?.startsWith(fence)) return "code";
      fence = "";
      return "fence";
    }
    if (mark) {
      fence = mark;
      return "fence";
    }
    const opens = line.lastIndexOf("<!--");
    const before = comment;
    comment = line.lastIndexOf("-->") >= opens && line.includes("-->") ? false : comment || opens >= 0;
    if (before || /^\s*<!--/.test(line)) return "comment";
    return /^#{1,6}\s/.test(line) ? "heading" : "";
  });
}

// Colours what is inside a plain line or heading: code spans, formulas and the marks of lists and choices.
const INLINE = /(?<code>`+[^`]*`+)|(?<math>\${1,2}[^$\s][^$]*\${1,2})|(?<mark>^\s*(?:[-*+]|\d+[.)])\s(?:\[[ xX]\]\s)?|\{\{c\d+::|\}\}|^>\s?(?:\[!\w+\])?)/g;

function pieces(line, kind) {
  if (kind && kind !== "heading") return [line];
  const parts = [];
  let from = 0;
  for (const found of line.matchAll(INLINE)) {
    const [name] = Object.entries(found.groups).find(([, text]) => text !== undefined);
    parts.push(line.slice(from, found.index), make("span", name, found[0]));
    from = found.index + found[0].length;
  }
  return [...parts, line.slice(from)];
}

/** Return the lines of a note as a list; `first` is the number of the first one in its file. */
export function drawSource(lines, first) {
  const list = make("ol", "source");
  const kinds = kindsOf(lines);
  list.append(...lines.map((line, n) => {
    const item = make("li", kinds[n]);
    Object.assign(item.dataset, { line: n, number: first + n });
    const code = make("code", "");
    code.append(...pieces(line || " ", kinds[n]));
    item.append(code);
    return item;
  }));
  list.style.setProperty("--digits", String(first + lines.length).length);
  return list;
}
