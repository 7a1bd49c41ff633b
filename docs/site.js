// The theme puts each button that copies code into a landmark of its own, all without a name. They are no landmarks.
// It shows the search in a shadow root, with squeezed letters, wide code and a page that shines through; site.css does not reach in there.
const searchSheet = new CSSStyleSheet();
searchSheet.replaceSync(`
  * { letter-spacing: normal !important }
  code { padding: .1em .2em !important }
  dialog > div:has([role=combobox]) { background: var(--md-default-bg-color) !important; backdrop-filter: none !important; outline: .05rem solid var(--line) }
`);
new MutationObserver(() => {
  for (const bar of document.querySelectorAll("nav.md-code__nav:not([role])")) bar.setAttribute("role", "none");
  for (const { shadowRoot } of document.querySelectorAll("body > div")) {
    if (shadowRoot) shadowRoot.adoptedStyleSheets = [searchSheet];
  }
}).observe(document.documentElement, { childList: true, subtree: true });

// On a phone, site.css shows a table as a list. With more than two columns, each cell says which one it is from.
for (const table of document.querySelectorAll("article table")) {
  const names = [...table.querySelectorAll("thead th")].map(head => head.textContent.trim());
  if (names.length < 3) continue;
  for (const cell of table.querySelectorAll("tbody td:nth-child(n+2)")) {
    if (names[cell.cellIndex]) cell.dataset.label = names[cell.cellIndex];
  }
}

// Pictures of a terminal scroll, with the keyboard too. A phone gets the narrow one, on which lines are shorter.
for (const picture of document.querySelectorAll('article p > img:only-child[src$=".svg"]')) {
  Object.assign(picture.parentElement, { className: "terminal", tabIndex: 0, role: "group", ariaLabel: picture.alt });
  const either = document.createElement("picture");
  either.innerHTML = '<source media="(max-width: 45em)">';
  either.firstChild.srcset = picture.getAttribute("src").replace(".svg", ".narrow.svg");
  picture.before(either);
  either.append(picture);
}

// The path above a page has the name of the menu.
document.querySelector("nav.md-path")?.setAttribute("aria-label", "Path");

// A short option or name is not broken at its hyphens.
for (const code of document.querySelectorAll(".md-typeset :not(pre) > code")) {
  if (code.textContent.length <= 24) code.style.whiteSpace = "nowrap";
}

// A film can be paused: it then shows the picture that is there for readers who want no motion.
for (const film of document.querySelectorAll("article p:has(source[media*=reduced-motion])")) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "pause", textContent: "Pause" });
  button.addEventListener("click", () => {
    const [from, to] = ["prefers-reduced-motion: reduce", "min-width: 0"];
    const pausing = button.textContent === "Pause";
    for (const source of film.querySelectorAll("source")) {
      source.media = pausing ? source.media.replace(from, to) : source.media.replace(to, from);
    }
    button.textContent = pausing ? "Play" : "Pause";
  });
  film.append(button);
}

// A click, or Enter, shows a picture in full size.
const enlarged = document.createElement("dialog");
enlarged.className = "enlarged";
enlarged.addEventListener("click", () => enlarged.close());
document.body.append(enlarged);

function enlarge(picture) {
  const whole = (picture.closest("picture") ?? picture).cloneNode(true);
  for (const narrow of whole.querySelectorAll("source[media*=width]")) narrow.remove();
  const image = whole.querySelector("img") ?? whole;
  image.removeAttribute("role");
  image.removeAttribute("tabindex");
  const close = Object.assign(document.createElement("button"), { type: "button", textContent: "Close" });
  enlarged.replaceChildren(close, whole);
  enlarged.ariaLabel = image.alt;
  enlarged.showModal();
  // It fits into the window, unless its text would then be smaller than in the window that it shows: a picture has twice its pixels.
  image.decode().then(() => {
    const { naturalWidth: width, naturalHeight: height } = image;
    const { clientWidth, clientHeight } = document.documentElement; // without the bars that scroll
    const fitting = Math.min(clientWidth, clientHeight * width / height, width);
    image.style.width = `${Math.max(fitting, width / 2)}px`;
  });
}

for (const picture of document.querySelectorAll('article :is(p:not(.shown p), picture) > img[src*=".webp"]')) {
  Object.assign(picture, { tabIndex: 0, role: "button", title: "Show in full size" });
  picture.addEventListener("click", () => enlarge(picture));
  picture.addEventListener("keydown", event => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    enlarge(picture);
  });
}

// The rules can be filtered: a row stays if it and the heading above it have all words, and a topic if it has a row.
// The address has the words, so that a list can be sent to somebody and is there again after a look at a rule.
for (const filtered of document.querySelectorAll(".filtered")) {
  const rows = [...filtered.querySelectorAll("tbody tr")];
  const entries = [...document.querySelectorAll(".md-nav--secondary .md-nav__item")];
  const bar = Object.assign(document.createElement("form"), { className: "filter", role: "search" });
  bar.innerHTML = '<label for="filter">Filter the rules:</label> <input type="search" id="filter" autocomplete="off"> <output for="filter"></output>';
  const [field, count] = bar.querySelectorAll("input, output");
  let topic = "";
  const texts = new Map();
  for (const part of filtered.children) {
    if (part.matches("h2")) topic = part.firstChild.textContent;
    for (const row of part.querySelectorAll("tbody tr")) {
      texts.set(row, `${topic} ${row.textContent.replace("✓", "fix")}`.toLowerCase());
    }
  }
  const filter = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) row.hidden = !words.every(word => texts.get(row).includes(word));
    let hasRow = false;
    for (const part of [...filtered.children].reverse()) { // a heading comes before its table
      hasRow ||= part.querySelector("tbody tr:not([hidden])") !== null;
      part.hidden = !hasRow;
      if (part.matches("h2")) hasRow = false;
    }
    for (const entry of entries) {
      const heading = document.getElementById(entry.querySelector("a").hash.slice(1));
      entry.hidden = heading?.hidden ?? false;
    }
    const left = rows.filter(row => !row.hidden).length;
    count.textContent = !words.length ? `${rows.length} rules`
      : left ? `${left} of ${rows.length} rules` : "No rule has all these words. Try fewer words, or the beginning of one.";
    const address = new URL(location);
    if (words.length) address.searchParams.set("q", field.value);
    else address.searchParams.delete("q");
    if (location.protocol !== "file:") history.replaceState(history.state, "", address);
  };
  field.value = new URL(location).searchParams.get("q") ?? "";
  field.addEventListener("input", filter);
  bar.addEventListener("submit", event => event.preventDefault());
  filtered.before(bar);
  filter();
}
