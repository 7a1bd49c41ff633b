"""What a release has for people and browsers.

People read `index.html`, which works without a server, and `feed.xml`. With a worker and a manifest, browsers
keep the study page for when there is no network.
"""

import json
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from importlib import resources
from urllib.parse import quote

from ptcards.diff.changed_cards import fill_with_cards, in_order, item_html, topic_name
from ptcards.diff.words import KindOfChange
from ptcards.extensions.publish.release.about_deck import NEW_A_DAY, ShopWindow, workload
from ptcards.extensions.publish.subscription.feed import COUNTED, Feed, FeedRelease
from ptcards.extensions.publish.subscription.plain_text import as_read
from ptcards.files.output_folder import RELEASE_NOTES
from ptcards.identity.lock import Record, deck_key
from ptcards.markdown.render import render
from ptcards.notes import Text, plain_name
from ptcards.notes.labels import ENGLISH, direction, interface, labels_of, release_language, release_words
from ptcards.source.config import Config
from ptcards.writers.html import ICON, page_meta

INDEX = "index.html"
ATOM = "feed.xml"
STUDY_PAGE = "study.html"
WORKER = "sw.js"
MANIFEST = "site.webmanifest"
"""The study page knows both names."""
_OWN = resources.files(__name__.rpartition(".")[0]).joinpath("page")
_SEEN = ("New", "Back", "Reworded", "Changed")
"""The changes that a learner sees in a topic."""
_MOST_LISTED = 8
"""How many notes of each kind of change are listed before the reader asks for more."""


def study_page(edition: str) -> str:
    """Return the name of the study page of an edition."""
    return f"study-{edition}.html" if edition else STUDY_PAGE


def as_page(
    feed: Feed, records: Iterable[Record], changes: Sequence[KindOfChange], config: Config, window: ShopWindow
) -> str:
    """Return the page about a deck and all releases of its feed.

    Args:
        feed: its newest release is the one to download.
        records: the notes ever published, for their questions.
        changes: what the newest release changed; empty if that is unknown.
        config: the settings of the collection.
        window: what to show of the notes.

    """
    words = {**labels_of(config.language), **release_words(config.language)}
    language = release_language(config.language)
    if language != ENGLISH:
        changes = [*_without_english(changes, words)]
    title = words["heading"].replace("{name}", feed.name).replace("{version}", feed.newest.version)
    parts = {
        **words,
        "name": feed.name,
        "title": title,
        "deck_lang": config.language or ENGLISH,
        "package": feed.package.url,
        "size": _size(feed.package.size),
        "workload": _workload(window.cards, words),
        "study_page": STUDY_PAGE,
        "notes_file": RELEASE_NOTES,
        "atom": ATOM,
    }
    htmls = {
        "meta": page_meta(config),
        "lang": f'{language}" dir="{direction(language).replace("auto", "ltr")}',
        "version": _filled(words["version"], version=escape(feed.newest.version), day=_day(feed.newest)),
        "facts": "".join(f"<li>{fact}</li>" for fact in _facts(config, window, words)),
        "one_topic": "" if len(window.decks) > 1 else " hidden",
        "topic_list": "".join(_topics(window.decks, changes, words)),
        "hidden": "" if any(feed.editions) else " hidden",
        "edition_list": "".join(_editions(feed, config, words)),
        "addon": _addon(config, words),
        "changes": "\n".join(_changes(feed.newest, changes, window, words)),
        "releases": "\n".join(_releases(feed, words)),
    }
    return fill_with_cards(
        _read("page.html"),
        style=_read("page.css"),
        script=_read("page.js"),
        data={
            **window.data,
            "changed": window.changed,
            "history": _history(feed, records),
            "language": config.language,
            "words": words,
        },
        parts={**{name: escape(word) for name, word in parts.items()}, **htmls},
    )


