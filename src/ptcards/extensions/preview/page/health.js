// Plots of the deck's health: what it contains and what it lacks.

import { SEVERITIES, badges, make, question, sentence } from "./list.js";
import { say } from "./words.js";

const DECK = "deck:";
const LENGTHS = [[0, 10], [11, 25], [26, 50], [51, 100], [101, 200], [201]];

/** Return whether a card is in a group that no other filter names, such as `words:11-25`, `sourced:no` or `deck:Kinds::Tensors`. */
export function inGroup(card, group) {
  if (card.draft || card.retired) return false;
  if (group.startsWith(DECK)) return `${card.deck}::`.startsWith(`${group.slice(DECK.length)}::`);
  const [name, value] = group.split(":");
  if (name !== "words") return Boolean(card[name]) === (value === "yes");
  const [least, most] = value.split("-").map(Number);
  return card.words >= least && card.words <= (most || Infinity);
}

/** Return the name of a group for people. */
export function groupName(group) {
  if (group.startsWith(DECK)) return group.split("::").at(-1).replace(DECK, "");
  const [name, value] = group.split(":");
  if (name === "words") return `${say("health_lengths")}: ${rangeName(...value.split("-"))}`;
  if (name === "code") return say(value === "yes" ? "health_with_code" : "verify_without");
  return say(value === "yes" ? "health_sourced" : "health_unsourced_group");
}

const rangeName = (least, most) => (most ? `${least}–${most}` : say("health_more", { least }));

/** Draw the plots of all notes, a list of [card, its problems]. The `data-filter` of a bar is the filter of the list it opens. */
export function drawHealth(box, { notes, problems, verified }) {
  if (!notes.length) return box.replaceChildren(nothing());
  const cards = notes.map(([card]) => card);
  const counted = (name, group) => [name, cards.filter((card) => inGroup(card, group)).length, `group=${group}`];
  const bare = cards.filter((card) => !card.sourced);
  const count = cards.length;
  box.replaceChildren(
    findings(),
    plot("health_lengths", LENGTHS.map((range) => counted(rangeName(...range), `words:${range.join("-")}`))),
    plot("health_kinds", tally(cards.map((card) => card.kind)).map(([name, count]) => [name, count, `kind=${name}`])),
    cards.some((card) => card.difficulty) ? plot("health_difficulty", ["easy", "medium", "hard", "none"].map((name) => [name === "none" ? say("health_none") : name, cards.filter((card) => (card.difficulty || "none") === name).length, `difficulty=${name}`])) : "",
    plot("health_sources", [counted(say("health_sourced"), "sourced:yes"), counted(say("health_unsourced"), "sourced:no")], bare.slice(0, 12), bare.length),
    cards.some((card) => card.code) ? plot("health_code", verified ? ["passed", "unknown", "not_run", "without"].map((name) => [say(`verify_${name}`), verified[name] ?? 0]) : [counted(say("health_with_code"), "code:yes"), counted(say("verify_without"), "code:no")], [], 0, verified?.refused) : "",
    decks(notes),
  );

  function plot(title, rows, examples = [], more = 0, remark = "") {
    const figure = make("figure", "plot");
    figure.append(make("figcaption", "", say(title)));
    if (remark) figure.append(sentence(remark, "quiet"));
    else figure.append(bars(rows, say(title), count));
    if (examples.length) {
      const list = make("ul", "");
      for (const card of examples) list.append(wrapped(toButton("link", question(card.question || card.key), { key: card.key })));
      figure.append(list);
      if (more > examples.length) figure.append(make("p", "quiet", say("and_more", { count: more - examples.length })));
    }
    return figure;
  }

  // The notes that each rule finds something in, the most severe rule first; what is in no note counts too.
  function findings() {
    const nameOf = (each) => `${SEVERITIES.indexOf(each.severity)} ${each.rule}`;
    const inNotes = notes.map(([, found]) => found);
    const inside = new Set(inNotes.flat());
    const outside = problems.filter((each) => !inside.has(each)).map((each) => [each]);
    const rules = tally([...inNotes, ...outside].flatMap((found) => [...new Set(found.map(nameOf))])).sort(([a], [b]) => a.localeCompare(b, "en"));
    const rows = rules.map(([rule, number]) => [rule.slice(2), number, `rule=${rule.slice(2)}`, SEVERITIES[rule[0]]]);
    return plot("findings", rows, [], 0, rows.length ? "" : say("health_no_findings"));
  }
}

function nothing() {
  const box = make("div", "nothing");
  const button = toButton("plain", say("health_begin"), { show: "cards" });
  box.append(make("p", "", say("health_empty")), button);
  return box;
}

function toButton(className, text, goal) {
  const button = make("button", className);
  button.append(text);
  Object.assign(Object.assign(button, { type: "button" }).dataset, goal);
  return button;
}

function decks(notes) {
  const table = make("table", "plot decks");
  const body = make("tbody");
  table.append(make("caption", "", say("health_decks")), make("thead"), body);
  table.tHead.insertRow().append(...["health_deck", "health_notes", "findings"].map((name) => make("th", "", say(name))));
  for (const name of new Set(notes.map(([{ deck }]) => deck))) {
    const inside = notes.filter(([{ deck }]) => deck === name);
    const row = body.insertRow();
    const title = make("th");
    title.scope = "row";
    title.append(toButton("link", name.split("::").join(" › "), { filter: new URLSearchParams({ group: `${DECK}${name}` }) }));
    row.append(title, make("td", "", inside.length.toLocaleString("en")), make("td"));
    row.lastChild.append(badges(inside.flatMap(([, found]) => found)));
  }
  return table;
}

function tally(values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}

// A part is never 0 % or 100 %, unless it is nothing or all.
const percent = (share) => `${share > 0 && share < 1 ? "<1" : share < 100 ? Math.min(99, Math.round(share)) : 100} %`;

function wrapped(item) {
  const row = make("li", "");
  row.append(item);
  return row;
}

// Bars show parts of the total, so that a full one means all.
function bars(rows, title, total) {
  const list = make("ul", "bars");
  list.setAttribute("aria-label", title);
  for (const [name, count, filter, severity] of rows) {
    const row = make(filter && count ? "button" : "div", "row");
    if (filter && count) Object.assign(row, { type: "button", title: say("health_show", { name }) }).dataset.filter = filter;
    const rail = make("span", "rail");
    const share = (100 * count) / Math.max(1, total);
    rail.append(make("span", `bar-of ${severity ?? ""}`));
    rail.firstChild.style.width = `${share}%`;
    row.append(make("span", "", name), rail, make("span", "count", count.toLocaleString("en")), make("span", "count", percent(share)));
    list.append(wrapped(row));
  }
  return list;
}
