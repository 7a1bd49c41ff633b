// The page of `ptcards reviews`: figures, the notes to fix, and plots.

const ROWS = 10; // notes added at a time
const [MOST_LEECHES, MOST_NAMES] = [20, 6];
const GOAL = 0.9; // what Anki aims at by default
const SLOW = DATA.slow; // seconds
const LIMITS = { fewest: DATA.fewest, failing: percent(DATA.often), slow: say("seconds", { count: SLOW }), goal: percent(GOAL) };
const FIX = DATA.notes.filter((note) => note.reason);

function figures() {
  const reviewed = DATA.notes.filter((note) => note.reviews).length;
  return [
    [say("true_retention"), DATA.retention === null ? say("none") : percent(DATA.retention), say("goal", { share: percent(GOAL) })],
    [say("all_reviews"), amount(DATA.reviews), many(DATA.packages, "packages")],
    [say("reviewed"), amount(reviewed), say("of_all", { all: amount(DATA.count) })],
    [say("to_fix"), amount(FIX.length), say("of_known", { all: amount(DATA.notes.filter((note) => note.reviews >= DATA.fewest).length), fewest: DATA.fewest })],
    [say("leeches"), amount(leeches().length), say("leeches_mean")],
  ];
}

const leeches = () => DATA.notes.filter((note) => note.leech).sort((a, b) => b.lapses - a.lapses);

function addRows() {
  const shown = $("fix").children.length;
  $("fix").append(...FIX.slice(shown, shown + ROWS).map(row));
  $("more").hidden = $("fix").children.length >= FIX.length;
}

function row(note) {
  const [why, advice] = note.reason.split("; ");
  const question = make("div", "question", ...withCode(note.question));
  question.dir = "auto";
  const said = [say("retention", { share: percent(note.retention) }), many(note.reviews, "reviews"), many(note.lapses, "lapses"), say("seconds", { count: Math.round(note.median_seconds) })];
  if (note.fsrs_difficulty !== null) said.push(say("difficulty", { share: percent(note.fsrs_difficulty) }));
  if (note.leech) said.push(say("leech"));
  const place = Object.assign(make("a", "", `${note.path}:${note.line}`), { href: note.open, title: say("open") });
  const answer = make("div", "said", ...withCode(note.answer));
  answer.dir = "auto";
  const about = [make("div", "reason", make("b", "", ...withCode(why)), ...withCode(say("advice", { advice }))), make("div", "said", said.join(" \u00b7 ")), make("div", "place", place)];
  return make("li", "", question, ...(note.answer ? [answer] : []), ...about);
}

// Renders text in backticks as code, and leaves out the marks of bold words and links.
const withCode = (text) => text.split(/`([^`]+)`/).map((part, n) => (n % 2 ? make("code", "", part) : unmarked(part)));
const unmarked = (text) => text.replace(MARKS, "$1$2$3");
const plain = (text) => unmarked(text.replaceAll("`", ""));
const MARKS = /\*\*(\S[^*]*)\*\*|(?<![\w*])\*(\S[^*]*)\*(?![\w*])|!?\[([^\]]*)\]\([^()\s]*\)/g;

function drawPlots() {
  const width = Math.floor($("plots").clientWidth);
  if (!width) return; // while the window has no size, as a tab that opens in the background
  $("plots").replaceChildren(
    section(say("each_note"), scatter(width), say("no_topics"), say("each_note_about", LIMITS)),
    section(say("by_topic"), topics(width), say("no_topics"), say("by_topic_about", LIMITS)),
    ...(leeches().length ? [section(say("leeches"), leechChart(width))] : []),
    section(say("forecast", { count: DATA.forecast.length }), forecast(width), say("no_forecast"), say("forecast_about", { due: many(sum(DATA.forecast), "reviews"), most: amount(Math.max(...DATA.forecast)) })),
  );
}

function section(title, chart, without, about = "") {
  return make("section", "", make("h2", "", title), ...(chart && about ? [make("p", "about", about)] : []), chart || make("p", "", without));
}

