"""The README and the docs are true."""

import ast
import json
import re
import shutil
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

import shown_pictures
from conftest import Ran
from ptcards.cli import COMMANDS
from ptcards.extensions.dialects.obsidian import SpacedRepetitionSettings
from ptcards.extensions.dialects.qa import ObsidianToAnkiSettings
from ptcards.identity.lock import check_digits
from ptcards.lint.registry import all_messages
from ptcards.source.config import TABLES, Config, known_keys
from ptcards.source.dialects import OWN, all_dialects
from ptcards.source.valid_names import CARD_KEYS, FRONT_MATTER_KEYS
from ptcards.workspace import Workspace

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), ROOT / "tests" / "README.md"]
CHEAT_SHEET = (ROOT / "docs" / "cheat-sheet.md").read_text("utf-8")
FORMAT = (ROOT / "docs" / "format.md").read_text("utf-8")
EXAMPLES = re.findall(
    r"^(`{3,4})markdown\n(.*?)^\1$", README + CHEAT_SHEET + FORMAT, re.MULTILINE | re.DOTALL
)

MOVED = (
    "checking.md#formats",
    "checking.md#in-vs-code",
    "checking.md#on-github",
    "checking.md#safety",
    "checking.md#suggestions-in-issues",
    "deck-lock.md#a-reworded-question-or-another-answer",
    "deck-lock.md#what-counts-as-the-same-note",
    "deck-lock.md#when-there-is-little-text",
    "deck-lock.md#when-you-change-both",
    "deck-lock.md#when-you-copy-convert-or-rename",
    "format.md#words",
    "publishing.md#by-hand-without-release",
    "publishing.md#forks-and-copies",
    "publishing.md#on-github-pages",
    "publishing.md#renaming-a-deck",
    "publishing.md#what-release-writes",
    "subscribe.md#for-authors",
    "subscribe.md#what-a-hostile-author-or-server-can-do",
    "verify.md#a-python-from-the-deck",
    "verify.md#in-the-sandbox",
    "verify.md#limits",
    "verify.md#what-a-pass-means",
    "your-notes.md#limits-of-dialects",
    "your-notes.md#what-protects-a-published-deck",
    "your-notes.md#which-cards-are-left-out",
    "your-notes.md#which-files-are-read",
)
"""Addresses of headings that are on other pages now."""

SETTING = r"(?:<a id=\"[\w-]+\"></a>)?\[`([a-z-]+)`\]\(#([\w-]+)\)"
"""The name of a setting on its page, and its address."""
ENVIRONMENT = "Environment variables"
"""The heading of the table on the page of settings that has no keys."""

Write = Callable[[dict[str, str | bytes]], Path]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    prose = re.sub(
        r"^( *)(`{3,}|~{3,}).*?^\1\2$|`[^`\n]+`|^ {4}.*$",
        "",
        page.read_text("utf-8"),
        flags=re.MULTILINE | re.DOTALL,
    )
    links = re.findall(r"\]\((?!https?://|#)([^)#\s]+)", prose)
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_page_is_in_the_navigation_of_the_site() -> None:
    text = (ROOT / "zensical.toml").read_text("utf-8")
    assert sorted(re.findall(r'"([\w/-]+\.md)"', text)) == sorted(
        page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")
    )


def test_the_address_of_a_heading_that_moved_has_a_link_to_its_new_page() -> None:
    found = []
    for address in MOVED:
        page, _, name = address.partition("#")
        (line,) = re.findall(
            rf'^.*<a id="{name}"></a>.*(?:\n\S.*)*', (ROOT / "docs" / page).read_text("utf-8"), re.MULTILINE
        )
        found.append(re.search(r"\]\((?!#)[\w-]+\.md", line) is not None)
    assert found == [True] * len(MOVED)


def test_a_page_has_one_name_in_the_menu_its_heading_and_the_tables_that_lead_to_it() -> None:
    menu = re.findall(r'\{ "([^"]+)" = "([\w/-]+\.md)" \}', (ROOT / "zensical.toml").read_text("utf-8"))
    headings = [
        re.findall(r"^# (.+)$", (ROOT / "docs" / page).read_text("utf-8"), re.MULTILINE)[0]
        for _, page in menu
    ]
    names = [f"Rules about {name.lower()}" if "rules/" in page else name for name, page in menu]
    assert headings == names
    index = (ROOT / "docs" / "pages.md").read_text("utf-8")
    table = README.split("## Where to go next")[1].split("## Contributing")[0]
    link = r"\[([^\]]+)\]\((?:docs/)?([\w-]+\.md)\)"
    pages = [
        (name, page) for name, page in menu if "rules/" not in page and page not in ("index.md", "pages.md")
    ]
    assert sorted(re.findall(link, index)) == sorted(pages)
    assert set(re.findall(link, table)) - set(menu) == set()


