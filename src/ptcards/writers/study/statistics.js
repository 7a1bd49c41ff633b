// Statistics of what the filters leave: what is to come, what was done, what is remembered.

const AHEAD = 30; // days of the forecast

function showStatistics() {
  if ($("statistics").hidden) return;
  const width = Math.floor($("plots").clientWidth);
  const cards = selectedCards();
  const started = cards.filter((card) => !isNew(card));
  $("figures").replaceChildren(...figures(cards, started).map(([name, value]) => make("div", "", make("dt", "", name), make("dd", "", value))));
  $("plots").replaceChildren(
    section("Reviews to come", started.length && forecast(width, started), "Study some cards, and this shows when they come back."),
    section("Answers a day", progress.days.size && answersADay(width), "Each day that you study gets a square here."),
    section("Remembered, by topic", remembered(width, started), "This shows how many reviews you knew, once cards have come back."),
  );
}

function section(title, chart, without) {
  return make("section", "", make("h2", "", title), chart || make("p", "", without));
}

function figures(cards, started) {
  const [asked, known] = sums(started);
  return [
    ["Started", `${amount(started.length)} of ${amount(cards.length)}`],
    ["Due", amount(started.filter(isDue).length)],
    ["Answers today", amount(progress.days.get(today())?.[0] ?? 0)],
    ["Days in a row", amount(streak())],
    ["Remembered", asked ? percent(known / asked) : "–"],
  ];
}

function sums(cards) {
  const entries = cards.map(entryOf);
  return ["asked", "known"].map((name) => entries.reduce((sum, entry) => sum + entry[name], 0));
}

// A day that is not over yet breaks no row.
function streak() {
  let day = progress.days.has(today()) ? today() : today() - 1;
  let length = 0;
  for (; progress.days.has(day); day -= 1) length += 1;
  return length;
}

function forecast(width, started) {
  const counts = Array.from({ length: AHEAD }, () => 0);
  for (const card of started) {
    const days = Math.max(0, entryOf(card).due - today());
    if (days < AHEAD) counts[days] += 1;
  }
  const names = counts.map((_, n) => (n ? dayName(today() + n) : "today"));
  const label = `Reviews due in ${AHEAD} days: ${counts.map((count, n) => count && `${names[n]} ${count}`).filter(Boolean).join(", ") || "none"}`;
  return barChart(width, counts, { label, names, marks: [[0, "today"], [10, dayName(today() + 10)], [20, dayName(today() + 20)]] });
}

function answersADay(width) {
  const of = (day) => progress.days.get(day)?.[0] ?? 0;
  const total = [...progress.days.values()].reduce((sum, [answers]) => sum + answers, 0);
  const label = `${many(total, "answer")} on ${many(progress.days.size, "day")}`;
  return heatMap(width, today(), of, { label, nameOf: dayName });
}

function remembered(width, started) {
  const topics = [...grouped(started)];
  const rows = topics
    .map(([deck, cards]) => [topicOf(deck), ...sums(cards)])
    .filter(([, asked]) => asked)
    .map(([name, asked, known]) => [name, known / asked, `${percent(known / asked)} of ${many(asked, "review")}`]);
  const label = `Remembered: ${rows.map(([name, share]) => `${name} ${percent(share)}`).join(", ")}`;
  return rows.length && shareChart(width, rows, label);
}
