"""`deck.lock` as a file.

What is written can be read, duplicates left by git are merged, and damage is reported with its line.
"""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from identity_notes import with_digits
from ptcards.diagnostics import Diagnostic, Location
from ptcards.identity import lock_reading
from ptcards.identity.hashes import one_line
from ptcards.identity.lock import Fingerprint, ItemRecord, Lock, Record, TypeRecord, format_lock
from ptcards.identity.lock_reading import UNKNOWN, read_lock

HEADER = "ptcards-lock\t3\t6f0c2c0e\ncount\t1\n"
TYPE = "type\tqa\t1763712000\t3f9c1ab2d0e4\n"
NOTE = (
    "note\t0aB3xK9pQ2z\tqa\t1763712000\tlive\t9c41d2e07a55\te81b00000000\t51ff00000000\tk3Zq-0aPw7bM2xTe\t-"
    "\teval-no-grad\tPyTorch::Autograd\tWhy does evaluation run under `torch.no_grad()`?\n"
)
RECORD = Record(
    "0aB3xK9pQ2z",
    1763712000,
    live=True,
    fingerprint=Fingerprint(
        "qa",
        "9c41d2e07a55",
        "e81b00000000",
        "51ff00000000",
        "eval-no-grad",
        "PyTorch::Autograd",
        "Why does evaluation run under `torch.no_grad()`?",
        "k3Zq-0aPw7bM2xTe",
    ),
)
LOCK = Lock(
    "6f0c2c0e",
    (TypeRecord("qa", 1763712000, "3f9c1ab2d0e4"),),
    (RECORD,),
    "cards/deck.lock",
    new=False,
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "deck.lock"


def read(file: Path, content: str | bytes) -> tuple[Lock | None, list[Diagnostic]]:
    """Read a lock with this content; a text gets its check digits, bytes are taken as they are."""
    file.write_bytes(with_digits(content).encode() if isinstance(content, str) else content)
    return read_lock(file, shown="cards/deck.lock", collection_id="6f0c2c0e")


def complaints(file: Path, content: str | bytes) -> list[tuple[int, str, str]]:
    lock, diagnostics = read(file, content)
    assert lock is None
    assert {each.location.path for each in diagnostics} == {"cards/deck.lock"}
    return [(each.location.line, each.rule, each.message) for each in diagnostics]


def test_a_lock_reads_as_it_stands_in_the_contract(file: Path) -> None:
    assert read(file, HEADER + TYPE + NOTE) == (LOCK, [])


def test_a_lock_is_written_as_it_stands_in_the_contract() -> None:
    assert format_lock(LOCK) == with_digits(HEADER + TYPE + NOTE)


def test_a_note_without_id_has_a_hyphen(file: Path) -> None:
    nameless = LOCK._replace(records=(RECORD._replace(fingerprint=RECORD.fingerprint._replace(id="")),))
    assert format_lock(nameless) == with_digits(HEADER + TYPE + NOTE.replace("eval-no-grad", "-"))
    assert read(file, format_lock(nameless)) == (nameless, [])


def test_notes_and_types_are_written_in_order_whatever_their_own() -> None:
    first, last = RECORD._replace(guid="00000000000"), RECORD._replace(guid="zzzzzzzzzzz", live=False)
    cloze = TypeRecord("cloze", 1, "00")
    mixed = LOCK._replace(records=(last, RECORD, first), types=(*LOCK.types, cloze))
    text = format_lock(mixed)
    assert [line.split("\t")[1] for line in text.splitlines()[1:]] == [
        "3",
        "cloze",
        "qa",
        "00000000000",
        "0aB3xK9pQ2z",
        "zzzzzzzzzzz",
    ]


def test_lines_in_another_order_are_read_in_order(file: Path) -> None:
    cloze = TypeRecord("cloze", 1, "00")
    last = TypeRecord("zz", 1, "00")
    guids = ("00000000000", "0aB3xK9pQ2z", "zzzzzzzzzzz")
    full = LOCK._replace(
        types=(cloze, *LOCK.types, last),
        records=tuple(
            RECORD._replace(guid=guid, fingerprint=RECORD.fingerprint._replace(id="")) for guid in guids
        ),
    )
    text = format_lock(full)
    lock, found = read(file, text)
    assert found == []
    rows = text.splitlines(keepends=True)
    for one, other in ((2, 3), (3, 4), (5, 6), (6, 7)):
        swapped = [*rows]
        swapped[one], swapped[other] = swapped[other], swapped[one]
        assert read(file, "".join(swapped)) == (lock, []), one


def test_a_lock_of_a_later_version_is_refused(file: Path) -> None:
    message = "the lock has format 4; this ptcards reads format 3"
    assert complaints(file, (HEADER + TYPE + NOTE).replace("\t3\t", "\t4\t")) == [
        (1, "damaged-lock", message)
    ]


lines = st.text(max_size=20).map(one_line)
hashes = st.text("0123456789abcdef", min_size=12, max_size=12)
records = st.builds(
    Record,
    st.text(min_size=1, max_size=255).filter(str.isprintable),
    st.integers(1, 10**12 - 1),
    live=st.booleans(),
    fingerprint=st.builds(
        Fingerprint,
        st.sampled_from(["qa", "cloze"]),
        hashes,
        hashes,
        hashes,
        st.just(""),
        lines.filter(bool),
        lines,
        st.just("") | st.text("abcXYZ019-", min_size=16, max_size=16),
    ),
    nid=st.just("") | st.integers(1, 10**18).map(str),
    merged=st.just(()),
    items=st.lists(
        st.builds(ItemRecord, st.integers(1, 499), st.booleans(), st.integers(0, 499), hashes, hashes, lines),
        unique_by=lambda item: item.number,
        max_size=4,
    ).map(lambda items: tuple(sorted(items))),
)


@settings(deadline=None, max_examples=100)
@given(st.lists(records, unique_by=lambda record: record.guid, max_size=5))
def test_what_is_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, found: list[Record]) -> None:
    lock = LOCK._replace(records=tuple(sorted(found, key=lambda record: record.guid)))
    assert read(tmp_path_factory.mktemp("lock") / "deck.lock", format_lock(lock)) == (lock, [])


