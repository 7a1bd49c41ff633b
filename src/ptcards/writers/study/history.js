// The browser's Back, on a phone a gesture, closes what is open before it leaves the page: a window, the filters above the card, a card
// from the list, the list or the statistics. The history has an entry for each of these layers, with their number.

let entries = history.state?.layers ?? 0; // how many the history has
let isMoving = false; // the page goes back itself, because something was closed

function layers() {
  const filters = narrow.matches && $("filters").classList.contains("open");
  const above = [document.querySelector("dialog[open]"), filters, $("study").hidden].filter(Boolean).length;
  return above + (state.fromList ? 2 : 0);
}

function closeLayer() {
  const window = document.querySelector("dialog[open]");
  if (window) window.close();
  else if (narrow.matches && $("filters").classList.contains("open")) closeFilters();
  else showView(state.fromList ? "list" : "study");
}

function keepHistory() {
  if (isMoving) return;
  const wanted = layers();
  for (; entries < wanted; entries += 1) history.pushState({ layers: entries + 1 }, "");
  if (entries === wanted) return;
  isMoving = true;
  history.go(wanted - entries);
}

function wentBack() {
  // The link to a card makes an entry of its own.
  if (!history.state) history.replaceState({ layers: entries }, "");
  entries = history.state.layers;
  if (!isMoving) {
    isMoving = true;
    while (layers() > entries) closeLayer();
  }
  isMoving = false;
  keepHistory();
}

function listenToHistory() {
  history.scrollRestoration = "manual"; // the page shows where a reader was
  history.replaceState({ layers: entries }, "");
  addEventListener("popstate", wentBack);
}
