// Plots of the deck's health: what it contains and what it lacks.

import { make, sentence } from "./list.js";
import { say } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const ROW = 30;
const LENGTHS = [[0, 10], [11, 25], [26, 50], [51, 100], [101, 200], [201, Infinity]];

/** Draw the plots of all cards. The `data-filter` of a link is the filter of the list it opens. */
export function drawHealth(box, { cards, problems, verified }) {
  const alike = problems.filter((each) => each.rule === "near-duplicate");
  const bare = cards.filter((card) => !card.sourced);
  box.replaceChildren(
    plot("health_lengths", LENGTHS.map(([least, most]) => [most === Infinity ? say("health_more", { least }) : `${least}–${most}`, cards.filter(({ words }) => words >= least && words <= most).length])),
    plot("health_kinds", tally(cards.map((card) => card.kind)).map(([name, count]) => [name, count, `kind=${name}`])),
    plot("health_difficulty", ["easy", "medium", "hard", "none"].map((name) => [name === "none" ? say("health_none") : name, cards.filter((card) => (card.difficulty || "none") === name).length, `difficulty=${name}`])),
    plot("health_sources", [[say("health_sourced"), cards.length - bare.length], [say("health_unsourced"), bare.length]], bare.slice(0, 12), bare.length),
    plot("health_alike", [[say("health_pairs"), alike.length, alike.length ? "rule=near-duplicate" : ""]]),
    plot("health_code", verified ? ["passed", "unknown", "not_run", "without"].map((name) => [say(`verify_${name}`), verified[name] ?? 0]) : [[say("health_with_code"), cards.filter((card) => card.code).length]], [], 0, verified?.refused),
  );
}

function tally(values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}

function plot(title, rows, examples = [], count = 0, remark = "") {
  const figure = make("figure", "plot");
  figure.append(make("figcaption", "", say(title)));
  if (remark) figure.append(sentence(remark, "quiet"));
  else figure.append(bars(rows, say(title)));
  for (const [name, number, filter] of rows) {
    if (!filter || !number) continue;
    const link = make("button", "link", say("health_show", { name }));
    link.type = "button";
    link.dataset.filter = filter;
    figure.append(link);
  }
  if (examples.length) {
    const list = make("ul", "");
    for (const card of examples) {
      const item = make("button", "link", card.question || card.key);
      item.type = "button";
      item.dataset.key = card.key;
      list.append(wrapped(item));
    }
    figure.append(list);
    if (count > examples.length) figure.append(make("p", "quiet", say("and_more", { count: count - examples.length })));
  }
  return figure;
}

function wrapped(item) {
  const row = make("li", "");
  row.append(item);
  return row;
}

function bars(rows, title) {
  const most = Math.max(1, ...rows.map(([, count]) => count));
  const picture = element("svg", { viewBox: `0 0 420 ${rows.length * ROW}`, role: "img", "aria-label": `${title}: ${rows.map(([name, count]) => `${name} ${count}`).join(", ")}` });
  rows.forEach(([name, count], n) => {
    const y = n * ROW;
    picture.append(
      text(name, { x: 118, y: y + 20, "text-anchor": "end" }),
      element("rect", { class: "rail", x: 126, y: y + 5, width: 240, height: ROW - 10, rx: 4 }),
      element("rect", { class: "bar-of", x: 126, y: y + 5, width: (240 * count) / most, height: ROW - 10, rx: 4 }),
      text(count.toLocaleString("en"), { x: 374, y: y + 20 }),
    );
  });
  return picture;
}

function element(name, attributes) {
  const made = document.createElementNS(SVG, name);
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
  return made;
}

function text(content, attributes) {
  const made = element("text", attributes);
  made.textContent = content;
  return made;
}
