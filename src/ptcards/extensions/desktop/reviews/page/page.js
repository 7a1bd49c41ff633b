// The page of `ptcards reviews`: figures, the notes to fix, and plots.

const ROWS = 10; // notes shown at first, whose dots have their numbers
const GOAL = 0.9; // what Anki aims at by default
const SLOW = DATA.slow; // seconds
const FIX = DATA.notes.filter((note) => note.reason);
const SIDE = DATA.dir === "rtl" ? "rtl" : "ltr"; // where a row begins
const LIMITS = { fewest: DATA.fewest, failing: percent(DATA.often), slow: say("seconds", { count: SLOW }), goal: percent(GOAL) };

function figures() {
  const [reviewed, known] = [1, DATA.fewest].map((fewest) => DATA.notes.filter((note) => note.reviews >= fewest).length);
  return [
    [say("to_fix"), amount(FIX.length), say("of_known", { all: amount(known), fewest: DATA.fewest })],
    [say("true_retention"), DATA.retention === null ? say("none") : percent(DATA.retention), say("goal", { share: percent(GOAL) })],
    [say("all_reviews"), amount(DATA.reviews), many(DATA.packages, "packages")],
    [say("reviewed"), amount(reviewed), say("of_all", { all: amount(DATA.count) })],
  ];
}

function addRows() {
  const shown = $("fix").children.length;
  const rows = FIX.slice(shown, 2 * shown || ROWS).map((note) => make("li", "", ...row(note)));
  $("fix").append(...rows);
  shorten(...rows);
  $("more").hidden = $("fix").children.length >= FIX.length;
}

function row(note) {
  const [why, advice] = note.reason.split("; ");
  const said = [make("b", "", why)];
  if (!why.startsWith("fails")) said.push(say("kept", { share: percent(note.retention), reviews: many(note.reviews, "reviews") }));
  if (!why.startsWith("takes")) said.push(say("each", { seconds: seconds(note) }));
  if (note.leech && !why.includes("leech")) said.push(say("leech"));
  return [
    make("span", "rank", amount(FIX.indexOf(note) + 1)),
    written("question", note.question),
    ...(note.answer.text ? [written("answer", note.answer)] : []),
    make("p", "reason", ...said.flatMap((each, n) => (n ? [" \u00b7 ", each] : [each]))),
    make("p", "advice", ...withLink(advice), link(note)),
  ];
}

const link = (note) => Object.assign(make("a", "place", `${note.path}:${note.line}`), { href: note.open, title: say("open") });

// Advice, in which the place of another note is a link.
function withLink(advice = "") {
  const other = FIX.find((note) => advice.includes(` ${note.path}:${note.line}: `));
  if (!other) return withCode(advice);
  const [before, after] = advice.split(`${other.path}:${other.line}`);
  return [before, link(other), after];
}