def test_a_missing_lock_is_new_and_empty(file: Path) -> None:
    lock = Lock("6f0c2c0e", shown="cards/deck.lock", new=True)
    assert read_lock(file, shown="cards/deck.lock", collection_id="6f0c2c0e") == (lock, [])


def test_what_an_editor_or_git_on_windows_does_to_a_file_changes_nothing(file: Path) -> None:
    text = with_digits(HEADER + TYPE + NOTE).replace("\n", "\r\n").encode()
    assert read(file, b"\xef\xbb\xbf" + text) == (LOCK, [])


def test_of_several_lines_of_a_guid_the_newest_holds(file: Path) -> None:
    newer = NOTE.replace("\t1763712000", "\t1763712001").replace("Why does", "Why would")
    newest = NOTE.replace("\t1763712000", "\t1763712002").replace("\tlive", "\tretired")
    lock, _ = read(file, HEADER + TYPE + NOTE + newest + newer)
    assert lock is not None
    assert lock.records == (RECORD._replace(mod=1763712002, live=False),)


def test_of_several_lines_of_one_time_a_live_one_holds(file: Path) -> None:
    """Retiring a note does not change its time; if the note is gone after all, the build retires it again."""
    assert read(file, HEADER + TYPE + NOTE.replace("\tlive", "\tretired") + NOTE) == (LOCK, [])


def test_two_contents_of_one_second_count_as_changed(file: Path) -> None:
    """A learner may have either version, so the next build must be newer than both."""
    lock, _ = read(file, HEADER + TYPE + NOTE + NOTE.replace("9c41d2e07a55", "aaaaaaaaaaaa"))
    assert lock is not None
    (record,) = lock.records
    deck = RECORD.fingerprint.deck
    assert record.fingerprint == RECORD.fingerprint._replace(content=UNKNOWN)
    assert record.merged == ((deck, "9c41d2e07a55"), (deck, "aaaaaaaaaaaa"))
    # The note is written like this if it is gone.
    written, _ = read(file, format_lock(lock))
    assert written == lock._replace(records=(record._replace(merged=()),))


