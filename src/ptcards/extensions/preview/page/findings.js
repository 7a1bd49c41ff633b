// Findings about notes, in the terminal's words, with buttons for what can be done about them.

import { make, question, sentence } from "./list.js";
import { say } from "./words.js";

const MARGIN = 24; // pixels beside the marked text

/** Make a link open a location in VS Code. If the author chose another editor, the page handles the click. */
export function placeLink(link, { file, line, column = 1 }) {
  const path = encodeURI(file.startsWith("/") ? file : `/${file}`).replace(/[?#]/g, encodeURIComponent);
  link.href = `vscode://file${path}:${line}${column > 1 ? `:${column}` : ""}`;
  Object.assign(link.dataset, { file, line, column });
  return link;
}

/** Return one finding. The `data-do` of each button is the action it requests. */
export function finding(problem, editor) {
  const box = make("div", `finding ${problem.severity}`);
  box.tabIndex = -1;
  const { what, excerpt, help } = parts(problem);
  const [, kind, rest] = /^(\w+\[[\w-]+\])?(.*)$/s.exec(what);
  const title = coded("what", rest);
  if (kind) title.prepend(make("span", "kind", kind));
  box.append(title);
  if (excerpt) {
    const text = make("pre", "", excerpt);
    text.tabIndex = 0;
    text.setAttribute("role", "group");
    text.setAttribute("aria-label", `${problem.severity}: ${problem.rule}`);
    box.append(text);
  }
  if (help) box.append(coded("help", help));
  const tools = make("p", "tools");
  if (problem.file) {
    const place = make("a", "link", `${problem.path}:${problem.line}`);
    place.title = say("open_place", { place: `${problem.path}:${problem.line}`, editor });
    tools.append(placeLink(place, problem));
  }
  if (problem.path) {
    tools.append(tool("explain", problem));
    if (problem.fixable) tools.append(tool("fix", problem));
  }
  box.append(tools);
  return box;
}

/** Return what was fixed last, with a button to undo it. */
export function lastFix({ rule, path, file }) {
  const line = make("div", "last-fix");
  const button = make("button", "plain small", say("undo"));
  Object.assign(button, { type: "button", title: say("undo_means") });
  Object.assign(button.dataset, { do: "undo", file });
  line.append(coded("", say("fixed_in", { rule, path })), button);
  return line;
}

/** Return a message as a paragraph. Only backticks have a meaning in it; everything else may be the author's. */
export function coded(className, text) {
  const paragraph = make("p", className);
  text.split(/`([^`\n]+)`/).forEach((part, n) => paragraph.append(n % 2 ? make("code", "", part) : part));
  return paragraph;
}

/** Scroll the source lines in `box` so that the marked text is visible. */
export function showMarks(box) {
  for (const excerpt of box.querySelectorAll("pre")) {
    const text = excerpt.firstChild;
    const [marks] = text.data.matchAll(/\^+/g);
    if (!marks) continue;
    const range = document.createRange();
    range.setStart(text, marks.index);
    range.setEnd(text, marks.index + marks[0].length);
    const { left, right } = range.getBoundingClientRect();
    const view = excerpt.getBoundingClientRect();
    const hidden = right + MARGIN - view.right;
    if (hidden > 0) excerpt.scrollLeft += Math.min(hidden, left - MARGIN - view.left);
  }
}

// Sentences wrap as the page has room, not as the terminal had. Source lines do not wrap, because their carets would move.
function parts({ text, path }) {
  const lines = text.split("\n");
  const isSource = (line) => /^ *\d* \|/.test(line);
  const helps = lines.findIndex((line) => /^ *= /.test(line));
  const rest = helps < 0 ? lines : lines.slice(0, helps);
  const what = joined(rest.filter((line) => !isSource(line)));
  const place = path ? what.match(/^[^\n]*?:\d+:\d+: /)?.[0] ?? "" : "";
  return {
    what: what.slice(place.length),
    excerpt: rest.filter(isSource).filter((line) => !/^ *\|$/.test(line)).join("\n"),
    help: helps < 0 ? "" : joined(lines.slice(helps).map((line) => line.replace(/^ *= /, ""))),
  };
}

const joined = (lines) => lines.join("\n").replace(/\n +/g, " ");

/** Return an explanation's paragraphs and lists; indented lines are code. The terminal's line ends are not kept. */
export function explanation(text) {
  const parts = text.split(/\n{2,}/).reduce((found, part) => {
    const isCode = /^ {4}/.test(part);
    const before = found.at(-1);
    if (isCode && before?.isCode) before.text += `\n\n${part}`;
    else found.push({ isCode, text: part });
    return found;
  }, []);
  return parts.flatMap(({ isCode, text: part }) => (isCode ? make("pre", "", part.replace(/^ {4}/gm, "")) : prose(part).map(linked)));
}

// Makes addresses links.
function linked(element) {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) if (/https?:/.test(texts.currentNode.data) && !texts.currentNode.parentElement.closest("code")) found.push(texts.currentNode);
  for (const node of found) {
    const pieces = node.data.split(/(https?:\/\/[^\s<>()]*[^\s<>().,;:])/); // every other one is an address
    node.replaceWith(...pieces.map((piece, n) => (n % 2 ? Object.assign(make("a", "", piece), { href: piece, target: "_blank", rel: "noopener" }) : piece)));
  }
  return element;
}

const HEADS = /^(?:Why:|For instance[:,]|Fix:)/;

// Lines that begin with `- ` are items of a list.
function prose(part) {
  const [text, ...items] = part.split(/^- /m).map((each) => each.trim().replace(/\s*\n\s*/g, " "));
  const list = make("ul");
  list.append(...items.map((each) => {
    const item = make("li");
    item.append(question(each));
    return item;
  }));
  const [head = ""] = HEADS.exec(text) ?? [];
  const paragraph = sentence(text.slice(head.length));
  if (head) paragraph.prepend(make("strong", "", head));
  return [...(text ? [paragraph] : []), ...(items.length ? [list] : [])];
}

function tool(name, { rule, file, line }) {
  const button = make("button", "plain small", say(name));
  button.type = "button";
  button.title = say(`${name}_rule`, { rule });
  Object.assign(button.dataset, { do: name, rule, file, line });
  return button;
}