def test_the_first_page_leads_to_each_page_once() -> None:
    links = re.findall(r"\]\(([^)]+)\)", (ROOT / "docs" / "index.md").read_text("utf-8"))
    assert len(links) == len(set(links))


def test_the_short_comparison_of_the_readme_is_the_beginning_of_the_long_one() -> None:
    """It has some columns and rows; each cell begins the one of the long table, where a dash means no."""
    names, _, *rows = _table((ROOT / "docs" / "compared.md").read_text("utf-8").split("## Tools")[1])
    long = {what: cells for what, *cells in rows}
    heads, _, *short = _table(README.split("## Compared")[1])
    wrong = [
        (what, cell)
        for what, *cells in short
        for cell, full in zip(cells, long[what], strict=False)
        if not full.replace("–", "no").startswith(cell)
    ]
    tools = [re.sub(r"\W.*", "", name.strip("[")) for name in names[:3]]
    assert (heads, len(short), wrong) == (tools, 5, [])


def test_the_times_in_the_readme_and_on_the_first_page_are_the_measured_ones() -> None:
    page = (ROOT / "docs" / "reliability.md").read_text("utf-8")
    time = dict(re.findall(r"^\| ((?:first )?build of 10,000 notes.*?) \| ([\d.]+ s) \|", page, re.MULTILINE))
    first, edited = time["first build of 10,000 notes"], time["build of 10,000 notes after one edit"]
    rows = re.findall(
        r"^\| first build of 2,000 notes \| ([\d.]+) s \| (.+): ([\d.]+) s \|", page, re.MULTILINE
    )
    times = [("ptcards", rows[0][0]), *((name, other) for _, name, other in rows)]
    (shown,) = re.findall(r"10,000 notes take .*", README)
    assert re.findall(r"\b[\d.]+ s\b", shown) == [first, edited]
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    assert re.findall(r"^<li.*", index, re.MULTILINE) == [
        f'<li style="--time: {each}"><span>{name}</span> {each} s</li>' for name, each in times
    ]
    assert f"10,000 notes in {edited} " in index


def test_the_results_in_short_are_those_of_the_rows_that_they_name() -> None:
    page = (ROOT / "docs" / "reliability.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| (\d+) \| (.*)$", page, re.MULTILINE))
    number = r"\d[\d.,]*\d%?|\d+"
    found = []
    for text, named in re.findall(r"^- \*\*(.+) \(rows? ([\d, and]+)\)\.$", page, re.MULTILINE):
        there = {each for row in re.findall(r"\d+", named) for each in re.findall(number, rows[row])}
        found.append(set(re.findall(number, text)) - there)
    assert found == [set()] * 6


def _table(text: str) -> list[list[str]]:
    """Return the cells of the first table of a text."""
    rows = text[text.index("\n| ") + 1 :].partition("\n\n")[0].split("\n")
    return [[cell.strip() for cell in row.strip("| ").split(" | ")] for row in rows]


def test_facts_about_anki_that_the_code_names_are_on_their_page() -> None:
    headings = set(re.findall(r"^## (.+)$", (ROOT / "docs" / "anki.md").read_text("utf-8"), re.MULTILINE))
    texts = (file.read_text("utf-8") for folder in ("src", "tests") for file in (ROOT / folder).rglob("*.py"))
    named = {name for text in texts for name in re.findall(r"docs/anki\.md, ([A-Z]\w+(?: \w+)?)", text)}
    assert (len(named) > 5, named - headings) == (True, set())


def test_no_message_points_to_a_page_that_is_not_installed() -> None:
    """An installed ptcards has no docs/; messages point to `ptcards explain`."""
    found = []
    for file in (ROOT / "src").rglob("*.py"):
        text = file.read_text("utf-8")
        nodes = [*ast.walk(ast.parse(text if "docs/" in text else ""))]
        documented = {id(each.value) for each in nodes if isinstance(each, ast.Expr)}
        shown = (
            each.value
            for each in nodes
            if isinstance(each, ast.Constant) and isinstance(each.value, str) and id(each) not in documented
        )
        found += [f"{file.name}: {text}" for text in shown if re.search(r"\bdocs/[\w-]+\.md", text)]
    # The text of a rule is a docstring that `explain` prints.
    found += [rule.name for rule in all_messages().values() if re.search(r"\bdocs/[\w-]+\.md", rule.text)]
    assert found == []