def test_two_branches_that_changed_the_templates_fold_to_the_newer(file: Path) -> None:
    newer = TYPE.replace("1763712000", "1763712009").replace("3f9c1ab2d0e4", "000000000001")
    lock, _ = read(file, HEADER + newer + TYPE + NOTE)
    assert lock is not None
    assert lock.types == (TypeRecord("qa", 1763712009, "000000000001"),)


def test_two_templates_of_one_second_count_as_changed(file: Path) -> None:
    lock, _ = read(file, HEADER + TYPE + TYPE.replace("3f9c1ab2d0e4", "000000000001") + NOTE)
    assert lock is not None
    assert lock.types == (TypeRecord("qa", 1763712000, UNKNOWN),)


def test_a_header_that_a_union_doubled_does_no_harm(file: Path) -> None:
    assert read(file, HEADER + TYPE + HEADER + NOTE) == (LOCK, [])


def test_each_header_that_a_union_left_is_checked(file: Path) -> None:
    text = f"{HEADER}ptcards-lock\t3\tother\n{TYPE}ptcards-lock\t4\t6f0c2c0e\n{NOTE}"
    assert [(line, rule) for line, rule, _ in complaints(file, text)] == [
        (3, "foreign-lock"),
        (5, "damaged-lock"),
    ]


def test_the_same_id_is_free_again_after_a_note_is_retired(file: Path) -> None:
    retired = NOTE.replace("0aB3xK9pQ2z", "1aB3xK9pQ2z").replace("\tlive", "\tretired")
    assert read(file, HEADER + NOTE + retired)[1] == []


def test_an_id_in_both_note_types_is_no_damage(file: Path) -> None:
    """A build of one file leaves such a lock, because it does not retire anything."""
    cloze = NOTE.replace("0aB3xK9pQ2z", "1aB3xK9pQ2z").replace("\tqa", "\tcloze")
    assert read(file, HEADER + NOTE + cloze)[1] == []


def test_two_live_notes_with_one_id_are_an_error(file: Path) -> None:
    twin = NOTE.replace("0aB3xK9pQ2z", "1aB3xK9pQ2z").replace("eval-no-grad", "Eval-No-Grad")
    message = "two notes have the id `Eval-No-Grad`: `0aB3xK9pQ2z` and `1aB3xK9pQ2z`"
    assert complaints(file, HEADER + NOTE + twin) == [(4, "damaged-lock", message)]


def test_one_guid_in_two_note_types_is_an_error(file: Path) -> None:
    message = "`0aB3xK9pQ2z` has two note types"
    assert complaints(file, HEADER + NOTE + NOTE.replace("\tqa", "\tcloze")) == [(4, "damaged-lock", message)]


@pytest.mark.parametrize("marker", ["<<<<<<< HEAD", "=======", ">>>>>>> theirs", "||||||| base"])
def test_a_conflict_marker_is_named_with_its_line(file: Path, marker: str) -> None:
    assert complaints(file, f"{HEADER}{TYPE}{marker}\n{NOTE}") == [
        (4, "damaged-lock", "the lock contains a merge conflict")
    ]


def test_the_cure_for_a_conflict_is_to_take_a_side_and_build_again(file: Path) -> None:
    (found,) = read(file, f"{HEADER}<<<<<<< HEAD\n")[1]
    assert found == Diagnostic(
        Location("cards/deck.lock", 3),
        "damaged-lock",
        found.severity.ERROR,
        "the lock contains a merge conflict",
        "run `git checkout --ours cards/deck.lock` (or `--theirs`) and build again; "
        "nothing is lost: GUIDs of unpublished notes are derived again",
    )


