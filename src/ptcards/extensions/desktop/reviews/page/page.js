// The page of `ptcards reviews`: figures, the notes to fix, and plots.

const ROWS = 10; // notes added at a time
const MOST_LEECHES = 20;
const GOAL = 0.9; // what Anki aims at by default
const [SLOW, OFTEN] = [DATA.slow, 1 - DATA.often]; // the worst corner: answers take as long, and are known as seldom
const CORNER = { slow: say("seconds", { count: SLOW }), often: percent(OFTEN) };
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
  return make("li", "", question, ...(note.answer ? [answer] : []), make("div", "reason", make("b", "", ...withCode(why)), ...withCode(say("advice", { advice }))), make("div", "said", said.join(" \u00b7 ")), make("div", "place", place));
}

// Renders text in backticks as code, and leaves out the marks of bold words, links and formulas.
const withCode = (text) => text.split(/`([^`]+)`/).map((part, n) => (n % 2 ? make("code", "", part) : part.replace(MARKS, "$1$2$3").replace(COMMANDS, "$1")));
const MARKS = /\*\*(\S[^*]*)\*\*|!?\[([^\]]*)\]\([^()\s]*\)|\$\$?([^$\s](?:[^$]*[^$\s])?)\$\$?/g;
const COMMANDS = /\\(?:ce|pu|mathrm|text)\{([^{}]*)\}/g;

function drawPlots() {
  const width = Math.floor($("plots").clientWidth);
  if (!width) return; // while the window has no size, as a tab that opens in the background
  $("plots").replaceChildren(
    section(say("each_note"), scatter(width), say("no_topics"), say("each_note_about", { goal: percent(GOAL), ...CORNER })),
    section(say("by_topic"), topics(width), say("no_topics"), say("by_topic_about", { goal: percent(GOAL) })),
    ...(leeches().length ? [section(say("leeches"), leechChart(width))] : []),
    section(say("forecast", { count: DATA.forecast.length }), forecast(width), say("no_forecast")),
  );
}

function section(title, chart, without, about = "") {
  return make("section", "", make("h2", "", title), ...(chart && about ? [make("p", "about", about)] : []), chart || make("p", "", without));
}

// A dot for each note: to the right the seconds that an answer takes, upwards the share of those that were known.
function scatter(width) {
  const notes = DATA.notes.filter((note) => note.reviews);
  const [top, left, height] = [8, 42, 220];
  const most = Math.max(2 * SLOW, ...notes.map((note) => note.median_seconds));
  const x = (seconds) => left + ((width - left - 8) * seconds) / most;
  const y = (share) => top + height * (1 - share);
  const worst = notes.filter((note) => note.median_seconds >= SLOW && note.retention <= OFTEN);
  const corner = draw("rect", { x: x(SLOW), y: y(OFTEN), width: width - 8 - x(SLOW), height: top + height - y(OFTEN), class: "corner" });
  const dots = notes.map((note) => {
    const seconds = say("seconds", { count: Math.round(note.median_seconds) });
    const size = between(4, Math.sqrt(note.reviews), 9);
    return titled("circle", { cx: x(note.median_seconds), cy: y(note.retention), r: size, class: worst.includes(note) ? "worst" : "dot" }, `${note.question} \u00b7 ${percent(note.retention)} \u00b7 ${seconds}`);
  });
  const goal = draw("line", { x1: left, x2: width - 8, y1: y(GOAL), y2: y(GOAL), class: "goal-line" });
  const shares = [0, 0.5, GOAL, 1].map((share) => text(left - 6, y(share) + 4, percent(share), "end"));
  const seconds = [0, SLOW, most].map((each) => text(x(each), top + height + 18, say("seconds", { count: Math.round(each) }), each === most ? "end" : "middle"));
  const named = text(width - 14, y(OFTEN) - 6, many(worst.length, "worst"), "end"); // above the corner, which may be narrower
  return notes.length && plot(width, top + height + 24, say("each_note_label", { notes: amount(notes.length), worst: many(worst.length, "worst") }), corner, goal, ...dots, ...shares, ...seconds, named);
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
  const rows = found.map((note) => [note.question.replaceAll("`", ""), note.lapses / most, many(note.lapses, "lapses")]);
  return rows.length && shareChart(width, rows, say("leeches_label", { notes: found.map((note) => `${note.question} ${many(note.lapses, "lapses")}`).join(", ") }));
}

function forecast(width) {
  const names = DATA.forecast.map((_, day) => (day ? many(day, "in_days") : say("today")));
  const label = say("forecast_label", { days: DATA.forecast.map((count, day) => count && `${names[day]} ${count}`).filter(Boolean).join(", ") });
  const marks = [[0, names[0]], [10, names[10]], [20, names[20]]];
  return DATA.forecast.some(Boolean) && barChart(width, DATA.forecast, { label, names, marks });
}

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
$("fix-about").textContent = say("fix_about", { fewest: DATA.fewest, failing: percent(DATA.often), slow: CORNER.slow });
addRows();
drawPlots();
