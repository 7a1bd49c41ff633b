// Marks the words that are not on the other side, which are those outside the longest common subsequence, and opens what hides them.

const MOST_PAIRS = 4_000_000;
// Words of code have their marks; other ones do not have the punctuation beside them.
const CODE_WORDS = /\S+/g;
const WORDS = /[^\s\p{P}](?:\S*[^\s\p{P}])?|\p{P}/gu;

// What is compared as a whole.
const WHOLES = {
  math: (formula) => formula.outerHTML,
  img: (picture) => picture.dataset.src ?? picture.getAttribute("src") ?? picture.alt,
  button: ({ style }) => [style.left, style.top, style.width, style.height, style.clipPath, style.rotate].join(" "), // a box
};

// Words, each with its place in its node; what is compared as a whole is one of them, without a place.
function wordsIn(root) {
  const found = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const whole = WHOLES[node.localName];
    if (whole) found.push({ text: whole(node), node });
    if (node.nodeType !== Node.TEXT_NODE || node.parentElement?.closest("math, style, .choices > li > .mark")) continue;
    const words = node.parentElement?.closest("code, pre") ? CODE_WORDS : WORDS;
    for (const { 0: text, index } of node.data.matchAll(words)) found.push({ text, node, index });
  }
  return found;
}

// What is folded on both sides is open on both, so that the eye finds what was added or removed.
function markChanges(root, other) {
  mark(root, other);
  mark(other, root);
  markOptions(root, other);
  const [own, theirs] = [root, other].map((side) => [...side.querySelectorAll("details, div.hint")]);
  own.forEach((part, n) => {
    if (![part, theirs[n]].some((each) => each?.querySelector(".ptcards-changed"))) return;
    if (part.matches("details")) part.open = true;
    else {
      part.previousElementSibling.style.display = "none";
      part.hidden = false;
      part.style.display = "block";
    }
  });
}

// An option that is right on one side only is marked on both, whatever it says.
function markOptions(...sides) {
  const [own, theirs] = sides.map((side) => [...side.querySelectorAll(".choices > li")]);
  const said = (option) => [...option.childNodes].filter((part) => !part.matches?.(".mark, .comment")).map((part) => part.textContent).join("").trim();
  own.forEach((option, n) => {
    const other = theirs.find((each) => said(each) === said(option)) ?? theirs[n];
    if (other && other.classList.contains("right") !== option.classList.contains("right"))
      for (const each of [option, other]) each.classList.add("ptcards-changed");
  });
}

function mark(root, other) {
  const changed = changedOf(wordsIn(root), wordsIn(other));
  const passages = []; // words that follow each other are marked together
  for (const { node, index, text } of changed) {
    if (index === undefined) {
      node.classList.add("ptcards-changed");
      continue;
    }
    const last = passages.at(-1);
    if (last?.node === node && !node.data.slice(last.end, index).trim()) last.end = index + text.length;
    else passages.push({ node, index, end: index + text.length });
  }
  // Going backwards from the last one keeps earlier positions valid.
  for (const { node, index, end } of passages.reverse()) {
    const word = node.splitText(index);
    word.splitText(end - index);
    const mark = document.createElement("span");
    mark.className = "ptcards-changed";
    word.replaceWith(mark);
    mark.append(word);
  }
}

// The words that are not among the others. Rows of tables are compared as a whole, then cell by cell with the row that is most like them.
function changedOf(own, others) {
  const [rows, theirs] = [own, others].map(inRows);
  const [gone, come] = [unshared(rows, theirs), unshared(theirs, rows)];
  const alike = partners(gone.filter(isRow), come.filter(isRow));
  return gone.flatMap((row) => (isRow(row) ? changedInRow(row, alike.get(row)) : [row]));
}

const isRow = (part) => Boolean(part.cells);

// Words outside tables, and rows with their cells.
function inRows(found) {
  const parts = [];
  let last;
  for (const word of found) {
    const cell = (word.node.nodeType === Node.TEXT_NODE ? word.node.parentElement : word.node).closest("td, th");
    const row = cell?.closest("tr");
    if (!row) parts.push(word);
    else {
      if (last !== row) parts.push({ cells: [...row.children].map((each) => ({ element: each, words: [] })) });
      parts.at(-1).cells.find((each) => each.element === cell)?.words.push(word);
    }
    last = row;
  }
  for (const { cells } of parts.filter(isRow)) for (const each of cells) each.text = each.words.map((word) => word.text).join(" ");
  return parts.map((part) => (isRow(part) ? { ...part, text: part.cells.map((each) => each.text).join("\t") } : part));
}

// Each row with the one on the other side that shares most cells with it: at least half of them, or the first one.
function partners(rows, others) {
  const shared = (one, other) => one.cells.length - unshared(one.cells, other.cells).length;
  const isSame = (one, other) => one.cells[0].text === other.cells[0].text;
  const pairs = rows.flatMap((row, i) => others.map((other, j) => ({ row, other, count: shared(row, other) + isSame(row, other), apart: Math.abs(i - j) })));
  const found = new Map();
  const taken = new Set();
  for (const { row, other, count } of pairs.sort((one, next) => next.count - one.count || one.apart - next.apart)) {
    if (found.has(row) || taken.has(other) || !(isSame(row, other) || 2 * count >= row.cells.length)) continue;
    found.set(row, other);
    taken.add(other);
  }
  return found;
}

function changedInRow(row, other) {
  if (!other) return row.cells.flatMap((cell) => cell.words);
  const [gone, come] = [unshared(row.cells, other.cells), unshared(other.cells, row.cells)];
  return gone.flatMap((cell, n) => (gone.length === come.length ? unshared(cell.words, come[n].words) : cell.words));
}

function unshared(own, theirs) {
  let start = 0;
  while (start < own.length && start < theirs.length && own[start].text === theirs[start].text) start += 1;
  let end = 0;
  while (end < own.length - start && end < theirs.length - start && own.at(-1 - end).text === theirs.at(-1 - end).text) end += 1;
  const here = own.slice(start, own.length - end);
  const there = theirs.slice(start, theirs.length - end);
  return here.length * there.length > MOST_PAIRS ? here : outsideCommon(here, there);
}

function outsideCommon(here, there) {
  const lengths = Array.from({ length: here.length + 1 }, () => new Uint16Array(there.length + 1));
  for (let i = here.length - 1; i >= 0; i -= 1) {
    for (let j = there.length - 1; j >= 0; j -= 1) {
      lengths[i][j] = here[i].text === there[j].text ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const found = [];
  for (let i = 0, j = 0; i < here.length;) {
    if (j < there.length && here[i].text === there[j].text) { i += 1; j += 1; }
    else if (j < there.length && lengths[i][j + 1] >= lengths[i + 1][j]) j += 1;
    else found.push(here[i++]);
  }
  return found;
}
