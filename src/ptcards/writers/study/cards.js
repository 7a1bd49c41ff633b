// Shows cards from the data safely. A card's HTML is never given to the page: it is parsed in a document
// where nothing loads or runs, and only what is known to be harmless is rebuilt from it.

const FIRST_MARK = 0x0e;
const FIELD = { answer: 1, topic: 8 };
const HTML = "http://www.w3.org/1999/xhtml";
const MATHML = "http://www.w3.org/1998/Math/MathML";

const words = (text) => new Set(text.split(" "));
const KNOWN = {
  [HTML]: words(
    "a abbr address article aside audio b bdi bdo big blockquote br caption center cite code col colgroup dd del details dfn " +
      "div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img input ins kbd li mark ol p picture pre q " +
      "rp rt ruby s samp section small source span strike strong sub summary sup table tbody td tfoot th thead time tr tt u " +
      "ul var video wbr",
  ),
  [MATHML]: words(
    "math menclose mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle " +
      "msub msubsup msup mtable mtd mtext mtr munder munderover none semantics",
  ),
  "http://www.w3.org/2000/svg": words(
    "svg g path rect circle ellipse line polyline polygon text tspan title desc defs clipPath linearGradient stop",
  ),
};
const DROPPED = words(
  "applet base button canvas embed frame frameset iframe link math meta noembed noframes noscript object param plaintext script " +
    "style svg template textarea title xmp",
);
const ATTRIBUTES = words(
  "accent accentunder align alt class columnalign columnlines columnspacing colspan controls cx cy d data-angle data-cloze data-height " +
    "data-lang data-left data-occludeinactive data-ordinal data-points data-rx data-ry data-shape data-top data-width dir display displaystyle fence fill font-size form headers height id label lang linebreak linethickness loop " +
    "lspace mathvariant maxsize minsize movablelimits muted notation offset open opacity points r reversed rowalign rowlines " +
    "rowspacing rowspan rspace rx ry scope scriptlevel separator start stretchy stroke stroke-width symmetric text-anchor " +
    "title transform type value viewBox voffset width x x1 x2 xmlns y y1 y2",
);
const INLINE = words("b code del em i kbd s strong sub sup");
const BLOCKS = words("br div li ol p pre td tr ul");
const UNLISTED = words("class display id");
const MEDIA_ATTRIBUTES = words("src poster");
const STYLES = { "--i": /^\d{1,4}$/, "text-align": /^(left|right|center|start|end)$/ };
const LINK = /^(https?|mailto):/i;

// Puts the pictures and fonts that only CSS names into it, as the page has no files beside it.
const withFiles = (css) => css.replace(/(?<![\w./-])_[\w.-]+\.\w+/g, (name) => (Object.hasOwn(DATA.media, name) ? DATA.media[name] : name));
const SHEET = new CSSStyleSheet();
SHEET.replaceSync(withFiles(DATA.css));
const OWN_SHEET = new CSSStyleSheet();
// The appearances of the collection's own note types, by their position in the data.
const LOOKS = DATA.looks.map((css) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(withFiles(css));
  return sheet;
});

const NOTES = DATA.notes.map(([guid, deck, kind, difficulty, tags, fields, cards, look], index) => {
  const note = { guid, deck: DATA.decks[deck], kind, difficulty, tags: tags.map((tag) => DATA.tags[tag]), fields, index };
  note.sheet = LOOKS[look] ?? SHEET;
  note.cards = cards.map(([ordinal, front, back]) => ({ id: `${guid}/${ordinal}`, ordinal, front, back, note }));
  return note;
});

const CARDS = NOTES.flatMap((note) => note.cards);

function sideHtml(card, side) {
  return DATA.shells[card[side]].replace(/[\x0e-\x1a]/g, (mark) => card.note.fields[mark.charCodeAt(0) - FIRST_MARK]);
}

// Returns the parts of a card that may be shown, built from untrusted HTML.
function harmless(html) {
  // The page's policy refuses these attributes and reports each one, so they are renamed beforehand.
  const renamed = html.replace(/<[^<>]*>/g, (tag) => tag.replace(/\s(style|on\w+)\s*=/gi, " data-$1="));
  const parsed = new DOMParser().parseFromString(renamed, "text/html");
  const made = document.createDocumentFragment();
  made.append(...harmlessNodes(parsed.body));
  return made;
}

function harmlessNodes(parent) {
  return [...parent.childNodes].flatMap((node) => {
    if (node.nodeType === Node.TEXT_NODE) return [document.createTextNode(node.data)];
    if (node.nodeType !== Node.ELEMENT_NODE) return [];
    const name = node.localName;
    if (!KNOWN[node.namespaceURI]?.has(name)) return DROPPED.has(name) ? [] : harmlessNodes(node);
    if (name === "input" && !isHarmlessInput(node)) return [];
    const element = document.createElementNS(node.namespaceURI, name);
    for (const attribute of node.attributes) copyAttribute(element, attribute);
    if (name === "input" && element.type === "checkbox") element.disabled = true;
    element.append(...harmlessNodes(node));
    return [element];
  });
}

function isHarmlessInput(node) {
  return node.getAttribute("type") === "checkbox" || node.id === "typeans";
}

