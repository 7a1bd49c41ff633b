"""Editions in a release: their packages and study pages beside those of the deck, in one feed."""

import json
import re
from typing import Any

import jsonschema

from following import source_of
from ptcards.extensions.publish.subscription.decide import check_source
from ptcards.extensions.publish.subscription.package import read_package
from releasing import SCHEMA, Publisher, held, publisher, shortened, told

__all__ = ["publisher"]

EDITIONS = """
[release]
url = "https://owner.github.io/deck/"

[[editions]]
name = "short"
title = "PyTorch in <two> weeks"
tags = ["path::1"]

[[editions]]
name = "optim"
decks = ["Optim"]

[[editions]]
name = "empty"
tags = ["nothing"]
"""
LEAF = "## What is a leaf?\n<!-- card: id=leaf tags=path::1 -->\n\nA tensor.\n\n"
HOOK = "## What is a hook?\n<!-- card: id=hook -->\n\nA function.\n\n"
STEP = "## What is a step?\n<!-- card: id=step tags=path::1 -->\n\nOne.\n\n"


def first(publisher: Publisher, settings: str = EDITIONS) -> Publisher:
    """Make the first release, 1.0."""
    publisher.settings = settings
    publisher.write(autograd=f"# Autograd\n\n{LEAF}{HOOK}", optim=f"# Optim\n\n{STEP}")
    publisher.publish_release("1.0", "--first")
    return publisher


def since(publisher: Publisher) -> dict[str, dict[str, int]]:
    """Return the notes of each edition by their ids, with the releases since which it has them."""
    ids = {
        line.split("\t")[1]: line.split("\t")[10]
        for line in (publisher.folder / "deck.lock").read_text("utf-8").splitlines()
        if line.startswith("note\t")
    }
    feed = publisher.feed
    return {
        name: {
            ids[guid]: release
            for guid, release in sorted(each["notes"].items(), key=lambda each: ids[each[0]])
        }
        for name, each in feed["editions"].items()
    }


def test_a_release_has_a_package_and_a_study_page_for_each_edition(publisher: Publisher) -> None:
    ran = first(publisher)
    assert {*ran.files} == {
        "deck.json",
        "feed.xml",
        "index.html",
        "notes.md",
        "pytorch-1.0.apkg",
        "pytorch-optim-1.0.apkg",
        "pytorch-short-1.0.apkg",
        "site.webmanifest",
        "study-optim.html",
        "study-short.html",
        "study.html",
        "sw.js",
        ".gitignore",
    }
    feed = publisher.feed
    jsonschema.validate(feed, SCHEMA)
    assert {name: each["title"] for name, each in feed["editions"].items()} == {
        "short": "PyTorch in <two> weeks",
        "optim": "PyTorch (optim)",
    }
    assert since(publisher) == {"short": {"leaf": 0, "step": 0}, "optim": {"step": 0}}
    complete = held(publisher.package)
    for name, each in feed["editions"].items():
        part = held(publisher.dist / each["package"]["url"])
        assert part == {guid: complete[guid] for guid in each["notes"]}
        page = (publisher.dist / f"study-{name}.html").read_text("utf-8")
        data = json.loads(re.findall(r'<script[^>]* id="data"[^>]*>(.*?)</script>', page, re.DOTALL)[0])
        assert (data["name"], data["package"]) == (each["title"], each["package"]["url"])
        address = f"https://owner.github.io/deck/deck.json#edition={name}"
        check_source(source_of(publisher.dist, address))


def test_a_feed_remembers_since_when_an_edition_has_a_note(publisher: Publisher) -> None:
    first(publisher, EDITIONS.replace("url =", "# url ="))
    leaf, hook = LEAF.replace(" tags=path::1", ""), HOOK.replace("id=hook", "id=hook tags=path::1")
    publisher.write(autograd=f"# Autograd\n\n{leaf}{hook}", optim=f"# Optim\n\n{STEP}")
    publisher.publish_release("1.1", date=86_400)
    assert since(publisher) == {"short": {"hook": 1, "step": 0}, "optim": {"step": 0}}
    files = publisher.files
    publisher.release()
    assert publisher.files == files


