// Runs `ptcards` on the collection of the open note: its problems, a preview beside the note, and a build.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { App, FileSystemAdapter, ItemView, MarkdownView, Notice, Platform, Plugin, PluginSettingTab } from "obsidian";
import { Setting, TFile, WorkspaceLeaf } from "obsidian";

const PROBLEMS = "ptcards-problems";
const PREVIEW = "ptcards-preview";

interface Finding {
  path: string;
  line: number;
  column: number;
  severity: "error" | "warning" | "hint";
  message: string;
  help: string;
}

/** Where the cursor is: a file of the vault on the disk, and a line from 1. */
interface Place {
  file: string;
  line: number;
}

class Problems extends ItemView {
  getViewType = (): string => PROBLEMS;
  getDisplayText = (): string => "Problems of the deck";
  getIcon = (): string => "list-checks";

  constructor(leaf: WorkspaceLeaf, readonly plugin: PtcardsPlugin) {
    super(leaf);
  }

  async onOpen(): Promise<void> {
    await this.plugin.check();
  }

  show(folder: string, findings: Finding[]): void {
    this.contentEl.empty();
    if (!findings.length) this.contentEl.createEl("p", { text: "No problems were found." });
    for (const finding of findings) {
      const item = this.contentEl.createDiv({ cls: "tree-item-self is-clickable" });
      const text = item.createDiv({ cls: "tree-item-inner" });
      text.createDiv({ text: `${finding.severity}: ${finding.message}` });
      text.createDiv({ cls: "u-muted", text: `${finding.path}:${finding.line} · ${finding.help}` });
      item.addEventListener("click", () => void this.open(join(folder, finding.path), finding));
    }
  }

  private async open(path: string, { line, column }: Finding): Promise<void> {
    const file = this.plugin.inVault(path);
    const leaf = this.app.workspace.getMostRecentLeaf();
    if (file) await leaf?.openFile(file);
    if (leaf?.view instanceof MarkdownView) leaf.view.editor.setCursor({ line: line - 1, ch: column - 1 });
  }
}

class Preview extends ItemView {
  private server: ChildProcess | null = null;
  private page = "";
  private folder = "";
  getViewType = (): string => PREVIEW;
  getDisplayText = (): string => "Cards";
  getIcon = (): string => "layers";

  constructor(leaf: WorkspaceLeaf, readonly plugin: PtcardsPlugin) {
    super(leaf);
  }

  async onOpen(): Promise<void> {
    this.follow();
  }

  async onClose(): Promise<void> {
    this.server?.kill();
  }

  /** Show the card at the cursor; another collection gets a server of its own. */
  follow(): void {
    const place = this.plugin.place();
    const folder = place && this.plugin.collectionOf(place.file);
    if (!place || !folder) return;
    if (folder !== this.folder) this.serve(folder, place);
    else if (this.page) this.frame().src = `${this.page}#at=${at(place)}`;
  }

  private serve(folder: string, place: Place): void {
    this.server?.kill();
    this.folder = folder;
    this.page = "";
    let said = "";
    const server = spawn(this.plugin.program, ["serve", ".", "--embed", "obsidian"], { cwd: folder });
    this.server = server;
    server.on("error", (failure) => new Notice(`ptcards: ${failure.message}`));
    server.stderr.on("data", (text) => (said += String(text)));
    server.on("exit", (status) => status && new Notice(`ptcards serve: ${said}`));
    server.stdout.once("data", (text) => {
      const [page = "", key = ""] = String(text).trim().split("#");
      this.page = page;
      this.frame().src = `${page}#${key}&at=${at(place)}`;
    });
  }

  private frame(): HTMLIFrameElement {
    const attr = { referrerpolicy: "no-referrer", style: "width: 100%; height: 100%; border: 0" };
    return this.contentEl.querySelector("iframe") ?? this.contentEl.createEl("iframe", { attr });
  }
}

const at = ({ file, line }: Place): string => encodeURIComponent(`${file}:${line}`);

export default class PtcardsPlugin extends Plugin {
  program = "ptcards";

