"""The words of a source with `#` lines are where GitHub's headings put them, or the line is reported."""

import random
from pathlib import Path

import pytest

import deck_lines


def test_a_line_that_cuts_an_answer_off_is_named_and_no_word_is_lost(tmp_path: Path) -> None:
    source = random.Random(1)
    texts = [deck_lines.a_text(source, number) for number in range(100)]
    published, lost = deck_lines.misplaced(tmp_path, texts)
    assert lost == []
    assert published > 40


@pytest.mark.parametrize(
    ("text", "unclear"),
    [
        ("# w1x1x\n\n## w1x2x?\n\nw1x3x\n\n# w1x4x\n\n## w1x5x?\n", frozenset()),
        ("## w1x1x?\n\nw1x2x\n# w1x3x\n\n## w1x4x?\n", frozenset({4})),
        ("## w1x1x?\n\nw1x2x\n\n# w1x3x\n## w1x4x?\n", frozenset({5})),
        ("## w1x1x?\n\n```\n# w1x2x\n```\n\n# w1x3x", frozenset({7})),
    ],
)
def test_what_is_expected_is_what_a_reader_would_expect(text: str, unclear: frozenset[int]) -> None:
    assert deck_lines.sort_words(text).unclear == unclear