def test_a_version_with_another_edition_is_another_version(publisher: Publisher) -> None:
    first(publisher, settings='\n[[editions]]\nname = "short"\ntags = ["path::1"]\n')
    toml = publisher.folder / "deck.toml"
    toml.write_text(
        toml.read_text("utf-8").replace('["path::1"]', '["path"]\nsources = ["optim.md"]'), "utf-8"
    )
    publisher.git("commit", "-aqm", "Another edition")
    publisher.git("tag", "-f", "v1.0")
    assert "version 1.0 was released with another package" in publisher.run("release").err


def test_the_page_offers_each_edition_with_the_address_to_follow(publisher: Publisher) -> None:
    page = (first(publisher).dist / "index.html").read_text("utf-8")
    section = re.findall(r'<section id="editions">.*?</section>', page, re.DOTALL)[0]
    sizes = {name: each["package"]["size"] for name, each in publisher.feed["editions"].items()}
    assert all(size < 100_000 for size in sizes.values())
    texts = " ".join(re.sub("<[^>]*>", " ", section).split())
    kilobytes = {name: f"{round(size / 1000)} kB" for name, size in sizes.items()}
    assert texts == (
        "Editions Parts of this deck, or all of it in another language. You can change to another one at any "
        "time: all reviews stay. "
        f"PyTorch in &lt;two&gt; weeks 2 questions Download for Anki {kilobytes['short']} Study in the browser "
        "To follow it, paste this address in the add-on: https://owner.github.io/deck/#edition=short "
        f"PyTorch (optim) 1 question Download for Anki {kilobytes['optim']} Study in the browser "
        "To follow it, paste this address in the add-on: https://owner.github.io/deck/#edition=optim"
    )
    links: list[Any] = re.findall('href="([^"]*)"', section)
    assert links == [
        "pytorch-short-1.0.apkg",
        "study-short.html",
        "pytorch-optim-1.0.apkg",
        "study-optim.html",
    ]


def test_a_deck_without_editions_has_no_list_of_them(publisher: Publisher) -> None:
    page = (first(publisher, settings="").dist / "index.html").read_text("utf-8")
    assert '<section id="editions" hidden>' in page
    assert "editions" not in publisher.feed


def test_a_translation_is_published_as_an_edition_and_the_complete_deck_lacks_it(
    publisher: Publisher,
) -> None:
    first(publisher, settings="")
    publisher.settings = '[languages]\nde = "Deutsch"\n'
    german = LEAF.replace("What is a leaf?", "Was ist ein Blatt?").replace("A tensor.", "Ein Tensor.")
    originals = {"autograd": f"# Autograd\n\n{LEAF}{HOOK}", "optim": f"# Optim\n\n{STEP}"}
    publisher.write(**originals, **{"autograd.de": german})
    publisher.publish_release("1.1", date=86_400)
    assert since(publisher) == {"": {"hook": 0, "leaf": 0, "step": 0}, "de": {"leaf.de": 1}}
    feed = publisher.feed
    jsonschema.validate(feed, SCHEMA)
    assert [release.get("new") for release in feed["releases"]] == [3, 1]
    assert feed["editions"][""]["package"] == feed["package"]
    both = held(publisher.package) | held(publisher.dist / feed["editions"]["de"]["package"]["url"])
    assert told(feed) == shortened(both)
    for name in ("", "de"):
        check_source(source_of(publisher.dist, f"https://a.example/deck.json#edition={name}"))
    german_deck = publisher.dist / feed["editions"]["de"]["package"]["url"]
    assert read_package(german_deck).descriptions["PyTorch (Deutsch)"].text == "Version 1.1 (2025-11-23)."
    german = german.replace("Ein Tensor.", "Ein Tensor ohne Vorgänger.")
    publisher.write(**originals, **{"autograd.de": german})
    publisher.publish_release("1.2", date=2 * 86_400)
    page = (publisher.dist / "index.html").read_text("utf-8")
    assert "Was ist ein Blatt?" in page
    assert '<li id="edition=">' not in page
    assert '<li id="edition=de">' in page