def test_every_setting_is_on_its_page_with_an_address_and_every_table_has_an_example() -> None:
    """The keys of a dialect without a table of its own are those of its entries in `[[dialects]]`."""
    entry = (
        "files",
        "dialect",
        *(key for name in {*all_dialects()} - {*TABLES} for key in all_dialects()[name].options),
    )
    options = {name: tuple(all_dialects()[name].options) for name in TABLES}
    comment = (*CARD_KEYS, "draft", "skip")
    known = {
        **known_keys(),
        **options,
        "dialects": entry,
        "front": (*FRONT_MATTER_KEYS, "type"),
        "card": comment,
    }
    found: dict[str, set[str]] = {}
    for table, section in _settings():
        keys = dict(re.findall(rf"^\| {SETTING} \|", section, re.MULTILINE))
        assert keys == {key: key if key == "order" else f"{table or 'key'}-{key}" for key in keys}
        found.setdefault(table, set()).update(keys)
        ((language, example),) = re.findall(
            r"^```(toml|yaml|markdown)\n(.*?)^```$", section.split("\n### ")[0], re.MULTILINE | re.DOTALL
        )
        assert _given(table, language, example) - set(keys) == set()
    assert found == {table: set(keys) for table, keys in known.items()}


def _settings() -> Iterator[tuple[str, str]]:
    """Yield each section of the page of settings with its table; the top level has no name."""
    tables = {"Front matter": "front", "Card comment": "card"}
    page = (ROOT / "docs" / "settings.md").read_text("utf-8")
    for section in re.split(r"(?<!```markdown)\n## ", page)[1:]:
        heading = section.partition("\n")[0]
        if heading == ENVIRONMENT:
            continue
        match = re.match(r"`\[{1,2}(\w+)\]{1,2}`", heading)
        yield (match[1] if match else tables.get(heading, "")), section


def _given(table: str, language: str, example: str) -> set[str]:
    """Return the keys that an example sets."""
    if language == "yaml":
        return {*next(yaml.safe_load_all(example))}
    if language == "markdown":
        return {*re.findall(r" ([a-z-]+)(?==| -->)", example)}
    given = tomllib.loads(example)
    return {
        key
        for each in (given[table] if table in ("dialects", "editions") else [given.get(table, given)])
        for key in each
    }


def test_the_defaults_on_the_page_of_settings_are_those_of_the_code() -> None:
    """`none` is an empty value; a dialect's own table has no field of its own."""
    of_dialects = {"obsidian": SpacedRepetitionSettings(), "qa": ObsidianToAnkiSettings()}
    wrong = []
    for table, section in _settings():
        if table in ("dialects", "front", "card"):
            continue
        settings = of_dialects.get(table) or getattr(Config(), table, Config())
        for key, _, default in re.findall(rf"^\| {SETTING} \| [^|]+ \| ([^|]+) \|", section, re.MULTILINE):
            value = OWN if key == "dialect" else getattr(settings, key.replace("-", "_"), "")
            shown = tomllib.loads(f"shown = {default.strip('`')}")["shown"] if "`" in default else default
            expected = json.loads(json.dumps(value)) if value or value is False else "none"
            if shown not in (expected, "required"):
                wrong.append((key, shown, expected))
    assert wrong == []


def test_the_table_of_environment_variables_has_all_that_the_code_reads() -> None:
    page = (ROOT / "docs" / "settings.md").read_text("utf-8")
    section = page.partition(f"\n## {ENVIRONMENT}\n")[2].partition("\n## ")[0]
    shown = re.findall(r"^\| `([A-Z_]+)` \|", section, re.MULTILINE)
    read = {
        name
        for text in (file.read_text("utf-8") for file in (ROOT / "src").rglob("*.py"))
        if "env" in text
        for node in ast.walk(ast.parse(text))
        for name in _variables_read(node)
    }
    assert sorted(shown) == sorted(read)


def _variables_read(node: ast.AST) -> Iterator[str]:
    """Yield names of variables: texts in capitals in `environ[]`, `environ.get()` or calls with `environ`."""
    if isinstance(node, ast.Call):
        parts = [node.func, *node.args, *(keyword.value for keyword in node.keywords)]
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        parts = [node.value, node.slice]
    else:
        return
    readers = {"environ", "os.environ", "environ.get", "os.environ.get", "os.getenv"}
    if readers & {ast.unparse(part) for part in parts}:
        for part in parts:
            if isinstance(part, ast.Constant) and re.fullmatch("[A-Z][A-Z_]+", str(part.value)):
                yield str(part.value)


