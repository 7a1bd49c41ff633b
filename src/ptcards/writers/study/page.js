// What affects the complete page: views, night mode, print, progress as a file, keys.

function showView(name, { fromList = false } = {}) {
  state.fromList = fromList;
  $("notice").textContent = "";
  for (const view of ["study", "list", "statistics"]) {
    $(view).hidden = view !== name;
    setPressed($(`${view}-tab`), view === name);
  }
  showFilters(false);
  if (name === "list") {
    showList();
    returnToRow();
  }
  if (name === "study" && hasResult()) showCard(); // whose plot needs a width
  showStatus();
  showStatistics();
  hear();
}

// Night mode, print, progress

function showNight() {
  document.documentElement.toggleAttribute("data-night", isNight());
  setPressed($("night"), isNight());
  for (const meta of document.querySelectorAll("meta[name=theme-color]")) meta.content = getComputedStyle(document.documentElement).getPropertyValue("--panel");
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
  sheetRoot.replaceChildren(buildSheet(state.notes.toSorted((a, b) => a.index - b.index), [many(state.notes.length, "question"), DATA.license].filter(Boolean).join(" · ")));
}

function save(text, name) {
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = `${DATA.slug}-${name}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function saveProgress() {
  save(progress.text(), "progress");
  progress.noteSaved();
  showStatus();
}

// The file for the menu in which a phone shares files; some browsers share text, but no JSON.
function fileToShare() {
  if (!navigator.canShare) return undefined;
  const text = progress.text();
  const files = [["json", "application/json"], ["txt", "text/plain"]].map(([ending, type]) => new File([text], `${DATA.slug}-progress.${ending}`, { type }));
  return files.find((file) => navigator.canShare({ files: [file] }));
}

async function shareProgress() {
  try {
    await navigator.share({ files: [fileToShare()] });
  } catch {
    return; // the learner or the phone has changed their mind
  }
  progress.noteSaved();
  showStatus();
}

async function importProgress() {
  const [file] = $("import-file").files;
  if (!file) return;
  const isFirst = !progress.entries.size;
  try {
    const { taken, bad } = progress.merge(await file.text());
    const said = { cards: many(taken, "cards"), file: file.name, entries: many(bad, "entries"), yours: many(progress.entries.size, "cards") };
    if (taken || bad) $("progress-said").textContent = say(bad ? "taken_some" : "taken", said);
    else $("progress-said").textContent = say(progress.entries.size === 1 ? "taken_none_one" : "taken_none", said);
    if (isFirst) progress.noteSaved(); // in this file
    applyFilter();
  } catch (failure) {
    $("progress-said").textContent = failure.message;
  }
  $("import-file").value = "";
}

function resetProgress() {
  if (!confirm(say("forget"))) return;
  progress.clear();
  showUnread();
  applyFilter();
}

// Offers the records that could not be read as files.
function showUnread() {
  const buttons = progress.unreadRecords().map(([key, text]) => {
    const name = key.slice(progress.key.length + 1);
    const button = make("button", "", say("unread_save", { date: name.replace("unread-", "") }));
    button.type = "button";
    button.addEventListener("click", () => save(text, name));
    return button;
  });
  $("unread").hidden = !buttons.length;
  $("unread-files").replaceChildren(...buttons);
}

// Offers what can be done with the current card, and the notes that are not asked again.
function showSuspended() {
  const [card] = state.queue;
  $("suspend").hidden = !card || state.welcome || Boolean(state.exam) || $("study").hidden;
  $("suspend").textContent = say(card && !isAsked(card.note) ? "ask" : "suspend");
  const notes = NOTES.filter((note) => !isAsked(note));
  $("suspended").hidden = !notes.length;
  $("suspended-rows").replaceChildren(...notes.map((note) => {
    const question = make("span", "", inlineOf(questionHtml(note)));
    question.dir = "auto";
    const button = make("button", "", say("ask_again"));
    button.type = "button";
    button.addEventListener("click", () => {
      progress.suspend(note.guid, false);
      showSuspended();
      applyFilter();
    });
    return make("li", "", question, " ", button);
  }));
}

// Another tab has stored something.
function catchUp() {
  progress.catchUp();
  showStatus();
}

// The browser had not shown the progress at first.
async function recover() {
  if (!(await progress.recover())) return;
  if (state.past.length || state.exam || state.aside || state.only) return showStatus();
  applyFilter();
  openLinked();
}

// Filters and windows

function showFilters(open) {
  if (narrow.matches) scrollTo({ top: 0 });
  $("filters").classList.toggle("open", open);
  $("filters-button").setAttribute("aria-expanded", `${open}`);
  keepHistory();
}

function openFilters() {
  showFilters(true);
  if (finePointer.matches) $("search").focus();
}

function closeFilters() {
  showFilters(false);
  $("filters-button").focus();
}

function openMenu() {
  $("progress-said").textContent = "";
  showUnread();
  showSuspended();
  $("share").hidden = !fileToShare();
  $("fresh").value = settings.fresh;
  $("retention").value = Math.round(100 * settings.retention);
  $("menu").showModal();
  keepHistory();
}

function openKeys() {
  openMenu();
  $("keys-title").focus({ preventScroll: true });
  $("keys-title").scrollIntoView();
}

function openExam() {
  const size = $("exam-size");
  size.max = selectedCards().length;
  size.value = Math.min(size.value || EXAM_SIZE, size.max);
  $("exam").showModal();
  keepHistory();
  document.querySelector("#exam .primary").focus();
}

// The address may name a card, `#GUID`, or `#GUID/1` for a note's second card, or a deck.
function openLinked() {
  const wanted = decoded(location.hash.slice(1));
  if (wanted && NOTES.some((each) => each.deck === wanted)) return setFilter({ deck: wanted });
  const card = wanted && CARDS.find((each) => each.id === wanted || each.note.guid === wanted);
  if (wanted && !card) $("notice").textContent = say("link_unknown");
  if (!card || (card === state.queue[0] && !state.welcome)) return;
  showView("study");
  openCard(card);
}

function listenToSwitch(id, name, changed) {
  $(id).checked = settings[name];
  $(id).addEventListener("change", () => { settings[name] = $(id).checked; keepSettings(); changed(); });
}

const showKeys = () => document.documentElement.toggleAttribute("data-keys", settings.keys);

// With a release, a worker keeps the page for when there is no network. A copy on disk is complete without it.
function install() {
  if (!DATA.package || !location.protocol.startsWith("http")) return;
  const link = make("link");
  document.head.append(Object.assign(link, { rel: "manifest", href: "site.webmanifest" }));
  navigator.serviceWorker?.register("sw.js").catch(() => {}); // forbidden: the page needs the network
}

// The first stop of Tab passes the filters, which have a button for each topic.
function skipToCard() {
  if ($("study").hidden) showView("study");
  if (state.welcome) $("start").focus();
  else focusMain();
}

// After a click on a button, the keys belong to the card again.
function leaveButton(event) {
  const button = event.target.closest("button");
  if (!event.detail || !button || button !== document.activeElement || button.closest("dialog") || $("study").hidden) return;
  button.blur();
  focusMain();
}

function listen() {
  let waiting;
  $("search").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, 120);
  });
  const clicks = {
    "to-card": skipToCard,
    clear: clearFilters, "clear-here": () => { clearFilters(); next(); }, "study-tab": () => showView("study"), "list-tab": () => showView("list"), "statistics-tab": () => showView("statistics"), night: switchNight, more: openMenu,
    show: turn, start, skip, previous: back, "more-rows": addRows, export: saveProgress, "save-here": () => { saveProgress(); showCard(); }, share: shareProgress, reset: resetProgress,
    "exam-open": openExam, "exam-end": endExam, "show-matches": () => showFilters(false),
    "filters-button": () => ($("filters").classList.contains("open") ? showFilters(false) : openFilters()),
    import: () => $("import-file").click(),
    print: () => { $("menu").close(); print(); },
    suspend: () => { $("menu").close(); suspend(); },
    ahead: () => goOn({ ahead: true }), "more-new": () => goOn({ more: Math.max(newToday() - settings.fresh, 0) + moreNew() }), "study-missed": studyMissed, "exam-again": tryAgain, "exam-back": backToExam, "exam-forget": forgetExam, "exam-close": () => { leaveExam(); applyFilter(); },
  };
  for (const [id, action] of Object.entries(clicks)) $(id).addEventListener("click", () => action());
  for (const button of $("grades").querySelectorAll("button")) button.addEventListener("click", () => grade(button.dataset.grade));
  $("import-file").addEventListener("change", importProgress);
  listenToSwitch("keys", "keys", showKeys);
  listenToSwitch("at-once", "atOnce", () => {});
  $("fresh").addEventListener("change", () => {
    settings.fresh = between(0, Math.floor($("fresh").valueAsNumber || 0), 9999);
    keepSettings();
    applyFilter();
  });
  $("retention").addEventListener("change", () => {
    settings.retention = between(70, Math.round($("retention").valueAsNumber || 100 * DEFAULTS.retention), 97) / 100;
    $("retention").value = 100 * settings.retention;
    keepSettings();
    showActions();
  });
  $("exam-form").addEventListener("submit", (event) => {
    event.preventDefault();
    $("exam").close(); // first, since it gives the focus back to the button that opened it
    startExam($("exam-size").valueAsNumber, $("exam-minutes").valueAsNumber);
  });
  $("card").addEventListener("click", clickCard);
  listenToSwipes();
  listenToHistory();
  document.addEventListener("keydown", pressed);
  document.addEventListener("click", leaveButton);
  for (const window of document.querySelectorAll("dialog")) {
    window.addEventListener("close", () => $("study").hidden || focusMain());
    window.addEventListener("close", keepHistory);
  }
  document.addEventListener("pointerdown", () => (document.documentElement.dataset.pointer = ""));
  addEventListener("beforeprint", showSheet);
  addEventListener("afterprint", () => sheetRoot?.replaceChildren());
  addEventListener("hashchange", openLinked);
  addEventListener("resize", () => {
    keepHistory();
    showStatistics();
    if (hasResult()) showResult();
  });
  addEventListener("storage", (event) => event.key === progress.key && catchUp());
  phone.addEventListener("change", () => state.queue[0] && render(state.queue[0]));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showNight);
  new IntersectionObserver(([entry]) => entry.isIntersecting && addRows(), { rootMargin: "1000px" }).observe($("more-rows"));
}

OWN_SHEET.replaceSync(DATA.own);
showNight();
showKeys();
fillFilters();
listen();
restoreExam();
setFilter(keptFilter());
if (!progress.entries.size && NOTES.length && $("clear").hidden) showWelcome();
openLinked();
install();
recover();
if (finePointer.matches) answerBox()?.focus();
$("footer").append(many(CARDS.length, "cards"), ...(DATA.license ? [" · ", licence()] : []));