const written = (name, { text, lang, dir }) => Object.assign(make("div", name, ...withCode(text)), { lang, dir, whole: text });
const withCode = (text) => text.split(/`([^`]+)`/).map((part, n) => (n % 2 ? make("code", "", part) : part));
const seconds = (note) => say("seconds", { count: Math.round(note.median_seconds) });

// Code, a letter of a script without blanks, a word, or blanks.
const PIECES = /`[^`]+`|[\u0e00-\u0eff\u3040-\u9fff]|[^\s`\u0e00-\u0eff\u3040-\u9fff]+|\s+|`/g;
const LOOSE_END = /[\s.,;:!?\u2026\u00b7\u060c\u061b\u061f\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f\u2066-\u2068\p{Pd}\p{Ps}]+$/u;

// Ends each answer that is longer than its lines after a word, where the browser would also put its dots after a full stop.
// All are measured at once: a layout for each of a thousand answers would take a minute.
function shorten(...rows) {
  const show = ({ answer, pieces }, count) => {
    const start = pieces.slice(0, count).join("").replace(LOOSE_END, "");
    const open = (start.match(/[\u2066-\u2068]/g) ?? []).length - (start.match(/\u2069/g) ?? []).length;
    answer.replaceChildren(...withCode(count < pieces.length ? `${start}${"\u2069".repeat(open)}\u2026` : answer.whole));
  };
  const fits = ({ answer }) => answer.scrollHeight <= answer.clientHeight + 1;
  const all = rows.flatMap((each) => [...each.querySelectorAll(".answer")]).map((answer) => ({ answer, pieces: answer.whole.match(PIECES) }));
  for (const each of all) show(each, each.pieces.length);
  const long = all.filter((each) => !fits(each)).map((each) => ({ ...each, low: 0, high: each.pieces.length }));
  while (long.some(({ low, high }) => high - low > 1)) {
    for (const each of long) show(each, (each.low + each.high) >> 1);
    for (const [n, fit] of long.map(fits).entries()) long[n][fit ? "low" : "high"] = (long[n].low + long[n].high) >> 1;
  }
  for (const each of long) show(each, each.low || each.pieces.length);
}

let [listWidth, drawnWidth] = [0, 0]; // also while the window has no size, as a tab that opens in the background

function fitToWindow() {
  if ($("fix").clientWidth !== listWidth) shorten($("fix"));
  listWidth = $("fix").clientWidth;
  drawPlots();
}

function drawPlots() {
  const width = Math.floor($("plots").clientWidth);
  if (width === drawnWidth) return; // a phone that scrolls only changes its height
  drawnWidth = width;
  $("plots").replaceChildren(
    ...(DATA.reviews ? [notesSection(scatter(width))] : []),
    section(say("by_topic"), topics(), say("no_topics"), say("by_topic_about", LIMITS)),
    section(say("forecast", { count: DATA.forecast.length }), forecast(width), say("no_forecast"), say("forecast_about", { due: many(DATA.forecast.reduce((all, count) => all + count, 0), "reviews"), most: amount(Math.max(...DATA.forecast)) })),
  );
}

function section(title, chart, without, about = "") {
  return make("section", "", make("h2", "", title), ...(chart && about ? [make("p", "about", about)] : []), chart || make("p", "", without));
}

// The plot of notes, with what is true of the marks in it.
function notesSection(chart) {
  const has = (mark) => chart.querySelector(mark);
  const about = [has(".dot") && say("dots_about"), has(".bar") && say("squares_about"), has(".bar:not([fill-opacity='1'])") && say("bluer"), has(".few") && say("few_about", LIMITS), say("goals_about", LIMITS)];
  return section(say("each_note"), chart, "", about.filter(Boolean).join(" "));
}

const [CELL, NEAR, APART] = [13, 24, 20]; // pixels: the size of a square, how far from a dot the pointer picks it, and between those with numbers

// To the right the seconds that an answer takes, downwards the share of those that failed: squares that are darker the more notes they have,
// hollow ones for notes with too few reviews, and a dot for each note to fix.
function scatter(width) {
  const notes = DATA.notes.filter((note) => note.reviews);
  const [top, left, height] = [CELL, 40, 20 * CELL]; // with as much room below the lowest line as above the highest
  const bottom = top + height + CELL;
  const times = notes.map((note) => Math.max(0.5, note.median_seconds));
  const [least, most] = [Math.min(2, ...times), Math.max(2 * SLOW, ...times)];
  const lowest = Math.floor(10 * Math.min(0.5, ...notes.map((note) => note.retention))) / 10;
  // The logarithm and the power give the many notes near the best corner more room.
  const x = (time) => left + ((width - left - 12) * Math.log(Math.max(time, least) / least)) / Math.log(most / least);
  const y = (share) => top + height * ((1 - share) / (1 - lowest)) ** 0.65;
  const shares = [...[1, GOAL, 0.75, 0.5, 0.25].filter((share) => share > lowest + 0.05), lowest];
  const marks = [1, 2, 5, 10, SLOW, 60, 120, 300].filter((time) => time >= least && time <= most);
  const line = (name) => (place) => draw("line", { x1: left, x2: width, y1: top, y2: bottom, ...place, class: name });
  const across = (share) => ({ y1: y(share), y2: y(share) });
  const down = (time) => ({ x1: x(time), x2: x(time) });
  const lines = [...shares.map(across), ...marks.map(down)].map(line("grid"));
  const goals = [across(GOAL), down(SLOW)].map(line("goal-line"));
  const labels = [
    ...shares.map((share) => text(left - 8, y(share) + 4, percent(share), "end")),
    ...marks.map((time) => text(x(time), bottom + 20, say("seconds", { count: time }), "middle")),
  ];
  const squares = (name, some) => {
    const cells = Object.groupBy(some, (note) => `${Math.floor((x(note.median_seconds) - left) / CELL)} ${Math.round((y(note.retention) - top) / CELL)}`);
    const fullest = Math.max(...Object.values(cells).map((inside) => inside.length));
    return Object.entries(cells).map(([cell, { length }]) => {
      const [column, rank] = cell.split(" ");
      const place = { x: left + column * CELL, y: top + (rank - 0.5) * CELL, width: CELL - 1, height: CELL - 1, rx: 2 };
      return titled("rect", { ...place, class: name, "fill-opacity": 0.15 + 0.85 * Math.sqrt(length / fullest) }, many(length, "notes"));
    });
  };
  const rest = notes.filter((note) => !note.reason);
  const isKnown = (note) => note.reviews >= DATA.fewest;
  const drawn = [...squares("few", rest.filter((note) => !isKnown(note))), ...squares("bar", rest.filter(isKnown))];
  const label = say("each_note_label", { notes: amount(notes.length), fix: amount(FIX.length) });
  return withDots(plot(width, bottom + 26, label, ...lines, ...drawn, ...goals, ...labels), (note) => [x(note.median_seconds), y(note.retention)]);
}

// The plot with a link for each note to fix. Tab reaches one of them, the arrow keys the others.
function withDots(chart, placeOf) {
  const picked = Object.assign(make("div", "picked"), { dir: SIDE });
  const figure = Object.assign(make("div", "scatter", chart), { role: "group", ariaLabel: say("dots_label") });
  const places = apart(FIX.map(placeOf), chart.width.baseVal.value - NEAR / 2, chart.height.baseVal.value - 26 - APART / 2);
  const dots = FIX.map((note, n) => {
    const [[x, y], number] = [places[n], amount(n + 1)];
    const dot = Object.assign(make("a", "dot", n < ROWS ? number : ""), { href: note.open, tabIndex: n ? -1 : 0 });
    dot.setAttribute("aria-label", [number, note.question.text.replace(/`/g, ""), percent(note.retention), seconds(note)].join(" \u00b7 "));
    Object.assign(dot.style, { left: `${x}px`, top: `${y}px`, zIndex: n < ROWS ? 2 * ROWS - n : 1 });
    return { dot, note, x, y };
  });
  let [now, touched] = [null, false];
  const pick = (found) => {
    if (found === now) return;
    now?.dot.classList.remove("now");
    now = found;
    picked.hidden = !now;
    if (!now) return;
    now.dot.classList.add("now");
    picked.replaceChildren(...row(now.note));
    shorten(picked);
    const isLow = now.y > chart.height.baseVal.value / 2;
    Object.assign(picked.style, { top: isLow ? "auto" : `${now.y + 16}px`, bottom: isLow ? `${chart.height.baseVal.value - now.y + 16}px` : "auto" });
  };
  const nearest = (event) => {
    const { left, top } = figure.getBoundingClientRect();
    const far = ({ x, y }) => Math.hypot(x - event.clientX + left, y - event.clientY + top);
    const found = dots.reduce((best, each) => (!best || far(each) < far(best) ? each : best), null);
    return found && far(found) < NEAR ? found : null;
  };
  figure.addEventListener("pointermove", (event) => event.pointerType === "mouse" && !picked.contains(event.target) && pick(nearest(event)));
  figure.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && pick(null));
  figure.addEventListener("pointerdown", (event) => {
    touched = event.pointerType !== "mouse";
    if (touched && !picked.contains(event.target)) pick(nearest(event));
  });
  figure.addEventListener("click", (event) => touched && !picked.contains(event.target) && event.preventDefault()); // a finger first sees the note
  figure.addEventListener("focusin", (event) => pick(dots.find(({ dot }) => dot === event.target) ?? now));
  figure.addEventListener("focusout", (event) => figure.contains(event.relatedTarget) || pick(null));
  figure.addEventListener("keydown", (event) => {
    const from = dots.findIndex(({ dot }) => dot === event.target);
    const to = { ArrowRight: from + 1, ArrowDown: from + 1, ArrowLeft: from - 1, ArrowUp: from - 1, Home: 0, End: dots.length - 1, Escape: null }[event.key];
    if (to === null) pick(null);
    if (from < 0 || !dots[to]) return;
    event.preventDefault();
    dots[from].dot.tabIndex = -1;
    dots[to].dot.tabIndex = 0;
    dots[to].dot.focus();
  });
  picked.hidden = true;
  figure.append(...dots.map(({ dot }) => dot), picked);
  return figure;
}

// The places of dots, of which none of the first covers another, nor lies beyond `right` or `bottom`.
function apart(places, right, bottom) {
  const first = [];
  for (const [x, y] of places.slice(0, ROWS)) {
    const around = Array.from({ length: 2000 }, (_, n) => [x + 2 * Math.sqrt(n) * Math.cos(2.4 * n), y + 2 * Math.sqrt(n) * Math.sin(2.4 * n)]);
    const isFree = ([left, top]) => left <= right && top <= bottom && first.every((other) => Math.hypot(left - other[0], top - other[1]) >= APART);
    first.push(around.find(isFree) ?? [x, y]);
  }
  return [...first, ...places.slice(ROWS)];
}

// The topic with the lowest retention comes first, with a bar from the goal to it. The level that all decks share is left out.
function topics() {
  const decks = DATA.decks.filter((deck) => deck.reviews).sort((a, b) => a.retention - b.retention);
  const root = `${DATA.decks[0]?.deck.split("::")[0]}::`;
  const shared = DATA.decks.every(({ deck }) => deck.startsWith(root)) ? root.length : 0;
  const lowest = Math.floor(10 * Math.min(0.8, ...decks.map((deck) => deck.retention))) / 10;
  const at = (share) => `${(100 * (share - lowest)) / (1 - lowest)}%`;
  const list = make("ul", "topics");
  list.append(...decks.map(({ deck, retention, reviews }) => {
    const name = Object.assign(make("span", "name", deck.slice(shared).replaceAll("::", " \u203a ")), { lang: DATA.language, dir: DATA.dir });
    const toFix = FIX.filter((note) => note.deck === deck).length;
    const bar = make("span", "bar");
    bar.classList.toggle("below", retention < GOAL);
    Object.assign(bar.style, { left: at(Math.min(retention, GOAL)), right: `calc(100% - ${at(Math.max(retention, GOAL))})` });
    const goal = make("span", "goal");
    goal.style.left = at(GOAL);
    return make("li", "", name, make("span", "share", say("share_of", { share: `${(100 * retention).toFixed(1)}%`, reviews: many(reviews, "reviews") }), ...(toFix ? [make("b", "", say("some_to_fix", { count: amount(toFix) }))] : [])), make("span", "rail", bar, goal));
  }));
  const scale = make("li", "scale", make("span", "rail", ...[lowest, GOAL, ...(lowest < 0.5 ? [] : [1])].map((share) => {
    const mark = make("span", "", percent(share));
    mark.style.left = at(share);
    return mark;
  })));
  scale.ariaHidden = "true";
  list.append(scale);
  return decks.length && list;
}

function forecast(width) {
  const names = DATA.forecast.map((_, day) => (day ? many(day, "in_days") : say("today")));
  const label = say("forecast_label", { days: DATA.forecast.map((count, day) => count && `${names[day]} ${count}`).filter(Boolean).join(", ") });
  const marks = [0, 10, 20, names.length - 1].map((day) => [day, names[day]]);
  return DATA.forecast.some(Boolean) && barChart(width, DATA.forecast, { label, names, marks, scaled: true });
}

function showNight(night = isNight()) {
  document.documentElement.toggleAttribute("data-night", night);
  setPressed($("night"), night);
}

$("night").addEventListener("click", () => {
  settings.night = !isNight();
  keepSettings();
  showNight();
});
$("more").addEventListener("click", addRows);
addEventListener("resize", fitToWindow);
addEventListener("beforeprint", () => showNight(false)); // paper is white
addEventListener("afterprint", () => showNight());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => showNight());
showNight();
$("figures").replaceChildren(...figures().map(([name, value, about]) => make("div", "", make("dt", "", name), make("dd", "", value, make("small", "", about)))));
const leeches = FIX.filter((note) => note.leech).length;
$("fix-none").hidden = FIX.length > 0;
$("fix-about").hidden = !FIX.length;
$("fix-about").textContent = [say("fix_about", LIMITS), leeches && many(leeches, "leeches")].filter(Boolean).join(" ");
$("fix").dir = SIDE;
addRows();
fitToWindow();
