// Runs `ptcards` on the collections of the workspace: problems and fixes on save, a preview beside the text, tasks.
"use strict";
const { execFile, spawn } = require("node:child_process");
const { randomUUID } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");

const { Error: error, Warning: warning, Information: hint } = vscode.DiagnosticSeverity;
const SEVERITIES = { error, warning, hint };
const TASKS = ["check", "build", "diff", "verify"];

const program = () => vscode.workspace.getConfiguration("ptcards").get("path");

/** The folder of the `deck.toml` that a file belongs to, or "". */
function collectionOf(file) {
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    if (fs.existsSync(path.join(folder, "deck.toml"))) return folder;
    if (folder === path.dirname(folder)) return "";
  }
}

/** A place of ptcards, whose columns count characters, as one of VS Code, whose columns count UTF-16 units. */
function position(lines, line, column) {
  const before = [...(lines[line - 1] ?? "")].slice(0, column - 1).join("");
  return new vscode.Position(line - 1, before.length);
}

class Problems {
  constructor(found) {
    this.found = found;
    this.fixes = new Map();
    this.running = new Map();
  }

  /** Check a collection; a save during a check cancels it. */
  check(folder) {
    this.running.get(folder)?.kill();
    const done = (failure, output, complaint) => {
      if (this.running.get(folder) !== process) return;
      this.running.delete(folder);
      if (output) return this.show(folder, JSON.parse(output).findings);
      const reason = failure?.code === "ENOENT" ? "not found; install it, or set `ptcards.path`" : complaint.trim();
      vscode.window.showErrorMessage(`ptcards: ${reason}`);
    };
    const process = execFile(program(), ["check", ".", "--format", "json"], { cwd: folder, maxBuffer: 1 << 28 }, done);
    this.running.set(folder, process);
  }

  show(folder, findings) {
    const files = Map.groupBy(findings, (finding) => path.resolve(folder, finding.path));
    this.found.forEach((uri) => collectionOf(uri.fsPath) === folder && this.found.delete(uri));
    for (const [file, inside] of files) {
      const uri = vscode.Uri.file(file);
      const lines = fs.existsSync(file) ? fs.readFileSync(file, "utf8").replace(/^\ufeff/, "").split(/\r\n|\r|\n/) : [];
      this.found.set(uri, inside.map((finding) => this.diagnostic(uri, lines, finding)));
    }
  }

  diagnostic(uri, lines, { line, column, end, severity, message, help, rule, fixes }) {
    const range = new vscode.Range(position(lines, line, column), position(lines, line, end));
    const text = help ? `${message}\n${help}` : message;
    const diagnostic = new vscode.Diagnostic(range, text, SEVERITIES[severity]);
    Object.assign(diagnostic, { source: "ptcards", code: rule });
    this.fixes.set(diagnostic, fixes.map(({ description, edits }) => {
      const edit = new vscode.WorkspaceEdit();
      for (const { line, column, end_line, end_column, text } of edits) {
        edit.replace(uri, new vscode.Range(position(lines, line, column), position(lines, end_line, end_column)), text);
      }
      return { title: `ptcards: ${description}`, edit };
    }));
    return diagnostic;
  }

  provideCodeActions(document, range) {
    if (document.isDirty) return []; // the places are those of the saved text
    const there = (this.found.get(document.uri) ?? []).filter((each) => each.range.intersection(range));
    return there.flatMap((diagnostic) => (this.fixes.get(diagnostic) ?? []).map(({ title, edit }) =>
      Object.assign(new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix), { edit, diagnostics: [diagnostic] })));
  }
}

/** The preview of a collection: `ptcards serve`, its page in a pane, and the cursor that it follows. */
class Preview {
  constructor(folder, closed) {
    this.folder = folder;
    this.panel = vscode.window.createWebviewPanel("ptcards", `Cards of ${path.basename(folder)}`,
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true }, { enableScripts: true, retainContextWhenHidden: true });
    this.server = spawn(program(), ["serve", ".", "--embed", "vscode"], { cwd: folder });
    this.server.on("error", (failure) => vscode.window.showErrorMessage(`ptcards serve: ${failure.message}`));
    this.server.stderr.on("data", (text) => (this.said = `${this.said ?? ""}${text}`));
    this.server.on("exit", (status) => status && vscode.window.showErrorMessage(`ptcards serve: ${this.said}`));
    this.server.stdout.once("data", (address) => this.show(String(address).trim()));
    this.panel.onDidDispose(() => { this.server.kill(); closed(); });
  }

  show(address) {
    const [page, key] = address.split("#");
    const nonce = randomUUID();
    this.panel.webview.html = `<!doctype html><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; frame-src ${new URL(page).origin}; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'">
<style nonce="${nonce}">html, body, iframe { width: 100%; height: 100%; margin: 0; padding: 0; border: 0; display: block; }</style>
<iframe referrerpolicy="no-referrer" src="${page}#${key}&at=${encodeURIComponent(this.at ?? "")}"></iframe>
<script nonce="${nonce}">addEventListener("message", ({ data }) => { document.querySelector("iframe").src = "${page}#at=" + encodeURIComponent(data); });</script>`;
  }

  follow({ document, selection }) {
    if (collectionOf(document.uri.fsPath) !== this.folder) return;
    const at = `${document.uri.fsPath}:${selection.active.line + 1}`;
    if (at !== this.at) this.panel.webview.postMessage((this.at = at));
  }
}

exports.activate = ({ subscriptions }) => {
  const found = vscode.languages.createDiagnosticCollection("ptcards");
  const problems = new Problems(found);
  const previews = new Map();
  const checkFile = ({ uri }) => {
    const folder = uri.scheme === "file" && /\.(md|toml|css)$/.test(uri.fsPath) && collectionOf(uri.fsPath);
    if (folder) problems.check(folder);
  };
  const command = (name, act) => vscode.commands.registerCommand(name, () => {
    const editor = vscode.window.activeTextEditor;
    const folder = editor && collectionOf(editor.document.uri.fsPath);
    if (folder) return act(folder, editor);
    return vscode.window.showErrorMessage("Open a file of a folder with `deck.toml`; `ptcards init` makes one.");
  });
  const task = (name, scope, cwd = scope.uri?.fsPath) => new vscode.Task({ type: "ptcards", command: name }, scope,
    name, "ptcards", new vscode.ShellExecution(program(), [name], { cwd }));
  subscriptions.push(
    found,
    vscode.workspace.onDidSaveTextDocument(checkFile),
    vscode.languages.registerCodeActionsProvider({ scheme: "file" }, problems),
    vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => previews.forEach((each) => each.follow(textEditor))),
    vscode.tasks.registerTaskProvider("ptcards", {
      provideTasks: () => (vscode.workspace.workspaceFolders ?? []).flatMap((scope) => TASKS.map((name) => task(name, scope))),
      resolveTask: ({ definition, scope }) => task(definition.command, scope),
    }),
    command("ptcards.build", (folder) => vscode.tasks.executeTask(task("build", vscode.TaskScope.Workspace, folder))),
    command("ptcards.preview", (folder, editor) => {
      const preview = previews.get(folder) ?? new Preview(folder, () => previews.delete(folder));
      previews.set(folder, preview);
      preview.panel.reveal(undefined, true);
      preview.follow(editor);
    }),
    { dispose: () => previews.forEach((each) => each.panel.dispose()) },
  );
  vscode.workspace.textDocuments.forEach(checkFile);
};
