// Marks the words that are not on the other side, which are those outside the longest common subsequence, and opens what hides them.

const MOST_PAIRS = 4_000_000;

// What is compared as a whole.
const WHOLES = {
  math: (formula) => formula.outerHTML,
  img: (picture) => picture.dataset.src ?? picture.getAttribute("src") ?? picture.alt,
};

// Words, each with its place in its node; what is compared as a whole is one of them, without a place.
function wordsIn(root) {
  const found = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const whole = WHOLES[node.localName];
    if (whole) found.push({ text: whole(node), node });
    if (node.nodeType !== Node.TEXT_NODE || node.parentElement?.closest("math, style")) continue;
    for (const { 0: text, index } of node.data.matchAll(/\S+/g)) found.push({ text, node, index });
  }
  return found;
}

// What is folded on both sides is open on both, so that the eye finds what was added or removed.
function markChanges(root, other) {
  mark(root, other);
  mark(other, root);
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

function mark(root, other) {
  const own = wordsIn(root);
  const theirs = wordsIn(other);
  let start = 0;
  while (start < own.length && start < theirs.length && own[start].text === theirs[start].text) start += 1;
  let end = 0;
  while (end < own.length - start && end < theirs.length - start && own.at(-1 - end).text === theirs.at(-1 - end).text) end += 1;
  const here = own.slice(start, own.length - end);
  const there = theirs.slice(start, theirs.length - end);
  const changed = here.length * there.length > MOST_PAIRS ? here : unshared(here, there);
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

function unshared(here, there) {
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