@pytest.mark.parametrize(
    "line",
    [
        NOTE.rpartition("\t")[0],
        NOTE.replace("\tlive", "\talive").rstrip("\n"),
        NOTE.replace("9c41d2e07a55", "9c41").rstrip("\n"),
        NOTE.replace("0aB3xK9pQ2z", "").rstrip("\n"),
        NOTE.replace("0aB3xK9pQ2z", "x" * 256).rstrip("\n"),
        NOTE.replace("0aB3xK9pQ2z", "0aB3\x7f").rstrip("\n"),
        NOTE.replace("k3Zq-0aPw7bM2xTe", "k3Zq").rstrip("\n"),
        NOTE.replace("1763712000", "0").rstrip("\n"),
        NOTE.replace("1763712000", "9" * 5000).rstrip("\n"),
        "tag\tx",
        "garbage",
    ],
)
def test_a_line_that_is_short_or_unknown_is_an_error(file: Path, line: str) -> None:
    message = f"not a valid line: `{line[:60]}`"
    assert complaints(file, f"{HEADER}{TYPE}{line}\n") == [(4, "damaged-lock", message)]


@pytest.mark.parametrize(("lines", "named"), [(99, 99), (100, 100), (150, 100)])
def test_at_most_100_damaged_lines_are_named(file: Path, lines: int, named: int) -> None:
    lock, found = read(file, HEADER + "x\n" * lines + TYPE + NOTE)
    assert (lock, [each.location.line for each in found]) == (None, [*range(3, 3 + named)])


def test_all_damaged_lines_are_named_together(file: Path) -> None:
    twin = NOTE.replace("0aB3xK9pQ2z", "1aB3xK9pQ2z")
    found = complaints(file, HEADER + "one\n" + NOTE + "two\n" + twin)
    assert [line for line, _, _ in found] == [3, 5, 6]


@pytest.mark.parametrize("text", ["", "\n", "garbage\n", NOTE])
def test_a_file_that_is_no_lock_is_an_error(file: Path, text: str) -> None:
    assert complaints(file, text) == [(1, "damaged-lock", "the lock does not start with `ptcards-lock`")]


def test_a_lock_of_a_later_format_asks_for_a_newer_ptcards(file: Path) -> None:
    (found,) = read(file, HEADER.replace("\t3\t", "\t4\t") + "whatever\n")[1]
    assert (found.message, found.help) == (
        "the lock has format 4; this ptcards reads format 3",
        "update ptcards",
    )


def test_a_lock_of_another_collection_is_an_error(file: Path) -> None:
    message = "the lock belongs to collection `deadbeef`, but `deck.toml` says `6f0c2c0e`"
    assert complaints(file, HEADER.replace("6f0c2c0e", "deadbeef") + NOTE) == [(1, "foreign-lock", message)]


def test_bytes_that_are_not_utf8_are_named_with_their_line(file: Path) -> None:
    assert complaints(file, (HEADER + TYPE).encode() + b"note\t\xff\n") == [
        (4, "damaged-lock", "this part of the lock is not UTF-8")
    ]


def test_a_folder_in_its_place_is_an_error_not_a_crash(tmp_path: Path) -> None:
    lock, (found,) = read_lock(tmp_path, shown="cards/deck.lock", collection_id="6f0c2c0e")
    assert lock is None
    assert (found.rule, found.message, found.help) == (
        "damaged-lock",
        "is a folder",
        "replace it with a file",
    )


damage = st.lists(
    st.tuples(
        st.integers(0, 400), st.integers(0, 60), st.binary(max_size=12) | st.sampled_from([b"\n", b"\t"])
    ),
    min_size=1,
    max_size=4,
)


@settings(deadline=None, max_examples=200)
@given(damage)
def test_a_damaged_lock_is_read_as_it_stands_or_named_with_its_lines_never_a_crash(
    tmp_path_factory: pytest.TempPathFactory, damage: list[tuple[int, int, bytes]]
) -> None:
    other = NOTE.replace("0aB3xK9pQ2z", "1aB3xK9pQ2z").replace("eval-", "test-")
    content = with_digits(HEADER + TYPE + NOTE + other).encode()
    for place, length, bytes_ in damage:
        content = content[:place] + bytes_ + content[place + length :]
    file = tmp_path_factory.getbasetemp() / "deck.lock"
    file.write_bytes(content)
    lock, problems = read_lock(file, shown="cards/deck.lock", collection_id="6f0c2c0e")
    assert (lock is None) == bool(problems)
    lines = content.count(b"\n") + 1
    assert [each for each in problems if not 1 <= each.location.line <= lines] == []
    if lock is not None:
        file.write_text(format_lock(lock), newline="")
        assert read_lock(file, shown="cards/deck.lock", collection_id="6f0c2c0e") == (lock, [])


