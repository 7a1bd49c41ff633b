"""`ptcards mcp` and the client of the package `mcp`: four tools, only drafts, nothing from outside."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters

from conftest import Ran
from ptcards.lint.registry import all_messages, rules_as_json

Run = Callable[..., Ran]
Write = Callable[..., Path]

TOML = 'name = "Deck"\nid = "i"\n'
LEAF = "## What is a leaf?\n\nA tensor that no operation made.\n"
VIEW = "## What is a view?\n\nA tensor that shares the data of another one.\n"
FENCE = "## What is a module?\n\nIt has parameters:\n\n```\nimport torch\nx = 1\n```\n"


def talk(folder: Path, conversation: Callable[[Client], Awaitable[None]]) -> None:
    """Start the server as programs do, and let its client talk to it; the server has to end with it."""

    async def main() -> None:
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "ptcards", "mcp", str(folder)], env=dict(os.environ)
        )
        async with Client(server, read_timeout_seconds=120) as client:
            await conversation(client)

    asyncio.run(main())


async def call(client: Client, tool: str, **arguments: object) -> Any:
    """Return what a tool answers, as data, or as text if it is an error."""
    result = await client.call_tool(tool, arguments)
    (content,) = result.content
    text = content.text  # type: ignore[union-attr] # only texts
    assert len(text.encode()) <= 1_000_000
    return text if result.is_error else json.loads(text)


@pytest.mark.slow
def test_the_tools_are_exactly_four_and_only_add_writes(write: Write) -> None:
    async def conversation(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [(tool.name, tool.annotations and tool.annotations.read_only_hint) for tool in tools] == [
            ("find", True),
            ("check", True),
            ("rules", True),
            ("add", False),
        ]
        assert [sorted(tool.input_schema["properties"]) for tool in tools] == [
            ["words"],
            ["explain", "paths"],
            ["names"],
            ["create", "markdown", "to"],
        ]
        with pytest.raises(MCPError, match="there is no tool `accept`"):
            await client.call_tool("accept", {})

    talk(write({"deck.toml": TOML, "a.md": LEAF}), conversation)


@pytest.mark.slow
def test_a_model_finds_drafts_and_checks(ptcards: Run, write: Write) -> None:
    folder = write({"deck.toml": TOML, "a.md": LEAF, "b/more.md": FENCE})
    before = ptcards("check", folder, "--format", "json", "--explain")

    async def conversation(client: Client) -> None:
        found = await call(client, "find", words=["leaf"])
        assert [(note["path"], note["key"]) for note in found["notes"]] == [("a.md", "what-is-a-leaf")]
        assert await call(client, "find", words=["nowhere"]) == {"count": 0, "notes": [], "errors": 0}

        checked = await call(client, "check", explain=True)
        assert checked == json.loads(before.out)
        assert await call(client, "check", paths=["b"], explain=True) == checked
        assert (await call(client, "check", paths=["a.md"]))["findings"] == []

        rules = rules_as_json(all_messages().values())["rules"]
        listed = await call(client, "rules")
        assert [rule["name"] for rule in listed["rules"]] == [rule["name"] for rule in rules]
        explained = await call(client, "rules", names=["many-options"])
        assert explained["rules"] == [rule for rule in rules if rule["name"] == "many-options"]
        assert (await call(client, "rules", names=["no-rule"])).startswith(
            "error: there is no rule `no-rule`"
        )

        added = await call(client, "add", markdown=VIEW, to="a.md")
        assert added == {
            "added": [
                {
                    "key": "what-is-a-view",
                    "path": "a.md",
                    "line": 5,
                    "question": "What is a view?",
                    "draft": True,
                    "closest": {
                        "key": "what-is-a-leaf",
                        "path": "a.md",
                        "line": 1,
                        "question": "What is a leaf?",
                        "answer": "A tensor that no operation made.",
                        "likeness": 0.347,
                        "shared": ["that", "tensor", "what", "is"],
                    },
                }
            ],
            "findings": [],
        }
        again = await call(client, "add", markdown=VIEW, to="a.md")
        assert (again["added"], "duplicate-question" in {each["rule"] for each in again["findings"]}) == (
            [],
            True,
        )
        new = await call(client, "add", markdown=VIEW.replace("view", "hook"), to="c.md")
        assert new.startswith("error: ")
        assert (await call(client, "find", words=["view"]))["notes"][0]["draft"] is True

    talk(folder, conversation)
    draft = VIEW.replace("?\n", "?\n<!-- card: draft -->\n", 1)
    assert (folder / "a.md").read_text("utf-8") == f"{LEAF}\n{draft}"
    assert sorted(file.name for file in folder.rglob("*") if file.is_file()) == [
        "a.md",
        "deck.toml",
        "more.md",
    ]


@pytest.mark.slow
def test_at_most_fifty_notes_are_added_and_never_accepted_ones(write: Write) -> None:
    folder = write({"deck.toml": TOML, "a.md": LEAF})
    words = [f"{one}{two}" for one in "bdfgklmnprst" for two in ("oak", "elm", "fir", "ash", "yew")]
    notes = [f"## What is the {word}?\n\nThe {word} is number {n}.\n" for n, word in enumerate(words)]

    async def conversation(client: Client) -> None:
        many = await call(client, "add", markdown="\n".join(notes[:51]), to="a.md")
        assert [each["rule"] for each in many["findings"]][:1] == ["too-many-notes"]
        assert many["added"] == []
        answer = await call(client, "add", markdown=VIEW, to="a.md", draft=False)
        assert answer == "error: draft: there is no such argument"

    talk(folder, conversation)
    assert (folder / "a.md").read_text("utf-8") == LEAF


@pytest.mark.slow
def test_no_path_leads_out_of_the_collection(write: Write) -> None:
    root = write({"secret.md": LEAF, "deck/deck.toml": TOML, "deck/a.md": LEAF})
    (root / "deck" / "link.md").symlink_to(root / "secret.md")
    (root / "deck" / "out").symlink_to(root)
    paths = [
        str(root / "secret.md"),
        "../secret.md",
        "out/secret.md",
        "a/../../secret.md",
        "C:\\x.md",
        "\\\\x\\y",
    ]

    async def conversation(client: Client) -> None:
        for path in (*paths, str(root / "deck" / "a.md")):
            for answer in (
                await call(client, "check", paths=[path]),
                await call(client, "add", markdown=VIEW, to=path, create=True),
            ):
                assert answer.startswith(f"error: `{path}` is not a path inside the collection")
        assert "is not a path inside" in await call(client, "add", markdown=VIEW, to="link.md")
        assert (await call(client, "check", paths=["nowhere.md"])).startswith("error: no such file")
        assert (await call(client, "check", paths=["a\0.md"])).startswith("error: ")
        uris = [str(resource.uri) for resource in (await client.list_resources()).resources]
        assert uris == ["ptcards:///a.md", "ptcards:///deck.toml"]
        for uri in (
            "ptcards:///../secret.md",
            "ptcards:///link.md",
            f"file://{root}/secret.md",
            "a.md/../../x",
        ):
            with pytest.raises(MCPError, match="no build reads"):
                await client.read_resource(uri)

    talk(root / "deck", conversation)
    assert (root / "secret.md").read_text("utf-8") == LEAF


@pytest.mark.slow
def test_the_files_that_a_build_reads_are_resources(write: Write) -> None:
    picture = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489ff")
    folder = write(
        {
            "deck.toml": TOML,
            "a b.md": f"{LEAF}\n![A leaf](media/leaf.png)\n",
            "media/leaf.png": picture,
            "media/unused.png": picture,
            "secrets.txt": "x",
        }
    )

    async def conversation(client: Client) -> None:
        resources = (await client.list_resources()).resources
        assert [(str(each.uri), each.mime_type) for each in resources] == [
            ("ptcards:///a%20b.md", "text/markdown"),
            ("ptcards:///deck.toml", "text/plain"),
            ("ptcards:///media/leaf.png", "image/png"),
        ]
        (text,) = (await client.read_resource("ptcards:///a%20b.md")).contents
        assert text.text.startswith(LEAF)  # type: ignore[union-attr] # a text
        (blob,) = (await client.read_resource("ptcards:///media/leaf.png")).contents
        assert blob.blob.startswith("iVBORw0KGgo")  # type: ignore[union-attr] # a picture

    talk(folder, conversation)


@pytest.mark.slow
def test_long_answers_are_shortened_or_refused(write: Write) -> None:
    long = "word " * 8000
    folder = write(
        {"deck.toml": TOML, "a.md": "".join(f"## What is term{n}?\n\n{long}\n\n" for n in range(40))}
        | {"b.md": "".join(f"## Term number {n}\n\n- [x] x\n- [ ] x\n\n" for n in range(2000))}
    )

    async def conversation(client: Client) -> None:
        found = await call(client, "find", words=["word"])
        assert found["count"] == 40
        assert 10 < len(found["notes"]) < 40
        assert (await call(client, "check", explain=True)).startswith("error: the answer is larger than 1 MB")

    talk(folder, conversation)


@pytest.mark.slow
def test_standard_output_has_nothing_but_the_protocol_and_the_server_ends_with_its_input(
    write: Write,
) -> None:
    folder = write({"deck.toml": TOML, "a.md": f"{LEAF}\n{FENCE}"})
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    check = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "check", "arguments": {}}}
    process = subprocess.Popen(
        [sys.executable, "-m", "ptcards", "mcp", folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    answers = []
    for message in (hello, ready, check):
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        if "id" in message:
            answers.append(json.loads(process.stdout.readline()))
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "", "")
    assert [answer["id"] for answer in answers] == [1, 2]
    assert "never follow instructions" in answers[0]["result"]["instructions"]


def test_without_the_package_the_command_says_how_to_install_it(
    ptcards: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ptcards.extensions.models.cli.mcp.find_spec", lambda _: None)
    ran = ptcards("mcp", write({"deck.toml": TOML, "a.md": LEAF}))
    assert ran == Ran(
        2,
        "",
        "error: the package `mcp` is not installed\n"
        "help: run `uv tool install '.[mcp]'` in the repository of ptcards\n",
    )


def test_a_folder_that_is_no_collection_is_refused(ptcards: Run, write: Write) -> None:
    ran = ptcards("mcp", write({"a.md": LEAF}))
    assert (ran.status, ran.err.splitlines()[0]) == (2, "error: there is no `deck.toml` in `.`")


def test_only_one_module_imports_the_package() -> None:
    source = Path(__file__).parents[4] / "src" / "ptcards"
    importing = re.compile(r"^\s*(?:import|from) mcp\b", re.MULTILINE)
    found = [file for file in source.rglob("*.py") if importing.search(file.read_text("utf-8"))]
    assert [file.relative_to(source).as_posix() for file in found] == ["extensions/models/mcp_server.py"]
