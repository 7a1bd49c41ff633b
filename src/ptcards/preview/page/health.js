// Plots of the deck's health: what it contains and what it lacks.

import { make, sentence } from "./list.js";
import { say } from "./words.js";

const LENGTHS = [[0, 10], [11, 25], [26, 50], [51, 100], [101, 200], [201]];

/** Return whether a card is in a group that no other filter names, such as `words:11-25` or `sourced:no`. */
export function inGroup(card, group) {
  if (card.draft || card.retired) return false;
  const [name, value] = group.split(":");
  if (name !== "words") return Boolean(card[name]) === (value === "yes");
  const [least, most] = value.split("-").map(Number);
  return card.words >= least && card.words <= (most || Infinity);
}

/** Return the name of a group for people. */
export function groupName(group) {
  const [name, value] = group.split(":");
  if (name === "words") return `${say("health_lengths")}: ${rangeName(...value.split("-"))}`;
  return say(name === "code" ? "health_with_code" : value === "yes" ? "health_sourced" : "health_unsourced_group");
}

const rangeName = (least, most) => (most ? `${least}–${most}` : say("health_more", { least }));

/** Draw the plots of all cards. The `data-filter` of a bar is the filter of the list it opens. */
export function drawHealth(box, { cards, problems, verified }) {
  const alike = problems.filter((each) => each.rule === "near-duplicate");
  const counted = (name, group) => [name, cards.filter((card) => inGroup(card, group)).length, `group=${group}`];
  const bare = cards.filter((card) => !card.sourced);
  box.replaceChildren(
    plot("health_lengths", LENGTHS.map((range) => counted(rangeName(...range), `words:${range.join("-")}`))),
    plot("health_kinds", tally(cards.map((card) => card.kind)).map(([name, count]) => [name, count, `kind=${name}`])),
    plot("health_difficulty", ["easy", "medium", "hard", "none"].map((name) => [name === "none" ? say("health_none") : name, cards.filter((card) => (card.difficulty || "none") === name).length, `difficulty=${name}`])),
    plot("health_sources", [counted(say("health_sourced"), "sourced:yes"), counted(say("health_unsourced"), "sourced:no")], bare.slice(0, 12), bare.length),
    plot("health_alike", [[say("health_pairs"), alike.length, "rule=near-duplicate"]], [], 0, alike.length ? "" : say("health_none_alike")),
    plot("health_code", verified ? ["passed", "unknown", "not_run", "without"].map((name) => [say(`verify_${name}`), verified[name] ?? 0]) : [counted(say("health_with_code"), "code:yes")], [], 0, verified?.refused),
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
  const list = make("ul", "bars");
  list.setAttribute("aria-label", title);
  for (const [name, count, filter] of rows) {
    const row = make(filter && count ? "button" : "div", "row");
    if (filter && count) Object.assign(row, { type: "button", title: say("health_show", { name }) }).dataset.filter = filter;
    const rail = make("span", "rail");
    rail.append(make("span", "bar-of"));
    rail.firstChild.style.width = `${(100 * count) / most}%`;
    row.append(make("span", "", name), rail, make("span", "count", count.toLocaleString("en")));
    list.append(wrapped(row));
  }
  return list;
}