// A dot for each note: to the right the seconds that an answer takes, upwards the share of those that were known. The first of those to fix have names.
function scatter(width) {
  const notes = DATA.notes.filter((note) => note.reviews);
  const [top, left, height] = [10, 42, 220];
  const most = Math.max(1.2 * SLOW, ...notes.map((note) => 1.1 * note.median_seconds));
  const least = Math.floor(10 * Math.min(0.7, ...notes.map((note) => note.retention - 0.05))) / 10;
  const x = (note) => left + ((width - left - 8) * note.median_seconds) / most;
  const y = (share) => top + (height * (1 - share)) / (1 - Math.max(0, least));
  const slow = x({ median_seconds: SLOW });
  const lines = [[left, width - 8, y(GOAL), y(GOAL)], [slow, slow, top, top + height]].map(([x1, x2, y1, y2]) => draw("line", { x1, x2, y1, y2, class: "goal-line" }));
  const dots = notes.toReversed().map((note) => {
    const seconds = say("seconds", { count: Math.round(note.median_seconds) });
    const size = between(4, Math.sqrt(note.reviews), 9);
    const kind = note.reason ? "worst" : note.retention < GOAL ? "below" : "good";
    return titled("circle", { cx: x(note), cy: y(note.retention), r: size, class: `dot ${kind}` }, `${plain(note.question)} \u00b7 ${percent(note.retention)} \u00b7 ${seconds}`);
  });
  const shares = [Math.max(0, least), GOAL, 1].map((share) => text(left - 6, y(share) + 4, percent(share), "end"));
  const seconds = [0, SLOW, most].map((each) => text(x({ median_seconds: each }), top + height + 18, say("seconds", { count: Math.round(each) }), each === most ? "end" : "middle"));
  return notes.length && plot(width, top + height + 24, say("each_note_label", { notes: amount(notes.length), fix: amount(FIX.length) }), ...lines, ...dots, ...shares, ...seconds, ...names(width, notes, x, (note) => y(note.retention)));
}

// The names of notes to fix, beside their dots on the side with more room, as long as they cover neither a dot nor another name.
function names(width, notes, x, y) {
  const taken = notes.map((each) => [x(each) - 6, x(each) + 6, y(each)]);
  const placed = [];
  for (const note of FIX.filter((each) => each.reviews)) {
    const beside = taken.filter(([, , line]) => Math.abs(line - y(note)) < 14);
    const before = x(note) - Math.max(32, ...beside.map(([, end]) => end).filter((end) => end < x(note)));
    const after = Math.min(width, ...beside.map(([start]) => start).filter((start) => start > x(note))) - x(note);
    const room = Math.min(230, Math.max(before, after) - 18);
    if (room < 80) continue;
    const name = fitting(plain(note.question), room);
    const [side, anchor] = before > after ? [-1, "end"] : [1, "start"];
    const ends = [x(note) + 12 * side, x(note) + (12 + name.length * LETTER) * side];
    taken.push([Math.min(...ends), Math.max(...ends), y(note)]);
    placed.push(draw("text", { x: ends[0], y: y(note) + 4, "text-anchor": anchor, class: "dot-name" }, `\u2068${name}\u2069`));
    if (placed.length === MOST_NAMES) break;
  }
  return placed;
}

// The topic with the lowest retention comes first. The level that all decks share is left out.
function topics(width) {
  const decks = DATA.decks.filter((deck) => deck.reviews).sort((a, b) => a.retention - b.retention);
  const root = `${DATA.decks[0]?.deck.split("::")[0]}::`;
  const shared = DATA.decks.every(({ deck }) => deck.startsWith(root)) ? root.length : 0;
  const rows = decks.map(({ deck, retention, reviews }) => [deck.slice(shared).replaceAll("::", " \u203a "), retention, say("share_of", { share: percent(retention), reviews: many(reviews, "reviews") })]);
  return rows.length && shareChart(width, rows, say("by_topic_label", { topics: rows.map(([name, share]) => `${name} ${percent(share)}`).join(", ") }), GOAL);
}

function leechChart(width) {
  const found = leeches().slice(0, MOST_LEECHES);
  const most = Math.max(1, ...found.map((note) => note.lapses));
  const rows = found.map((note) => [plain(note.question), note.lapses / most, many(note.lapses, "lapses")]);
  return rows.length && shareChart(width, rows, say("leeches_label", { notes: found.map((note) => `${note.question} ${many(note.lapses, "lapses")}`).join(", ") }));
}

function forecast(width) {
  const names = DATA.forecast.map((_, day) => (day ? many(day, "in_days") : say("today")));
  const label = say("forecast_label", { days: DATA.forecast.map((count, day) => count && `${names[day]} ${count}`).filter(Boolean).join(", ") });
  const marks = [[0, names[0]], [10, names[10]], [20, names[20]]];
  return DATA.forecast.some(Boolean) && barChart(width, DATA.forecast, { label, names, marks, scaled: true });
}

const sum = (counts) => counts.reduce((all, count) => all + count, 0);

function showNight() {
  document.documentElement.toggleAttribute("data-night", isNight());
  setPressed($("night"), isNight());
}

$("night").addEventListener("click", () => {
  settings.night = !isNight();
  keepSettings();
  showNight();
});
$("more").addEventListener("click", addRows);
addEventListener("resize", drawPlots);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showNight);
showNight();
$("figures").replaceChildren(...figures().map(([name, value, about]) => make("div", "", make("dt", "", name), make("dd", "", value, make("small", "", about)))));
$("fix-none").hidden = FIX.length > 0;
$("fix-about").hidden = !FIX.length;
$("fix-about").textContent = say("fix_about", LIMITS);
addRows();
drawPlots();
