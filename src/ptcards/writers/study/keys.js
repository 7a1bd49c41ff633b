// What the keys do.

const ACTIONS = {
  1: () => state.turned && grade("again"),
  2: () => state.turned && grade(state.exam ? "good" : "hard"),
  3: () => state.turned && grade("good"),
  4: () => state.turned && grade(state.exam ? "good" : "easy"),
  " ": () => (state.turned ? grade(state.suggested) : turnOrType()),
  Enter: () => (state.turned ? grade(state.suggested) : turn()),
  ArrowLeft: back,
  z: back,
  ArrowRight: skip,
  "!": suspend,
};
const LIST_STEPS = { ArrowDown: 1, ArrowUp: -1 };
const EVERYWHERE = {
  "/": () => {
    if (examRuns()) return;
    showFilters(true);
    $("search").focus();
  },
  "?": openKeys,
  x: () => !examRuns() && ($("exam-open").hidden ? backToExam() : openExam()),
  l: () => showView($("list").hidden ? "list" : "study"),
  s: () => showView($("statistics").hidden ? "statistics" : "study"),
  n: switchNight,
  Escape: () => $("study").hidden && showView("study"),
};

function pressed(event) {
  delete document.documentElement.dataset.pointer;
  if (isUndo(event)) return act(event, back);
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const target = event.composedPath()[0];
  const typing = target.matches?.("input:not([type=checkbox]), select, textarea");
  const open = $("filters-button").getAttribute("aria-expanded") === "true" && narrow.matches;
  if (open && event.key === "Escape" && !(target === $("search") && target.value)) return act(event, closeFilters);
  if (target === answerBox()) {
    if (event.key === "Enter") return act(event, turn);
    if (event.key === "Escape") return target.blur();
    // No answer begins with a space.
    if (target.value || ![" ", "ArrowLeft", "ArrowRight"].includes(event.key)) return undefined;
  } else if (target === $("search") && ["Enter", "ArrowDown"].includes(event.key) && !event.isComposing) {
    return act(event, listFound);
  } else if (typing) {
    return event.key === "Escape" ? act(event, () => leave(target)) : undefined;
  }
  const activates = event.key === " " || event.key === "Enter";
  if (target.matches?.(event.key === " " ? "[role=option], a.hint" : "a.hint") && activates) return act(event, () => target.click());
  if (!$("list").hidden && settings.keys && LIST_STEPS[event.key]) return act(event, () => moveInList(LIST_STEPS[event.key]));
  if (activates && target.matches?.("button, a, summary, audio, video")) return undefined;
  if (!settings.keys) return undefined;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (state.welcome && !$("study").hidden && activates) return act(event, start);
  const studying = !$("study").hidden && !state.welcome && state.queue.length;
  if (studying && !state.turned && answerBox() && /^[\p{L}\p{N}]$/u.test(key)) return answerBox().focus(); // which takes the key
  const letter = key.charCodeAt(0) - 97;
  if (studying && !state.turned && key.length === 1 && optionsOf(cardRoot)[letter]?.hasAttribute("role")) return act(event, () => pick(letter));
  if (studying && key === "f") return act(event, turn);
  if (studying && state.turned && key === "d") return act(event, openDetails);
  if (studying && key === "t") return act(event, openHint);
  const action = EVERYWHERE[key] ?? ($("study").hidden || state.welcome ? undefined : ["ArrowLeft", "z"].includes(key) || studying ? ACTIONS[key] : undefined);
  return action && act(event, action);
}

// In a box with text, the browser takes back what was typed.
function isUndo(event) {
  const [target] = event.composedPath();
  const typing = target.matches?.("input:not([type=checkbox]), textarea") && target.value;
  const free = settings.keys && !typing && !$("study").hidden && !document.querySelector("dialog[open]");
  return free && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "z";
}

// A browser would empty the box after this key, without an event if the box has lost the focus.
function leave(field) {
  if (field === $("search") && field.value) {
    field.value = "";
    search();
  }
  field.blur();
}

function act(event, action) {
  event.preventDefault();
  action();
}