def _without_english(changes: Sequence[KindOfChange], words: Mapping[str, str]) -> Iterator[KindOfChange]:
    """Yield the changes without what is known only in English: remarks, and some names of parts."""
    for section in changes:
        kept = ((item, tuple(part for part in item.parts if part.name in words)) for item in section.items)
        yield section._replace(items=tuple(item._replace(remark="", parts=parts) for item, parts in kept))


def _filled(words: str, **values: object) -> str:
    for name, value in values.items():
        words = words.replace(f"{{{name}}}", f"{value:,}" if isinstance(value, int) else str(value))
    return words


def _many(count: int, noun: str, words: Mapping[str, str]) -> str:
    return _filled(words[f"{noun}_one" if count == 1 else noun], count=count)


def _size(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size >= 1_000_000 else f"{max(1, round(size / 1000)):,} kB"


def _workload(cards: int, words: Mapping[str, str]) -> str:
    days, reviews = workload(cards)
    said = words["workload" if reviews else "workload_days"] if days > 1 else ""
    return _filled(said, fresh=NEW_A_DAY, days=_many(days, "days", words), reviews=reviews)


def _facts(config: Config, window: ShopWindow, words: Mapping[str, str]) -> Iterator[str]:
    """Yield what the deck is, as HTML; the script writes the name of the language and links the licence."""
    yield _many(window.notes, "questions", words)
    if window.cards != window.notes:
        yield _many(window.cards, "cards", words)
    if len(window.decks) > 1:
        yield _many(len(window.decks), "topics", words)
    if config.language:
        yield f'<span id="language">{escape(config.language)}</span>'
    if config.license:
        yield f'<span id="license">{escape(config.license)}</span>'
    if config.release.issues:
        yield f'<a href="{escape(config.release.issues)}">{escape(words["report"])}</a>'


def _topics(
    decks: Mapping[str, int], changes: Sequence[KindOfChange], words: Mapping[str, str]
) -> Iterator[str]:
    """Yield each topic as HTML, with a link to its cards, its size and how many of its notes changed."""
    most = max(decks.values(), default=1)
    news = Counter(
        (item.deck, "new" if section.title == "New" else "changed")
        for section in changes
        if section.title in _SEEN
        for item in section.items
    )
    for deck, count in decks.items():
        counts = {kind: news[deck, kind] for kind in ("new", "changed")}
        found = [_filled(words[kind], count=some) for kind, some in counts.items() if some]
        said = f" · <ins>{escape(words['comma'].join(found))}</ins>" if found else ""
        yield (
            f'<li><a href="{STUDY_PAGE}#{quote(deck)}" dir="auto">{escape(topic_name(deck))}</a>'
            f"<small>{escape(_many(count, 'questions', words))}{said}</small>"
            f'<svg aria-hidden="true"><rect width="{count / most:.0%}" height="3"/></svg></li>'
        )


def _editions(feed: Feed, config: Config, words: Mapping[str, str]) -> Iterator[str]:
    """Yield the editions that a learner may prefer, as HTML."""
    for name, each in ((name, each) for name, each in feed.editions.items() if name):
        size, count = _size(each.package.size), _many(len(each.notes), "questions", words)
        address = escape(f"{config.release.url}#edition={name}")
        yield (
            f'<li id="edition={name}"><h3 dir="auto">{escape(each.title)} <small>{count}</small></h3>'
            f'<p class="downloads"><a href="{escape(each.package.url)}" download>{escape(words["download"])} '
            f'<small>{size}</small></a> <a href="{study_page(name)}">{escape(words["study"])}</a>'
        )
        yield f"<p>{escape(words['follow_edition'])} <code>{address}</code>" if config.release.url else ""


def _addon(config: Config, words: Mapping[str, str]) -> str:
    """Return how to get the add-on as HTML, if the author says where it is."""
    if not config.release.addon:
        return escape(words["follow_known"])
    link = f'<a href="{escape(config.release.addon)}">{escape(words["addon"])}</a>'
    return escape(words["follow_install"]).replace("{addon}", link)


def _read(name: str) -> str:
    return _OWN.joinpath(name).read_text(encoding="utf-8")


def _history(feed: Feed, records: Iterable[Record]) -> dict[str, object]:
    """Return what the page needs to say what changed since a version: the notes that ever changed.

    Decks that differ only in case are one, as in Anki.
    """
    versions = [release.version for release in feed.releases]
    first = next(place for place, version in enumerate(versions) if version)
    said = {record.guid: _seen(record.fingerprint.heading) for record in records if record.guid in feed.notes}
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


def _seen(heading: str) -> str:
    """Return a heading as a reader sees it; a cloze with what it hides."""
    return as_read(render(Text(plain_name(heading)), names={}, prefix="a", plain_code=True)[0])


def _releases(feed: Feed, words: Mapping[str, str]) -> Iterator[str]:
    """Yield the versions as HTML, newest first."""
    for release in reversed(feed.releases):
        if release.version:
            said = "" if release is feed.newest else _said_by_author(release)
            counts = escape(_counts(release, words))
            yield f"<p><b>{escape(release.version)}</b> · {_day(release)} · {counts}</p>{said}"


def _counts(release: FeedRelease, words: Mapping[str, str]) -> str:
    counts = {kind: getattr(release, kind) for kind in ("changed", *COUNTED)}
    said = [words[kind].replace("{count}", f"{count:,}") for kind, count in counts.items() if count]
    return words["comma"].join(said) or words["no_change"]


def _said(release: FeedRelease, words: Mapping[str, str]) -> str:
    return "\n\n".join(filter(None, (release.notes, _counts(release, words))))


def _said_by_author(release: FeedRelease) -> str:
    return f'<p class="notes" dir="auto">{escape(release.notes)}</p>' if release.notes else ""


def _changes(
    newest: FeedRelease, changes: Sequence[KindOfChange], window: ShopWindow, words: Mapping[str, str]
) -> Iterator[str]:
    """Yield what changed as HTML; the script puts the cards into the notes that the window has."""
    if not (newest.notes or any(section.items for section in changes)):
        return
    title = _filled(words["what_changed"], version=newest.version)
    yield f'<section id="changes"><h2>{escape(title)}</h2>{_said_by_author(newest)}'
    for section in changes:
        if section.items:
            listed = (each._replace(heading=_seen(each.heading)) for each in in_order(section.items))
            items = [item_html(item, window.changed, words=words) for item in listed]
            heading = words.get(f"title_{section.title.lower()}", section.title)
            effect = f"<p>{escape(words['effect_retired'])}</p>" if section.title == "Retired" else ""
            yield f"<h3>{escape(heading)} <small>{len(items):,}</small></h3>{effect}"
            yield f"<ul>{''.join(items[:_MOST_LISTED])}</ul>"
            if more := items[_MOST_LISTED:]:
                said = _filled(words["more"], count=len(more))
                yield f"<details><summary>{said}</summary><ul>{''.join(more)}</ul></details>"
    yield "</section>"


def study_worker() -> str:
    """Return the script that keeps the study page."""
    return _read(WORKER)


def as_manifest(name: str) -> str:
    """Return what a browser needs to install the study page of a deck with this name."""
    manifest = {
        "name": name,
        "short_name": name,
        "start_url": STUDY_PAGE,
        "scope": "./",
        "display": "standalone",
        "background_color": "#f6f8fa",
        "icons": [{"src": ICON, "sizes": "any", "type": "image/svg+xml"}],
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
    """Return the day of a release as HTML; the script writes it in the page's language."""
    day = datetime.fromtimestamp(release.time, UTC)
    return f'<time datetime="{day:%Y-%m-%d}">{day.day} {day:%B %Y}</time>'


def _moment(release: FeedRelease) -> str:
    return datetime.fromtimestamp(release.time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