def many(number: int) -> str:
    """Return a lock with several notes and note types."""
    notes = "".join(
        NOTE.replace("0aB3xK9pQ2z", f"{n}aB3xK9pQ2z").replace("eval-no-grad", f"id-{n}")
        for n in range(number)
    )
    return with_digits(HEADER.replace("1\n", f"{number}\n") + TYPE.replace("qa", "cloze") + TYPE + notes)


@pytest.mark.parametrize("at_once", [1, 150, 163, 164, 165, 166, 400, 700])
def test_a_lock_is_read_in_parts_of_any_size(
    file: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    whole, _ = read(file, many(5))
    careful, _ = read(file, many(5).replace("\n", "\r\n").encode())  # these are read line by line
    monkeypatch.setattr(lock_reading, "_AT_ONCE", at_once)
    assert whole == careful == read(file, many(5))[0]
    assert whole is not None
    assert len(whole.records) == 5
    for number in range(5):
        lock, (found,) = read(
            file, many(5).replace(f"{number}aB3xK9pQ2z\tqa\t", f"{number}aB3xK9pQ2z\tqa\t0")
        )
        assert (lock, found.location.line) == (None, number + 5)


def test_a_tidy_lock_is_not_read_line_by_line(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock_reading, "_parse", None)
    lock, found = read(file, many(3))
    assert (lock is not None, found) == (True, [])


def test_records_share_the_fingerprints_that_are_known(file: Path) -> None:
    file.write_text(many(3))
    known = [RECORD.fingerprint._replace(id="id-1"), RECORD.fingerprint._replace(content="0" * 12)]
    lock, _ = read_lock(file, shown="cards/deck.lock", collection_id="6f0c2c0e", known=known[:1])
    assert lock is not None
    assert [record.fingerprint is known[0] for record in lock.records] == [False, True, False]
    assert [record.fingerprint.id for record in lock.records] == ["id-0", "id-1", "id-2"]
    again, _ = read(file, many(3))
    assert again == lock


# Complete or refused


BRANCHES = (
    HEADER + TYPE + NOTE,
    HEADER.replace("1\n", "2\n")
    + TYPE
    + NOTE
    + NOTE.replace("0aB3xK9pQ2z", "zaB3xK9pQ2z").replace("eval-", "test-"),
)


def cuts(text: str) -> Iterator[bytes]:
    """Yield every prefix of a text, except the text itself."""
    content = with_digits(text).encode()
    return (content[:end] for end in range(len(content)))


@pytest.mark.parametrize("text", BRANCHES)
def test_no_beginning_of_a_lock_is_taken_for_the_whole(file: Path, text: str) -> None:
    assert [cut for cut in cuts(text) if read(file, cut)[0] is not None] == []


def test_no_beginning_of_a_merged_lock_is_taken_for_the_whole(file: Path) -> None:
    base, ours, theirs = (file.with_name(name) for name in ("base", "ours", "theirs"))
    more = NOTE.replace("0aB3xK9pQ2z", "0bB3xK9pQ2z").replace("eval-", "more-")
    for side, text in ((base, BRANCHES[0]), (ours, BRANCHES[1])):
        side.write_text(with_digits(text))
    theirs.write_text(with_digits(HEADER.replace("1\n", "2\n") + TYPE + NOTE + more))
    command = ["git", "merge-file", "-p", "--union", str(ours), str(base), str(theirs)]
    merged = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    lock, _ = read(file, merged)
    assert lock is not None
    assert [record.guid for record in lock.records] == ["0aB3xK9pQ2z", "0bB3xK9pQ2z", "zaB3xK9pQ2z"]
    # Both sides have two notes: a cut that leaves two complete lines loses a note of one branch, which only
    # git can detect.
    assert {len(found.records) for cut in cuts(merged) if (found := read(file, cut)[0])} <= {2}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (HEADER.replace("1\n", "3\n") + TYPE + NOTE, 5),
        (HEADER + TYPE + NOTE.removesuffix("\n"), 4),
        (HEADER + TYPE + NOTE[:70], 4),
    ],
    ids=["between lines", "before a line's end", "inside a line"],
)
def test_a_lock_that_is_cut_off_names_its_last_line(file: Path, text: str, line: int) -> None:
    (found,) = read(file, text)[1]
    assert found == Diagnostic(
        Location("cards/deck.lock", line),
        "damaged-lock",
        found.severity.ERROR,
        "the lock is cut off: notes are missing at its end",
        "restore the lock from a backup or another copy of the collection, and build again",
    )