function copyAttribute(element, { name, value }) {
  const tag = element.localName;
  if (ATTRIBUTES.has(name) && !/url\s*\(/i.test(value)) {
    element.setAttribute(name, value);
  } else if (name === "checked" && tag === "input") {
    element.defaultChecked = true;
  } else if (name === "aria-label") {
    element.setAttribute(name, value);
  } else if (MEDIA_ATTRIBUTES.has(name) && Object.hasOwn(DATA.media, value)) {
    element.setAttribute(name, DATA.media[value]);
  } else if (name === "href" && tag === "a" && LINK.test(value)) {
    Object.assign(element, { href: value, target: "_blank", rel: "noopener noreferrer" });
  } else if (name === "href" && tag === "a" && value.startsWith("#")) {
    element.setAttribute("href", value);
  } else if (name === "data-style") {
    copyStyle(element, value);
  }
}

// A property set by the page's script is not refused.
function copyStyle(element, style) {
  for (const declaration of style.split(";")) {
    const [name, value] = declaration.split(":").map((part) => part.trim());
    if (Object.hasOwn(STYLES, name) && STYLES[name].test(value ?? "")) element.style.setProperty(name, value);
    if (name === "display" && value === "none" && element.matches("div.hint")) element.hidden = true;
  }
}

// A side of a card, with headings for screen readers, closed hints and the link for reports.
function builtSide(card, side) {
  const built = make("div", `card card${card.ordinal + 1}${isNight() ? " nightMode night_mode" : ""}`);
  built.append(harmless(sideHtml(card, side)));
  for (const heading of built.querySelectorAll(".question > .heading")) {
    heading.setAttribute("role", "heading");
    heading.setAttribute("aria-level", "2");
  }
  prepareHints(built);
  drawBoxes(built);
  if (side === "back") addReport(built, card.note);
  return built;
}

function prepareHints(side) {
  side.querySelectorAll("a.hint").forEach((link) => {
    const text = link.nextElementSibling;
    text.hidden = true;
    link.setAttribute("role", "button");
    link.setAttribute("aria-expanded", "false");
  });
}

// Fills in the link for reports; cards of the collection's own note types get one.
function addReport(side, note) {
  if (!DATA.report) return;
  const values = { guid: note.guid, version: DATA.version, question: headingOf(note), deck: note.deck };
  const fill = (_, name) => encodeURIComponent([...values[name]].slice(0, 200).join(""));
  let link = side.querySelector(".ptc > .report > a");
  if (!link) {
    link = make("a", "", DATA.words.report);
    side.append(make("div", "report", link));
  }
  link.href = DATA.report.replace(/\{(guid|version|question|deck)\}/g, fill);
  Object.assign(link, { target: "_blank", rel: "noopener noreferrer" });
}

// The author's description of the deck.
function aboutDeck() {
  const about = make("div", "about", harmless(DATA.about));
  about.dir = "auto";
  return about;
}

// Puts content where the page's style does not apply, only the note type's.
function shadowOf(host) {
  const root = host.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = [SHEET, OWN_SHEET];
  return root;
}

// Applies the appearance of a note's cards to a root.
function dress(root, note) {
  if (root.adoptedStyleSheets[0] !== note.sheet) root.adoptedStyleSheets = [note.sheet, OWN_SHEET];
}

function textOf(html) {
  const text = html.replace(/<(math|svg)\b.*?<\/\1>|<[^>]*>/gs, (tag, formula) =>
    formula ? ` ${tag.replace(/<[^>]*>/g, "")} ` : BLOCKS.has(/\w+/.exec(tag)?.[0].toLowerCase()) ? " " : "",
  );
  const named = { lt: "<", gt: ">", quot: '"', amp: "&", nbsp: " ", "#x27": "'", "#39": "'", "#91": "[", "#123": "{", "#125": "}", "#58": ":" };
  return text.replace(/&(#?\w+);/g, (entity, name) => named[name] ?? entity).replace(/\s+/g, " ").trim();
}

function questionHtml(note) {
  const question = /<p class="heading">(.*?)<\/p>/s.exec(note.fields[0])?.[1] ?? note.fields[0];
  if (textOf(question)) return question;
  const text = note.fields[FIELD.answer] ?? ""; // of a cloze, whose heading is the first paragraph
  return /^\s*<p>(.*?)<\/p>/s.exec(text)?.[1] ?? text;
}

const headings = new Map();
function headingOf(note) {
  if (!headings.has(note)) headings.set(note, textOf(questionHtml(note)));
  return headings.get(note);
}

// Returns HTML as one line for a list: its text, with code, emphasis and formulas. The names of elements stay out, since the page has its own.
function inlineOf(html) {
  const line = document.createDocumentFragment();
  line.append(...inlineNodes(harmless(html)));
  return line;
}

function inlineNodes(parent) {
  return [...parent.childNodes].flatMap((node) => {
    if (node.nodeType === Node.TEXT_NODE) return [node.data];
    const content = inlineNodes(node);
    const isFormula = node.namespaceURI === MATHML;
    if (!isFormula && !INLINE.has(node.localName)) return BLOCKS.has(node.localName) ? [" ", ...content, " "] : content;
    const element = document.createElementNS(node.namespaceURI, node.localName);
    for (const { name, value } of isFormula ? node.attributes : []) if (!UNLISTED.has(name)) element.setAttribute(name, value);
    element.append(...content);
    return [element];
  });
}

const searchTexts = new Map();
function searchTextOf(note) {
  if (!searchTexts.has(note)) {
    searchTexts.set(note, [...note.fields.map(textOf), note.deck, ...note.tags].join(" ").toLowerCase());
  }
  return searchTexts.get(note);
}
