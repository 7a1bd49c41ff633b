// Statistics of the notes that match the filters: upcoming reviews, past answers, and what is remembered.

const AHEAD = 30; // days of the forecast

function showStatistics() {
  if ($("statistics").hidden) return;
  const width = Math.floor($("plots").clientWidth);
  const cards = selectedCards();
  const started = cards.filter((card) => !isNew(card));
  $("figures").replaceChildren(...figures(cards, started).map(([name, value]) => make("div", "", make("dt", "", name), make("dd", "", ...[value].flat()))));
  $("plots").replaceChildren(
    section(say("forecast"), started.length && forecast(width, started), say("no_forecast")),
    section(say("fading"), started.length && fading(width, started), say("no_fading")),
    section(say("answers_a_day"), progress.days.size && answersADay(width), say("no_answers")),
    section(say("remembered_by_topic"), remembered(width, cards), say("no_remembered")),
  );
}

function section(title, chart, without) {
  return make("section", "", make("h2", "", title), chart || make("p", "", without));
}

function figures(cards, started) {
  const [asked, known] = sums(started);
  return [
    [say("started"), [amount(started.length), make("small", "", say("of", { part: "", all: amount(cards.length) }))]],
    [say("due"), amount(started.filter(isDue).length)],
    [say("answers_today"), amount(progress.days.get(today())?.[0] ?? 0)],
    [say("days_in_a_row"), amount(streak())],
    [say("remembered"), asked ? percent(known / asked) : "–"],
  ];
}

function sums(cards) {
  const entries = cards.map(entryOf);
  return ["asked", "known"].map((name) => entries.reduce((sum, entry) => sum + entry[name], 0));
}

// A day that is not over yet does not end a streak.
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
  const names = counts.map((_, n) => (n ? dayName(today() + n) : say("today")));
  const reviews = counts.map((count, n) => count && `${names[n]} ${count}`).filter(Boolean).join(", ");
  const label = say(reviews ? "forecast_label" : "forecast_none", { days: AHEAD, reviews });
  return barChart(width, counts, { label, names, marks: dayMarks() });
}

// What will still be remembered of these cards on each day if none of them is studied.
function fading(width, started) {
  const shares = Array.from({ length: AHEAD + 1 }, (_, n) => started.reduce((sum, card) => sum + memoryOf(card, today() + n), 0) / started.length);
  const label = say("fading_label", { now: percent(shares[0]), then: percent(shares.at(-1)), days: AHEAD });
  return lineChart(width, shares, { label, marks: dayMarks() });
}

const dayMarks = () => [[0, say("today")], [10, dayName(today() + 10)], [20, dayName(today() + 20)]];

function answersADay(width) {
  const of = (day) => progress.days.get(day)?.[0] ?? 0;
  const total = [...progress.days.values()].reduce((sum, [answers]) => sum + answers, 0);
  const label = say("answers_on_days", { answers: many(total, "answers"), days: many(progress.days.size, "days") });
  return heatMap(width, today(), of, { label, nameOf: dayName });
}

// A map of the topics, coloured by what was remembered.
function remembered(width, cards) {
  const topics = [...grouped(cards, (card) => card.note.deck)].map(([deck, some]) => {
    const [asked, known] = sums(some.filter((card) => !isNew(card)));
    const said = asked ? say("share_of", { share: percent(known / asked), reviews: many(asked, "reviews") }) : many(some.length, "cards");
    return { name: topicOf(deck), size: some.length, said, share: asked ? known / asked : undefined };
  });
  return topics.some(({ share }) => share !== undefined) && topicMap(make("ul"), width, topics);
}