  async onload(): Promise<void> {
    this.program = ((await this.loadData()) as { program?: string } | null)?.program ?? this.program;
    this.addSettingTab(new Settings(this.app, this));
    this.registerView(PROBLEMS, (leaf) => new Problems(leaf, this));
    this.registerView(PREVIEW, (leaf) => new Preview(leaf, this));
    this.addCommand({ id: "check", name: "Show problems", callback: () => this.reveal(PROBLEMS) });
    this.addCommand({ id: "preview", name: "Show cards", callback: () => this.reveal(PREVIEW) });
    this.addCommand({ id: "build", name: "Build the deck", callback: () => void this.build() });
    this.registerEvent(this.app.vault.on("modify", () => void this.check()));
    this.registerEvent(this.app.workspace.on("active-leaf-change", () => this.followCursor()));
    this.registerDomEvent(document, "keyup", () => this.followCursor());
    this.registerDomEvent(document, "click", () => this.followCursor());
  }

  /** The folder of the vault; the manifest says that this is a desktop, where it is one of the disk. */
  private get vault(): string {
    return (this.app.vault.adapter as FileSystemAdapter).getBasePath();
  }

  place(): Place | null {
    const view = this.app.workspace.getActiveViewOfType(MarkdownView);
    return view?.file ? { file: join(this.vault, view.file.path), line: view.editor.getCursor().line + 1 } : null;
  }

  /** The folder of the `deck.toml` that a file belongs to, or else the vault, which needs none. */
  collectionOf(file: string): string {
    const isWithout = (folder: string) => folder.length > this.vault.length && !existsSync(join(folder, "deck.toml"));
    for (file = dirname(file); isWithout(file); ) file = dirname(file);
    return file;
  }

  inVault(path: string): TFile | null {
    return this.app.vault.getFileByPath(relative(this.vault, path).replaceAll("\\", "/"));
  }

  /** Run ptcards in the collection of the open note, and return the folder, what it printed and what it said. */
  private run(...words: string[]): Promise<[string, string, string]> {
    const folder = this.collectionOf(this.place()?.file ?? join(this.vault, "note.md"));
    return new Promise((done) => {
      execFile(this.program, words, { cwd: folder, maxBuffer: 1 << 28 }, (failure, output, said) => {
        if (failure?.code === "ENOENT") new Notice("ptcards was not found: give its place in the settings.");
        done([folder, output, said]);
      });
    });
  }

  async check(): Promise<void> {
    const [leaf] = this.app.workspace.getLeavesOfType(PROBLEMS);
    if (!(leaf?.view instanceof Problems)) return;
    const [folder, output] = await this.run("check", ".", "--format", "json");
    if (output) leaf.view.show(folder, (JSON.parse(output) as { findings: Finding[] }).findings);
  }

  private async build(): Promise<void> {
    const [, output, said] = await this.run("build");
    new Notice(`${output}${said}`.trim() || "Nothing was built.", 10_000);
  }

  private followCursor(): void {
    const [leaf] = this.app.workspace.getLeavesOfType(PREVIEW);
    if (leaf?.view instanceof Preview) leaf.view.follow();
  }

  private reveal(type: string): void {
    const leaf = this.app.workspace.getLeavesOfType(type)[0] ?? this.app.workspace.getRightLeaf(false);
    void leaf?.setViewState({ type, active: true }).then(() => this.app.workspace.revealLeaf(leaf));
  }
}

class Settings extends PluginSettingTab {
  constructor(app: App, readonly plugin: PtcardsPlugin) {
    super(app, plugin);
  }

  display(): void {
    this.containerEl.empty();
    const where = Platform.isWin ? "where.exe ptcards" : "which ptcards";
    new Setting(this.containerEl).setName("Program").setDesc(`Where ptcards is: \`${where}\` in a terminal tells.`)
      .addText((text) => text.setValue(this.plugin.program).onChange(async (program) => {
        this.plugin.program = program;
        await this.plugin.saveData({ program });
      }));
  }
}
