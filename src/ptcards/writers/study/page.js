// The list, and what belongs to the whole page: night, paper, progress as a file, keys.

const ROWS = 200; // rows added at a time

function showList() {
  $("rows").replaceChildren();
  state.rows = 0;
  if (!$("list").hidden) addRows();
}

function addRows() {
  const more = state.notes.slice(state.rows, state.rows + ROWS);
  $("rows").append(...more.map(row));
  state.rows += more.length;
  $("more-rows").hidden = state.rows >= state.notes.length;
}

function row(note) {
  const question = make("span", "question", headingOf(note));
  const meta = make("span", "meta", topicOf(note.deck), note.difficulty && " · ", make("span", note.difficulty, note.difficulty));
  question.dir = meta.dir = "auto";
  const known = note.cards.map((card) => progress.entries.get(card.id)).filter(Boolean);
  const box = known.length ? `box ${Math.min(...known.map((entry) => entry.box))}` : "new";
  const button = make("button", "", question, meta, make("span", "box", known.some((entry) => entry.due <= today()) ? "due" : box));
  button.type = "button";
  button.addEventListener("click", () => {
    showView("study");
    openCard(note.cards[0]);
  });
  return make("li", "", button);
}

function showView(name) {
  for (const view of ["study", "list"]) {
    $(view).hidden = view !== name;
    setPressed($(`${view}-tab`), view === name);
  }
  if (name === "list") showList();
}

// Night, print, progress

function showNight() {
  document.documentElement.toggleAttribute("data-night", isNight());
  setPressed($("night"), isNight());
  for (const side of cardRoot.querySelectorAll(".card")) {
    for (const name of ["nightMode", "night_mode"]) side.classList.toggle(name, isNight());
  }
}

function switchNight() {
  settings.night = !isNight();
  keepSettings();
  showNight();
}

let sheetRoot;
function showSheet() {
  sheetRoot ??= shadowOf($("sheet"));
  sheetRoot.replaceChildren(buildSheet(state.notes, [many(state.notes.length, "note"), DATA.license].filter(Boolean).join(" · ")));
}

function exportProgress() {
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([progress.text()], { type: "application/json" }));
  link.download = `${DATA.slug}-progress.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function importProgress() {
  const [file] = $("import-file").files;
  if (!file) return;
  try {
    const taken = progress.merge(await file.text());
    $("progress-said").textContent = `${many(taken, "card")} taken from ${file.name}.`;
    applyFilter();
  } catch (failure) {
    $("progress-said").textContent = failure instanceof SyntaxError ? "This is not a file with progress." : failure.message;
  }
  $("import-file").value = "";
}

function resetProgress() {
  if (!confirm("Forget all progress of this deck in this browser? A saved file can be loaded again.")) return;
  progress.clear();
  applyFilter();
}

// Keys

const ACTIONS = {
  1: () => state.turned && grade("again"),
  2: () => state.turned && grade("good"),
  3: () => state.turned && grade("easy"),
  " ": () => (state.turned ? grade("good") : turn()),
  Enter: () => (state.turned ? grade("good") : turn()),
  ArrowLeft: back,
  ArrowRight: skip,
};
const EVERYWHERE = {
  "/": () => {
    showFilters(true);
    $("search").focus();
  },
  "?": () => openMenu(),
  l: () => showView($("list").hidden ? "list" : "study"),
  n: switchNight,
};

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || $("menu").open) return;
  const target = event.composedPath()[0];
  const typing = target.matches?.("input:not([type=checkbox]), select, textarea");
  if (target.id === "typeans" && event.key === "Enter") return act(event, turn);
  if (typing) return event.key === "Escape" ? target.blur() : undefined;
  const activates = event.key === " " || event.key === "Enter";
  if (target.matches?.(event.key === " " ? "[role=option], a.hint" : "a.hint") && activates) return act(event, () => target.click());
  if (activates && target.matches?.("button, a, summary, audio, video")) return undefined;
  if (!settings.keys) return undefined;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const studying = !$("study").hidden && state.queue.length;
  const letter = key.charCodeAt(0) - 97;
  if (studying && !state.turned && key.length === 1 && optionsOf(cardRoot)[letter]?.hasAttribute("role")) return act(event, () => pick(letter));
  if (studying && key === "f") return act(event, turn);
  if (studying && key === "t") return act(event, openHint);
  const action = EVERYWHERE[key] ?? ($("study").hidden ? undefined : key === "ArrowLeft" || studying ? ACTIONS[key] : undefined);
  return action && act(event, action);
}

function act(event, action) {
  event.preventDefault();
  action();
}

function showFilters(open) {
  $("filters").classList.toggle("open", open);
  $("filters-button").setAttribute("aria-expanded", `${open}`);
}

function openMenu() {
  $("progress-said").textContent = "";
  $("menu").showModal();
}

function listen() {
  let waiting;
  $("search").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      filter.words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
      applyFilter();
    }, 120);
  });
  const clicks = {
    clear: clearFilters, "study-tab": () => showView("study"), "list-tab": () => showView("list"), night: switchNight, more: openMenu,
    show: turn, skip, previous: back, "more-rows": addRows, export: exportProgress, reset: resetProgress,
    "filters-button": () => showFilters(!$("filters").classList.contains("open")),
    import: () => $("import-file").click(),
    print: () => { $("menu").close(); print(); },
    ahead: () => { state.ahead = true; fillQueue(); next(); },
  };
  for (const [id, action] of Object.entries(clicks)) $(id).addEventListener("click", () => action());
  for (const button of $("grades").querySelectorAll("button")) button.addEventListener("click", () => grade(button.dataset.grade));
  $("import-file").addEventListener("change", importProgress);
  $("keys").checked = settings.keys;
  $("keys").addEventListener("change", () => { settings.keys = $("keys").checked; keepSettings(); });
  $("card").addEventListener("click", clickCard);
  document.addEventListener("keydown", pressed);
  addEventListener("beforeprint", showSheet);
  addEventListener("afterprint", () => sheetRoot?.replaceChildren());
  addEventListener("storage", (event) => { if (event.key === progress.key) { progress.load(); showStatus(); } });
  narrow.addEventListener("change", () => state.queue[0] && render(state.queue[0]));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showNight);
  new IntersectionObserver(([entry]) => entry.isIntersecting && addRows()).observe($("more-rows"));
}

OWN_SHEET.replaceSync(DATA.own);
showNight();
fillFilters();
listen();
applyFilter();
$("footer").textContent = [many(NOTES.length, "note"), DATA.license].filter(Boolean).join(" · ");
