"""The report on reviews as a page in one file, with plots."""

import html
from importlib import resources

from ptcards.notes.labels import interface
from ptcards.reviews.report import as_values
from ptcards.reviews.summary import Summary
from ptcards.writers.page import fill_page, study_files

_OWN = resources.files(__name__.rpartition(".")[0]).joinpath("page")


def as_html(summary: Summary) -> str:
    """Return the page, with the colours and charts of the study page."""
    values, words = as_values(summary), dict(interface("reviews"))
    title = words["heading"].replace("{name}", summary.name)
    said = [
        entry
        for entry, each in zip(values["notes"], summary.notes, strict=True)
        if each.figures.reviews or each.figures.is_leech
    ]
    return fill_page(
        _read("page.html"),
        style=study_files(["page.css"]) + _read("page.css"),
        script=study_files(["common.js", "charts.js"]) + _read("page.js"),
        data={**values, "notes": said, "count": len(summary.notes), "words": words},
        parts={name: html.escape(word) for name, word in (words | {"title": title}).items()},
    )


def _read(name: str) -> str:
    return _OWN.joinpath(name).read_text(encoding="utf-8")
