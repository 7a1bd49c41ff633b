// Plots as inline SVG, drawn to the available width, so that their text keeps its size.

const SVG = "http://www.w3.org/2000/svg";
const LETTER = 6.5; // the average width of a letter
const FEW_BARS = 3; // so many have their numbers above them; else only the highest has
const HEAT = [1, 10, 25, 50]; // the numbers of answers a day at which a square gets darker

const HEAT_NAMES = ["0", ...HEAT.map((from, n) => (n + 1 < HEAT.length ? `${from}–${HEAT[n + 1] - 1}` : `${from}+`))];

function draw(tag, attributes, ...content) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...content);
  return element;
}

function plot(width, height, label, ...content) {
  return draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "plot" }, ...content);
}

const titled = (tag, attributes, title) => draw(tag, attributes, draw("title", {}, title));

// Bars, one for each of `counts`; `names` are their names, `marks` the labels below some of them. `scaled` ones have numbers beside them.
function barChart(width, counts, { label, names, marks, scaled = false }) {
  const [top, height] = [18, 110];
  const most = Math.max(1, ...counts);
  const left = scaled ? 30 : 0;
  const step = (width - left) / counts.length;
  const levels = scaled ? [0, 1, 2, 3, 4].map((n) => n * stepOf(most)).filter((level) => level <= most).map((level) => [level, top + height - (height * level) / most]) : [];
  const scale = levels.flatMap(([level, y]) => [draw("line", { x1: left, x2: width, y1: y, y2: y, class: "grid" }), text(left - 8, y + 4, amount(level), "end")]);
  const bars = counts.map((count, n) => {
    const size = count ? Math.max(2, (height * count) / most) : 1;
    const place = { x: left + n * step + 1, y: top + height - size, width: Math.max(1, step - 2), height: size };
    return titled("rect", { ...place, rx: 2, class: count ? "bar" : "bar none" }, `${names[n]}: ${count}`);
  });
  const few = counts.filter(Boolean).length <= FEW_BARS;
  const over = counts.flatMap((count, n) => (count && !scaled && (few || n === counts.indexOf(most)) ? [text(left + n * step + step / 2, top + height - (height * count) / most - 6, `${count}`, anchorAt(n, counts.length))] : []));
  const below = marks.map(([n, name]) => text(left + n * step + step / 2, top + height + 16, name, anchorAt(n, counts.length)));
  return plot(width, top + height + 22, label, ...scale, ...bars, ...over, ...below);
}

// The round number that goes up to `most` two to four times; at least 1.
function stepOf(most) {
  const power = 10 ** Math.floor(Math.log10(most / 2));
  return Math.max(1, power * [5, 2, 1].find((each) => 2 * each * power <= most));
}

// A line for what falls, with its first and last value; `marks` are the labels below some of the days.
function lineChart(width, shares, { label, marks }) {
  const [top, height] = [18, 110];
  const step = width / (shares.length - 1);
  const y = (share) => top + height * (1 - share);
  const line = shares.map((share, n) => `${n * step},${y(share).toFixed(1)}`).join(" ");
  const area = draw("polygon", { points: `0,${top + height} ${line} ${width},${top + height}`, class: "area" });
  const ends = [text(4, y(shares[0]) - 6, percent(shares[0])), text(width, y(shares.at(-1)) - 6, percent(shares.at(-1)), "end")];
  const below = marks.map(([n, name]) => text(n * step + (n ? 0 : 4), top + height + 16, name, anchorAt(n, shares.length)));
  return plot(width, top + height + 22, label, area, draw("polyline", { points: line, class: "line" }), ...ends, ...below);
}

const anchorAt = (n, count) => (n < count / 10 ? "start" : n >= count * 0.9 ? "end" : "middle");
const text = (x, y, content, anchor = "start") => draw("text", { x: anchor === "start" ? x - 4 : x, y, "text-anchor": anchor }, content);