def test_any_printable_guid_is_kept_as_it_is(file: Path) -> None:
    strange = 'q"> <!--é\u0301 \U0001f600' + "x" * 230
    lock = LOCK._replace(records=(RECORD._replace(guid=strange, nid="1700000000123"),))
    assert read(file, format_lock(lock)) == (lock, [])


def test_a_note_type_that_came_with_a_deck_keeps_its_id_and_name(file: Path) -> None:
    adopted = TypeRecord("x-basic-1", 1763712000, "3f9c1ab2d0e4", 1607392319, "Basic (and reversed)")
    text = (
        HEADER + TYPE + "type\tx-basic-1\t1763712000\t3f9c1ab2d0e4\t1607392319\tBasic (and reversed)\n" + NOTE
    )
    assert read(file, text) == (LOCK._replace(types=(*LOCK.types, adopted)), [])
    assert format_lock(LOCK._replace(types=(*LOCK.types, adopted))) == with_digits(text)


# Check digits


SEALED = LOCK._replace(
    types=(TypeRecord("qa", 1763712000, "3f9c1ab2d0e4"),),
    records=(RECORD, RECORD._replace(guid="zzzzzzzzzzz", live=False, nid="17")),
)
SEALED_LINES = [
    "ptcards-lock\t3\t6f0c2c0e\n",
    "count\t2\n",
    f"{TYPE[:-1]}\t~d15444f9\n",
    f"{NOTE[:-1]}\t~1e333b44\n",
    with_digits(
        NOTE.replace("0aB3xK9pQ2z", "zzzzzzzzzzz").replace("live", "retired").replace("\t-\t", "\t17\t")
    ),
]


def test_records_end_with_check_digits(file: Path) -> None:
    text = "".join(SEALED_LINES)
    assert format_lock(SEALED) == text
    assert read(file, text.encode()) == (SEALED, [])


def test_a_line_without_check_digits_is_damaged(file: Path) -> None:
    for number, line in ((2, TYPE), (3, NOTE)):
        lines = [*SEALED_LINES[:number], line, *SEALED_LINES[number + 1 :]]
        message = f"not a valid line: `{line.rstrip()[:60]}`"
        assert complaints(file, "".join(lines).encode()) == [(number + 1, "damaged-lock", message)]


@pytest.mark.parametrize("line", [2, 3])
def test_every_changed_byte_of_a_line_with_check_digits_is_noticed(file: Path, line: int) -> None:
    before = sum(map(len, SEALED_LINES[:line]))
    text = "".join(SEALED_LINES).encode()
    for place in range(before, before + len(SEALED_LINES[line])):
        for byte in {text[place] ^ 1, text[place] ^ 32, ord("a"), ord("0"), ord(" "), ord("\t")} - {
            text[place]
        }:
            lock, found = read(file, text[:place] + bytes([byte]) + text[place + 1 :])
            assert (lock, found != []) == (None, True), (place - before, byte)


def test_a_damaged_line_is_named(file: Path) -> None:
    """A changed letter in a GUID: without the digits, one note would be retired, and another one new."""
    damaged = SEALED_LINES[3].replace("0aB3xK9pQ2z", "0aB3xK9pQ2y")
    (found,) = read(file, "".join([*SEALED_LINES[:3], damaged, SEALED_LINES[4]]).encode())[1]
    assert (found.location, found.rule, found.message, found.help) == (
        Location("cards/deck.lock", 4),
        "damaged-lock",
        f"the check digits do not match this line: `{damaged[:60]}`",
        "restore the lock from a backup or another copy of the collection, and build again",
    )
