"""`ptcards release`: a version of a deck as a folder of static files for any web server.

A release is built like any package, read back, and added to the feed of the release before it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import NamedTuple

from ptcards.compile import BuildOptions, Built, Judged, Plan, prepared
from ptcards.diagnostics import Diagnostic, Location, WrongUseError, counted, error, has_errors
from ptcards.diff.update import NoOldError, Update, find_update
from ptcards.diff.update_report import as_markdown, sections
from ptcards.extensions.publish.release.commit import Commit, previous_tag, read_commit
from ptcards.extensions.publish.release.feed import append, before_feeds, format_feed, in_parts, since_when
from ptcards.extensions.publish.release.previous import FeedSearch
from ptcards.extensions.publish.release.published import read_package_file, read_published
from ptcards.extensions.publish.release.shop_window import shop_window
from ptcards.extensions.publish.release.site import (
    ATOM,
    INDEX,
    MANIFEST,
    WORKER,
    as_atom,
    as_manifest,
    as_page,
    study_page,
    study_worker,
)
from ptcards.extensions.publish.subscription.feed import (
    MAX_NOTES,
    BrokenFeedError,
    Feed,
    FeedEdition,
    read_feed,
)
from ptcards.files import Replacements, replacing_together
from ptcards.files.git import GitError
from ptcards.files.inputs import shown
from ptcards.files.output_folder import FEED, RELEASE_NOTES, output_folder
from ptcards.files.temporary import temporary_folder
from ptcards.lint.check import check
from ptcards.notes.rendered import VERSION, Deck
from ptcards.source.config import EditionConfig, ReleaseConfig
from ptcards.source.editions import WHOLE
from ptcards.workspace import ReadOptions, Workspace
from ptcards.writers.outputs import Edition, hide_from_git, output_name, write_outputs

_FORMATS = ("apkg", "html")
_OUTPUTS = frozenset({FEED, RELEASE_NOTES, INDEX, ATOM, WORKER, MANIFEST})
"""The files of a release that a build does not write."""


@dataclass(frozen=True, slots=True)
class ReleaseOptions:
    """What to release: `version` may be empty, which means the tag at HEAD.

    `output` is the folder to write, by default `dist`. `previous` is the file or address of the previous
    feed; with `first`, there is none. With `dry_run`, nothing is written.
    """

    version: str = ""
    output: Path | None = None
    previous: str = ""
    first: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Released:
    """A release: its feed, the version before it, the folder, and its files with their sizes in bytes.

    `settings` are those of the collection. `remarks` are for the author.
    """

    feed: Feed
    since: str
    folder: Path
    files: Mapping[str, int]
    settings: ReleaseConfig
    remarks: tuple[str, ...] = ()


class ReleaseResult(NamedTuple):
    """The release, or `None` with the diagnostics that prevent it; `built` says what the lock lacks."""

    released: Released | None
    diagnostics: list[Diagnostic]
    built: tuple[Built, ...] = ()


def release(
    source: Path, options: ReleaseOptions, reading: ReadOptions, *, waiting: Callable[[Path], None]
) -> ReleaseResult:
    """Release a collection, or change nothing.

    Raises the same errors as `build`, and WrongUseError for an unusable source or version.
    """
    checked = check([source], reading).diagnostics
    if has_errors(checked):
        return ReleaseResult(None, checked)
    folder = options.output or output_folder(source, "dist")
    building = BuildOptions(folder, _FORMATS, locked=True, dry_run=options.dry_run)
    with prepared([source], building, reading, waiting=waiting) as found:
        if has_errors(found.diagnostics):
            return ReleaseResult(None, found.diagnostics)
        plan = _only_plan(found, folder)
        config = plan.contents.collection.config
        toml = plan.contents.collection.root / "deck.toml"
        commit, problems = read_commit(toml.parent, options.version, found.workspace.files())
        search = FeedSearch(config.id, folder, toml, config.release.url, options.previous, options.first)
        previous, wrong = search.find(commit.version if commit else "")
        problems += [*wrong, *_released_before(commit, previous, folder)]
        if commit is None or problems or plan.out_of_date:
            return ReleaseResult(None, [*found.diagnostics, *problems], (plan.unwritten(),))
        release_ = _Release(found.workspace, plan, commit, previous, reading, folder)
        update, unsure = release_.update()
        with temporary_folder("release") if options.dry_run else nullcontext(folder) as target:
            released = release_.write(target, update)
        if isinstance(released, Diagnostic):
            return ReleaseResult(None, [*found.diagnostics, released])
        if not options.dry_run:
            hide_from_git(folder, _OUTPUTS)
        return ReleaseResult(replace(released, folder=folder), [*found.diagnostics, *unsure])


def _only_plan(found: Judged, folder: Path) -> Plan:
    """Return the plan of the only collection, which must be complete."""
    collections = [contents.collection for contents in found.workspace.contents]
    if len(collections) != 1 or not collections[0].configured or collections[0].selected is not None:
        message = "only a complete collection with a `deck.toml` can be released"
        raise WrongUseError(message, "name the collection's folder, or run `ptcards init` in it")
    own = {file.resolve() for file in found.workspace.files()}
    pages = (study_page(each.name) for each in (WHOLE, *collections[0].config.editions))
    if any((folder / name).resolve() in own for name in (*_OUTPUTS, *pages)):
        message = f"`{folder}` has files of the collection that a release would replace"
        raise WrongUseError(message, "choose another folder with `-o`")
    return found.plans[0]


def _released_before(commit: Commit | None, previous: Feed | None, folder: Path) -> Iterator[Diagnostic]:
    """Yield an error if a version is one before the newest."""
    if commit and previous and commit.version in [each.version for each in previous.releases[:-1]]:
        message = f"version {commit.version} was released before {previous.newest.version}"
        place = Location(shown(folder.absolute() / FEED), 1, 0)
        yield error(place, "released-before", message, "choose a new version")


@dataclass(frozen=True, slots=True)
class _Release:
    """A release that nothing prevents, except perhaps that it was made before with another package."""

    workspace: Workspace
    plan: Plan
    commit: Commit
    previous: Feed | None
    reading: ReadOptions
    folder: Path
    """Where the release belongs; a dry run writes elsewhere."""

    @property
    def is_again(self) -> bool:
        """Whether this version is the newest release already."""
        return self.previous is not None and self.previous.newest.version == self.commit.version

    @property
    def since(self) -> str:
        """The version before this one; empty if this is the first."""
        if self.previous is None:
            return ""
        before = self.previous.releases[:-1] if self.is_again else self.previous.releases
        return before[-1].version if before else ""

    @property
    def time(self) -> int:
        """The time of the release, which depends only on the commit and the releases before it."""
        if self.previous is not None and self.is_again:
            return self.previous.newest.time
        lock = self.plan.before
        newest = [record.mod for record in lock.records] + [each.mod for each in lock.types]
        after = self.previous.newest.time + 1 if self.previous else 0
        return max(self.commit.time, after, *newest)

    def update(self) -> tuple[Update | None, list[Diagnostic]]:
        """Return how this release differs from the one before, or `None` if git does not have that one."""
        root = self.plan.contents.collection.root
        try:
            tag = previous_tag(root, self.since) if self.since else None
            return find_update(self.workspace, tag) if tag else (None, [])
        except (GitError, NoOldError):
            return None, []

    def write(self, folder: Path, update: Update | None) -> Released | Diagnostic:
        """Write the files of a release, unless its version has another package or its feed is too large."""
        collection = self.plan.contents.collection
        wanted = (each for each in collection.config.editions if self.plan.contents.count(each))
        written = {each: self._edition(each) for each in (WHOLE, *wanted)}
        outputs: list[Path] = []
        with replacing_together() as files:
            for which, edition in written.items():
                paths = {"apkg": folder / edition.package, "html": folder / study_page(which.name)}
                write_outputs(paths, edition, files.replacing, lambda _: None)
                outputs += paths.values()
            packages = [_written(files, folder / edition.package) for edition in written.values()]
            feed = self._feed(written, packages)
            if feed is None:
                message = f"version {self.commit.version} was released with another package"
                fix = "choose a new version: learners may have this one"
                return self._nothing(files, "released-before", message, fix)
            content = format_feed(feed)
            try:
                read_feed(content)
            except BrokenFeedError as failure:  # it is beyond a limit
                message = f"nobody could follow this release, because of its feed: {failure}"
                fix = "split the deck, or delete the feed and start a new history with `--first`"
                return self._nothing(files, "large-feed", message, fix)
            config, records = collection.config, self.plan.before.records
            changes = sections(update) if update else ()
            window = shop_window(written[WHOLE], update, folder / INDEX)
            texts = {
                RELEASE_NOTES: self._notes(feed, update).encode(),
                INDEX: as_page(feed, records, changes, config, window).encode(),
                ATOM: as_atom(feed, config.release.url).encode(),
                FEED: content,
                WORKER: study_worker().encode(),
                MANIFEST: as_manifest(feed.name).encode(),
            }
            for each, content in texts.items():
                with files.replacing(folder / each) as file:
                    file.write(content)
            sizes = {file.name: _written(files, file).stat().st_size for file in outputs}
        sizes |= {each: len(content) for each, content in texts.items()}
        remarks = (*(update.remarks if update else ()), *self._about_notes())
        return Released(feed, self.since, folder, sizes, config.release, remarks)

    def _nothing(self, files: Replacements, rule: str, message: str, fix: str) -> Diagnostic:
        """Forget what was written, and say why."""
        files.waiting.clear()
        return error(Location(shown(self.folder.absolute() / FEED), 1, 0), rule, message, fix)

    def _about_notes(self) -> Iterator[str]:
        if len(self.commit.notes) > MAX_NOTES:
            yield f"the tag's message is longer than {MAX_NOTES:,} characters, so its end is left out"

    def _edition(self, which: EditionConfig) -> Edition:
        """Return an edition with the version and the name of its package."""
        version, edition = self.commit.version, self.plan.edition(self.reading.progress, which)
        name = f"{output_name(self.plan.contents.collection, which)}-{version}.apkg"
        decks = tuple(self._described(edition.decks))
        title = edition.title or (which.name and f"{edition.config.name} ({which.name})")
        return edition._replace(decks=decks, package=name, version=version, title=title)

    def _feed(self, written: Mapping[EditionConfig, Edition], packages: Sequence[Path]) -> Feed | None:
        """Return the feed with these packages as its newest release; `None` if the version has others."""
        config = self.plan.contents.collection.config
        before = self.previous or self._before()
        decks = [
            path for which, path in zip(written, packages, strict=True) if which is WHOLE or which.language
        ]
        editions: dict[str, FeedEdition] = {}
        for (which, edition), path in zip(written.items(), packages, strict=True):
            if which is not WHOLE or len(decks) > 1:
                file = read_package_file(path, edition.package)
                guids = [guid for guid, *_ in self.plan.rows(which)]
                title = edition.title or config.name
                editions[which.name] = FeedEdition(title, file, since_when(before, which.name, guids))
        package = read_package_file(packages[0], written[WHOLE].package)
        if self.is_again and (before.package, before.editions) != (package, editions):
            return None
        if not self.is_again:
            published = read_published(*decks)
            before = append(before, self.commit.version, self.time, published, self.commit.notes)
        return replace(
            before,
            id=config.id,
            name=config.name,
            issues=config.release.issues,
            package=package,
            editions=editions,
            language=config.language,
        )

    def _before(self) -> Feed:
        """Return the feed before the first release: empty, or with what git says about earlier locks."""
        known = self.plan.contents.published.publications()
        now = {record.guid: ((record.mod, record.fingerprint.deck),) for record in self.plan.before.records}
        is_new = all(tuple(states) == now.get(guid) for guid, states in known.items())
        feed = before_feeds({} if is_new else known)
        return replace(feed, releases=()) if is_new else feed

    def _described(self, decks: Iterable[Deck]) -> Iterator[Deck]:
        """Yield the decks; the descriptions of root decks name the version."""
        config = self.plan.contents.collection.config
        day = datetime.fromtimestamp(self.time, UTC).strftime("%Y-%m-%d")
        line = f"{VERSION}{self.commit.version} ({day})."
        links = {each.title: f"edition={each.name}" for each in config.editions if each.language}
        links[config.name] = f"v={self.commit.version}"
        for deck in decks:
            text, link = deck.description, f"{config.release.url}#{links.get(deck.name)}"
            if deck.name == config.name and deck.is_html:
                more = f' <a href="{escape(link)}">What is new</a>' if config.release.url else ""
                text += f"<p>{line}{more}</p>"
            elif deck.name in links:
                more = f" [What is new]({link})" if config.release.url else ""
                text = "\n\n".join(filter(None, (text, line + more)))
            yield deck._replace(description=text)

    def _notes(self, feed: Feed, update: Update | None) -> str:
        """Return the release notes: the author's words, then what changed.

        If git lacks the release before, they only say how much changed.
        """
        heading = f"## {feed.name} {feed.newest.version}"
        changes = f"The first release: {counted(feed.newest.new, 'note')}.\n"
        if update is not None:
            heading, _, changes = as_markdown(update).partition("\n\n")
        elif self.since:
            counts = ", ".join(words for _, words in in_parts(feed.newest)) or "nothing changed"
            heading, changes = f"{heading}: changes since {self.since}", f"{counts}.\n"
        return "\n\n".join(filter(None, (heading, feed.newest.notes, changes)))


def _written(files: Replacements, path: Path) -> Path:
    """Return the file with the new content of a path, which may not have replaced the old one yet."""
    return next((content for content, replaced in files.waiting if replaced == path), path)
