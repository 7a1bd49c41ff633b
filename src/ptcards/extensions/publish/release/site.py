"""What a release has for people and browsers.

People read `index.html`, which works without a server, and `feed.xml`. With a worker and a manifest, browsers
keep the study page for when there is no network.
"""

import json
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from importlib import resources

from ptcards.diff.words import Item, KindOfChange, marked_pieces
from ptcards.extensions.publish.subscription.feed import COUNTED, Feed, FeedRelease
from ptcards.files.output_folder import RELEASE_NOTES
from ptcards.identity.lock import Record, deck_key
from ptcards.notes.labels import ENGLISH, interface
from ptcards.writers.html import ICON, fill_page, study_files

INDEX = "index.html"
ATOM = "feed.xml"
STUDY_PAGE = "study.html"
WORKER = "sw.js"
MANIFEST = "site.webmanifest"
"""The study page knows both names."""
_OWN = resources.files(__name__.rpartition(".")[0]).joinpath("page")
_TAGS = {"[-": "del", "{+": "ins"}


def as_page(feed: Feed, records: Iterable[Record], changes: Sequence[KindOfChange]) -> str:
    """Return the page about all releases of a feed.

    Args:
        feed: its newest release is the one to download.
        records: the notes ever published, for their questions.
        changes: what the newest release changed; empty if that is unknown.

    """
    words = dict(interface("release"))
    title = words["heading"].replace("{name}", feed.name).replace("{version}", feed.newest.version)
    kilobytes = max(1, round(feed.package.size / 1000))
    parts = {
        **words,
        "title": title,
        "lang": ENGLISH,
        "package": feed.package.url,
        "size": f"({kilobytes:,} kB)",
        "study_page": STUDY_PAGE,
        "release_notes": RELEASE_NOTES,
        "atom": ATOM,
    }
    return fill_page(
        _read("page.html"),
        style=study_files(["page.css"]) + _read("page.css"),
        script=study_files(["common.js"]) + _read("page.js"),
        data={**_data(feed, records), "words": words},
        parts={
            **{name: escape(word) for name, word in parts.items()},
            "releases": "\n".join(_releases(feed, words, changes)),
        },
    )


def _read(name: str) -> str:
    return _OWN.joinpath(name).read_text(encoding="utf-8")


def _data(feed: Feed, records: Iterable[Record]) -> dict[str, object]:
    """Return what the page needs to say what changed since a version: the notes that ever changed.

    Decks that differ only in case are one, as in Anki.
    """
    versions = [release.version for release in feed.releases]
    first = next(place for place, version in enumerate(versions) if version)
    said = {record.guid: record.fingerprint.heading for record in records}
    names = {deck_key(deck[0]): deck[0] for deck in feed.decks}
    places = {key: place for place, key in enumerate(names)}
    decks = [places[deck_key(deck[0])] for deck in feed.decks]
    names_in_order = list(names.values())
    rows = [
        (next(decks[each.deck] for each in reversed(past) if each.is_live), said.get(guid, guid), guid, past)
        for guid, past in feed.notes.items()
        if past[-1].release > first
    ]
    notes = [
        [
            question,
            deck,
            [[each.release, each.mod, decks[each.deck]] if each.is_live else [each.release] for each in past],
        ]
        for deck, question, _, past in sorted(rows, key=lambda row: (names_in_order[row[0]], *row[1:3]))
    ]
    return {"versions": versions, "decks": names_in_order, "notes": notes}


def _releases(feed: Feed, words: Mapping[str, str], changes: Sequence[KindOfChange]) -> Iterator[str]:
    """Yield the versions as HTML, newest first; the newest one with the words that changed."""
    for release in reversed(feed.releases):
        if not release.version:
            continue
        about = f"<b>{escape(release.version)}</b> · {_day(release)} · {escape(_counts(release, words))}"
        said = f'<p class="notes" dir="auto">{escape(release.notes)}</p>' if release.notes else ""
        if release is feed.newest and changes:
            yield f"{said}<details open><summary>{about}</summary>"
            yield from _sections(changes)
            yield "</details>"
        else:
            yield f"<p>{about}</p>{said}"


def _counts(release: FeedRelease, words: Mapping[str, str]) -> str:
    counts = {kind: getattr(release, kind) for kind in ("changed", *COUNTED)}
    said = [words[kind].replace("{count}", f"{count:,}") for kind, count in counts.items() if count]
    return ", ".join(said) or words["no_change"]


def _said(release: FeedRelease, words: Mapping[str, str]) -> str:
    return "\n\n".join(filter(None, (release.notes, _counts(release, words))))


def _sections(changes: Iterable[KindOfChange]) -> Iterator[str]:
    for section in changes:
        if section.items:
            yield f"<h3>{escape(section.title)}</h3><ul>"
            yield from map(_item, section.items)
            yield "</ul>"


def _item(item: Item) -> str:
    remark = f" ({item.remark})" if item.remark else ""
    parts = "".join(
        f'<div class="part" dir="auto"><b>{escape(part.name)}:</b> {_marked(part.diff)}</div>'
        for part in item.parts
    )
    deck = f'<span class="deck">{escape(item.deck + remark)}</span>'
    return f'<li dir="auto"><span>{escape(item.heading)}</span>{deck}{parts}</li>'


def _marked(text: str) -> str:
    """Return a marked text as HTML."""
    return "".join(
        f"<{_TAGS[mark]}>{escape(piece[2:-2])}</{_TAGS[mark]}>" if mark else escape(piece)
        for mark, piece in marked_pieces(text)
    )


def study_worker() -> str:
    """Return the script that keeps the study page."""
    return _read(WORKER)


def as_manifest(name: str) -> str:
    """Return what a browser needs to install the study page of a deck with this name."""
    icon = {"src": ICON, "sizes": "any", "type": "image/svg+xml"}
    manifest = {
        "name": name,
        "short_name": name,
        "start_url": STUDY_PAGE,
        "scope": "./",
        "display": "standalone",
        "background_color": "#f6f8fa",
        "icons": [icon],
    }
    return json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"


def as_atom(feed: Feed, url: str) -> str:
    """Return an Atom feed of all releases (RFC 4287).

    `url` is the address of the folder, which ends with `/`, or empty.
    An entry keeps its id when the deck moves to another address.
    """
    words = interface("release")
    name = escape(feed.name)
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<id>{_urn(feed.id)}</id>",
        f"<title>{name}</title>",
        f"<updated>{_moment(feed.newest)}</updated>",
        f"<author><name>{name}</name></author>",
        f'<link rel="self" href="{escape(url)}{ATOM}"/>',
        f'<link href="{escape(url) or INDEX}"/>',
    ]
    for release in reversed(feed.releases):
        if release.version:
            lines += [
                "<entry>",
                f"<id>{_urn(feed.id, release.version)}</id>",
                f"<title>{name} {escape(release.version)}</title>",
                f"<updated>{_moment(release)}</updated>",
                f'<link href="{escape(url) or INDEX}"/>',
                f'<content type="text">{escape(_said(release, words))}</content>',
                "</entry>",
            ]
    return "\n".join([*lines, "</feed>", ""])


def _urn(*about: str) -> str:
    return uuid.uuid5(uuid.NAMESPACE_URL, "ptcards:" + ":".join(about)).urn


def _day(release: FeedRelease) -> str:
    return _moment(release)[:10]


def _moment(release: FeedRelease) -> str:
    return datetime.fromtimestamp(release.time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