def test_the_line_on_the_page_about_the_lock_is_what_build_writes(
    write: Write, ptcards: Callable[..., Ran]
) -> None:
    page = (ROOT / "docs" / "deck-lock.md").read_text("utf-8")
    section = page.partition("## A line of")[2]
    ((source, line),) = re.findall(r"```markdown\n(.*?)```.*?```text\n(.*?)\n```", section, re.DOTALL)
    root = write(
        {
            "deck.toml": 'name = "PyTorch"\nid = "d1"\nlicense = "MIT"\n',
            "autograd.md": f"# Autograd\n\n{source}",
        }
    )
    ptcards("build", root)
    written = (root / "deck.lock").read_text("utf-8").split("\n")[-2].split("\t")
    written[3] = line.split("  ")[3]  # the time
    written[-1] = check_digits("\t".join(written[:-1]))
    assert line.split("  ") == written
    assert re.findall(r"^\| `(.+?)` \|", section, re.MULTILINE) == written[1:]


def test_the_readme_leads_to_the_page_of_all_commands() -> None:
    """It names only those that a beginner needs: a list of all would be read by nobody."""
    page = (ROOT / "docs" / "commands.md").read_text("utf-8")
    assert "(docs/commands.md)" in README
    assert [command for command in COMMANDS if f"## `ptcards {command}`" not in page] == []


@pytest.mark.parametrize("example", [text for _, text in EXAMPLES])
def test_every_example_of_the_readme_the_cheat_sheet_and_the_format_is_a_good_source(
    example: str, write: Write
) -> None:
    root = write({"deck.toml": 'name = "Deck"\nid = "d"\n', "a.md": example})
    for picture in shown_pictures.SUN:
        shutil.copy(picture, root)
    workspace = Workspace.read([root])
    (contents,), diagnostics = workspace.contents, workspace.diagnostics
    assert (len(contents.notes), diagnostics) == (1, [])


def test_writing_good_cards_shows_cards_that_a_rule_warns_about_and_cards_without_findings(
    write: Write, ptcards: Callable[..., Ran]
) -> None:
    page = (ROOT / "docs" / "writing.md").read_text("utf-8")
    found = []
    block = re.compile(r"([^\n]*)\n\n(`{3,4})markdown\n(.*?)^\2$", re.DOTALL | re.MULTILINE)
    for before, _, source in block.findall(page):
        rules = re.findall(r"\[`([a-z-]+)`\]\(rules/", before)
        root = write(
            {"deck.toml": 'name = "Deck"\nid = "d"\nlicense = "MIT"\n', "a.md": f"# Deck\n\n{source}"}
        )
        findings = json.loads(ptcards("check", root, "--format", "json").out)["findings"]
        warned = rules[-1:] if "warns about this" in before else []
        found.append(([each["rule"] for each in findings], warned))
    assert (len(found), [pair for pair in found if pair[0] != pair[1]]) == (11, [])


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_example_beside_its_card_is_that_of_the_cheat_sheet(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    ((_, source),) = re.findall(r"^(`{3,4})markdown[^\n]*\n(.*?)^\1\n", text, re.MULTILINE | re.DOTALL)
    (name,) = set(re.findall(r"img/(cheat-[a-z]+)\.", text))
    assert source == shown_pictures.CHEAT_SHEET[name]


def test_the_topics_of_the_deck_are_counted_right() -> None:
    (contents,) = Workspace.read([ROOT / "cards"]).contents
    page = (ROOT / "docs" / "pytorch-deck.md").read_text("utf-8")
    counts = {name: int(count) for name, count in re.findall(r"`cards/([\w-]+\.md)` \| (\d+)", page)}
    found = dict.fromkeys(counts, 0)
    for note in contents.notes:
        found[Path(note.location.path).name] = found.get(Path(note.location.path).name, 0) + 1
    assert counts == found
    assert f"{sum(counts.values()):,} notes for interviews" in page


@pytest.mark.parametrize(
    "page", sorted((ROOT / ".github" / "readme").glob("*.md")), ids=lambda page: page.stem
)
def test_a_readme_in_another_language_has_the_commands_and_settings_of_the_english_one(page: Path) -> None:
    block = re.compile(r"^```(?:sh|toml)\n.*?^```$", re.MULTILINE | re.DOTALL)
    text = page.read_text("utf-8")
    links = [link for link in re.findall(r"\]\((\.[^)#]+)", text) if not (page.parent / link).exists()]
    assert (block.findall(text), links) == (block.findall(README), [])
    assert f"(.github/readme/{page.name})" in README
