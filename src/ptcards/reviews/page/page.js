// The page of `ptcards reviews`: figures, the notes to fix, and plots of what they are part of.

const REPORT = JSON.parse($("data").textContent);
const ROWS = 10; // notes added at a time
const MOST_LEECHES = 20;
const many = (count, noun) => `${amount(count)} ${noun}${count === 1 ? "" : "s"}`;
const FIX = REPORT.notes.filter((note) => note.reason);

function figures() {
  const reviewed = REPORT.notes.filter((note) => note.reviews).length;
  return [
    ["True retention", REPORT.retention === null ? "\u2013" : percent(REPORT.retention)],
    ["Reviews", amount(REPORT.reviews)],
    ["Reviewed", `${amount(reviewed)} of ${amount(REPORT.count)}`],
    ["Notes to fix", amount(FIX.length)],
    ["Leeches", amount(leeches().length)],
  ];
}

const leeches = () => REPORT.notes.filter((note) => note.leech).sort((a, b) => b.lapses - a.lapses);

function addRows() {
  const shown = $("fix").children.length;
  $("fix").append(...FIX.slice(shown, shown + ROWS).map(row));
  $("more").hidden = $("fix").children.length >= FIX.length;
}

function row(note) {
  const [why, advice] = note.reason.split("; ");
  const question = make("div", "question", ...withCode(note.question));
  question.dir = "auto";
  const said = [`retention ${percent(note.retention)}`, many(note.reviews, "review"), many(note.lapses, "lapse"), `${Math.round(note.median_seconds)} s`];
  if (note.fsrs_difficulty !== null) said.push(`difficulty ${percent(note.fsrs_difficulty)}`);
  if (note.leech) said.push("leech");
  return make("li", "", question, make("div", "reason", make("b", "", why), `: ${advice}`), make("div", "said", said.join(" \u00b7 ")), make("div", "place", `${note.path}:${note.line}`));
}

// What stands between backticks, as code.
const withCode = (text) => text.split(/`([^`]+)`/).map((part, n) => (n % 2 ? make("code", "", part) : part));

function drawPlots() {
  const width = Math.floor($("plots").clientWidth);
  $("plots").replaceChildren(
    section("Retention by topic", topics(width), "This shows how many reviews of each topic were remembered, once there are some."),
    section("Leeches", leechChart(width), "Anki has tagged no note as a leech."),
    section(`Reviews in the next ${REPORT.forecast.length} days`, forecast(width), "No card is scheduled in these days."),
  );
}

function section(title, chart, without) {
  return make("section", "", make("h2", "", title), chart || make("p", "", without));
}

// The topic that is remembered least on top; the level that all decks share says nothing.
function topics(width) {
  const decks = REPORT.decks.filter((deck) => deck.reviews).sort((a, b) => a.retention - b.retention);
  const root = `${REPORT.decks[0]?.deck.split("::")[0]}::`;
  const shared = REPORT.decks.every(({ deck }) => deck.startsWith(root)) ? root.length : 0;
  const rows = decks.map(({ deck, retention, reviews }) => [deck.slice(shared).replaceAll("::", " \u203a "), retention, `${percent(retention)} of ${many(reviews, "review")}`]);
  return rows.length && shareChart(width, rows, `Retention: ${rows.map(([name, share]) => `${name} ${percent(share)}`).join(", ")}`);
}

function leechChart(width) {
  const found = leeches().slice(0, MOST_LEECHES);
  const most = Math.max(1, ...found.map((note) => note.lapses));
  const rows = found.map((note) => [note.question.replaceAll("`", ""), note.lapses / most, many(note.lapses, "lapse")]);
  return rows.length && shareChart(width, rows, `Leeches: ${found.map((note) => `${note.question} ${many(note.lapses, "lapse")}`).join(", ")}`);
}

function forecast(width) {
  const names = REPORT.forecast.map((_, day) => (day ? `in ${many(day, "day")}` : "today"));
  const label = `Reviews to come: ${REPORT.forecast.map((count, day) => count && `${names[day]} ${count}`).filter(Boolean).join(", ")}`;
  const marks = [[0, "today"], [10, names[10]], [20, names[20]]];
  return REPORT.forecast.some(Boolean) && barChart(width, REPORT.forecast, { label, names, marks });
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
$("figures").replaceChildren(...figures().map(([name, value]) => make("div", "", make("dt", "", name), make("dd", "", value))));
$("fix-none").hidden = FIX.length > 0;
addRows();
drawPlots();