// A square for each day up to `last`, a column for each week; `of` returns the answers on a day.
function heatMap(width, last, of, { label, nameOf }) {
  const size = between(12, Math.floor(width / 53), 18);
  const weekday = (last + 3) % 7; // from Monday; day 0 was a Thursday
  const weeks = Math.min(53, Math.floor(width / size));
  const first = last - weekday - 7 * (weeks - 1);
  const squares = [];
  const months = [];
  for (let day = first; day <= last; day += 1) {
    const [column, row] = [Math.floor((day - first) / 7), (day - first) % 7];
    const count = of(day);
    const place = { x: column * size, y: 18 + row * size, width: size - 3, height: size - 3, rx: 2 };
    squares.push(titled("rect", { ...place, class: `heat${HEAT.filter((from) => count >= from).length}` }, `${nameOf(day)}: ${count}`));
    const date = dateOf(day);
    if (date.getUTCDate() <= 7 && row === 0 && column < weeks - 2) months.push(draw("text", { x: column * size, y: 11 }, monthName(date)));
  }
  const [below, step] = [18 + 7 * size + 10, Math.min(76, width / 5)];
  const key = HEAT_NAMES.flatMap((name, level) => [
    draw("rect", { x: level * step, y: below, width: size - 3, height: size - 3, rx: 2, class: `heat${level}` }),
    draw("text", { x: level * step + size + 2, y: below + size / 2 + 2.5, class: "key" }, name),
  ]);
  return plot(width, below + size, label, ...months, ...squares, ...key);
}

const dateOf = (day) => new Date(day * 86_400_000);
const monthName = (date) => date.toLocaleDateString("en", { month: "short", timeZone: "UTC" });
const dayName = (day) => dateOf(day).toLocaleDateString("en-GB", { day: "numeric", month: "long", timeZone: "UTC" });

// A bar of full width for each of `rows`, [name, share, value], with its name and value above.
function shareChart(width, rows, label) {
  const height = 40;
  const drawn = rows.flatMap(([name, share, value], n) => [
    draw("text", { x: 0, y: n * height + 14, class: "name" }, draw("title", {}, name), fitting(name, width - LETTER * (value.length + 2))),
    text(width, n * height + 14, value, "end"),
    draw("rect", { x: 0, y: n * height + 20, width, height: 8, rx: 4, class: "rail" }),
    draw("rect", { x: 0, y: n * height + 20, width: width * share, height: 8, rx: 4, class: "bar" }),
  ]);
  return plot(width, rows.length * height, label, ...drawn);
}

function fitting(text, width) {
  const most = Math.max(1, Math.floor(width / LETTER));
  return text.length > most ? `${text.slice(0, most - 1)}\u2026` : text;
}

// A map of `topics`, each {name, size, said, share}: a tile for each, as large as its size and as square as can be. A `share` from 0 to 1
// gives it a colour between red and green.
function topicMap(list, width, topics) {
  const height = between(Math.min(220, 32 * topics.length), (topics.length * 15_000) / width, 3 * width);
  list.classList.add("map");
  list.style.height = `${height}px`;
  list.replaceChildren(...squarified(topics.toSorted((a, b) => b.size - a.size), [0, 0, width + 3, height + 3]).map(([{ name, said, share }, x, y, wide, high]) => {
    const title = make("span", "", name);
    title.dir = "auto";
    const tile = make("li", "", title, make("small", "", said));
    Object.assign(tile.style, { insetInlineStart: `${x}px`, top: `${y}px`, width: `${wide - 3}px`, height: `${high - 3}px` });
    tile.title = `${name}: ${said}`;
    if (share !== undefined) tile.style.setProperty("--share", `${100 * share}%`);
    return tile;
  }));
  return list;
}

// Rows along the shorter side, each with as many tiles as make the longest of them no longer.
function squarified(topics, [x, y, width, height]) {
  if (!topics.length) return [];
  const sum = (some) => some.reduce((all, { size }) => all + size, 0);
  const short = Math.min(width, height);
  const area = (width * height) / sum(topics); // of one unit of size
  const depth = (count) => (sum(topics.slice(0, count)) * area) / short;
  const longest = (count) => Math.max(...topics.slice(0, count).map(({ size }) => (size * area) / depth(count) ** 2).map((ratio) => Math.max(ratio, 1 / ratio)));
  let count = 1;
  while (count < topics.length && longest(count + 1) <= longest(count)) count += 1;
  let at = 0;
  const deep = depth(count);
  const row = topics.slice(0, count).map((topic) => {
    const length = (topic.size * area) / deep;
    const tile = width < height ? [topic, x + at, y, length, deep] : [topic, x, y + at, deep, length];
    at += length;
    return tile;
  });
  const rest = width < height ? [x, y + deep, width, height - deep] : [x + deep, y, width - deep, height];
  return [...row, ...squarified(topics.slice(count), rest)];
}
