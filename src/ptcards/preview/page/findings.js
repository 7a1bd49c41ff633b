// What is to be said about notes: in the words of the terminal, with what can be done about it.

import { make } from "./list.js";
import { say } from "./words.js";

/** A link to a place of a file: VS Code follows it, an editor that was named is asked by who listens to clicks. */
export function placeLink(link, { file, line, column = 1 }) {
  const path = encodeURI(file.startsWith("/") ? file : `/${file}`).replace(/[?#]/g, encodeURIComponent);
  link.href = `vscode://file${path}:${line}${column > 1 ? `:${column}` : ""}`;
  Object.assign(link.dataset, { file, line, column });
  return link;
}

/** One finding; its buttons say in `data-do` what they do. */
export function finding(problem, editor) {
  const box = make("div", `finding ${problem.severity}`);
  const text = make("pre", "", problem.text);
  text.tabIndex = 0;
  text.setAttribute("role", "group");
  text.setAttribute("aria-label", `${problem.severity}: ${problem.rule}`);
  const tools = make("p", "tools");
  if (problem.file) {
    const place = make("a", "link", `${problem.path}:${problem.line}`);
    place.title = say("open_place", { place: `${problem.path}:${problem.line}`, editor });
    tools.append(placeLink(place, problem));
  }
  if (problem.path) {
    tools.append(tool("explain", problem));
    if (problem.severity !== "error") tools.append(tool("ignore", problem));
    if (problem.fixable) tools.append(tool("fix", problem));
  }
  box.append(text, tools);
  return box;
}

function tool(name, { rule, file, line }) {
  const button = make("button", "plain small", say(name));
  button.type = "button";
  button.title = say(`${name}_rule`, { rule });
  Object.assign(button.dataset, { do: name, rule, file, line });
  return button;
}
