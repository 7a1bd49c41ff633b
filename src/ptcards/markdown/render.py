"""Renders Markdown to HTML as GitHub does.

Python-Markdown runs the conversion and writes the HTML. The scanners in this package interpret the text, in
place of its block processors and inline patterns. `source` reports what would render differently from GitHub;
this module only reports problems with colouring code.
"""

import re
from collections.abc import Mapping
from functools import cache

from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor, RawHtmlPostprocessor
from markdown.util import HTML_PLACEHOLDER, Registry

from ptcards.diagnostics import Diagnostic
from ptcards.markdown.blocks import scan
from ptcards.markdown.escaping import finish
from ptcards.markdown.paragraphs import footnotes, targets
from ptcards.markdown.render_blocks import BlockTreeParser
from ptcards.markdown.render_state import Cloze, Rendering
from ptcards.markdown.tree import Block, BlockKind
from ptcards.notes import Line, Text

__all__ = ["Cloze", "render", "render_inline"]

_NUMBERED = HTML_PLACEHOLDER % "([0-9]+)"
_PLACEHOLDER = re.compile(f"<p>{_NUMBERED}</p>|{_NUMBERED}")


def render(
    text: Text,
    *,
    names: Mapping[str, str],
    prefix: str,
    cloze: Cloze = Cloze.NONE,
    passes_on: bool = False,
    plain_code: bool = False,
) -> tuple[str, list[Diagnostic]]:
    """Return the HTML of a text, and diagnostics.

    `names` maps addresses as written to file names in Anki; a picture without a name becomes its text.
    `prefix` (letters, digits and `-`) makes the ids of footnotes unique on a page with many fields. With
    `passes_on`, HTML fences are passed on and sounds use Anki's syntax, as in fields written in Anki. With
    `plain_code`, code has no classes, for cards without our style sheet. Raises DeadlineError if a
    surrounding `deadline` is exceeded.
    """
    document = scan(text.markdown)
    defines = "]:" in text.markdown
    known = (targets(document), footnotes(document)) if defines else ({}, {})
    rendering = Rendering(text, names, prefix, cloze, _engine().htmlStash.store, *known)
    rendering.passes_on, rendering.plain_code = passes_on, plain_code
    return _convert(rendering, document), rendering.diagnostics


def render_inline(
    text: Text, *, names: Mapping[str, str], cloze: Cloze = Cloze.NONE, passes_on: bool = False
) -> tuple[str, list[Diagnostic]]:
    """Return the HTML of a heading, without a `<p>` around it, and diagnostics.

    The heading is the first line of the text, and the definitions that it uses are below.
    """
    line, _, below = text.markdown.partition("\n")
    paragraph = Block(BlockKind.PARAGRAPH, 0, 1, lines=(Line(line, 0),))
    rendering = Rendering(
        text, names, "", cloze, _engine().htmlStash.store, targets(scan(below)) if below else {}
    )
    rendering.passes_on = passes_on
    html = _convert(rendering, Block(BlockKind.DOCUMENT, 0, 1, children=(paragraph,)))
    return html.removeprefix("<p>").removesuffix("</p>"), rendering.diagnostics


def _convert(rendering: Rendering, document: Block) -> str:
    engine = _engine()
    engine.reset()
    parser = engine.parser
    assert isinstance(parser, BlockTreeParser)  # noqa: S101 - set by our extension
    parser.rendering, parser.document = rendering, document
    return rendering.with_passed_on(engine.convert(rendering.text.markdown))


@cache
def _engine() -> Markdown:
    """Return the only converter, which must be reset before each conversion."""
    return Markdown(extensions=[_CardExtension()], output_format="html")


class _CardExtension(Extension):
    """Replaces parts of Python-Markdown with our own."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Python-Markdown's name
        """Register our replacements."""
        md.preprocessors = Registry()
        md.treeprocessors = Registry()
        md.parser = BlockTreeParser(md)
        md.postprocessors.register(_RestoreHtml(md), "raw_html", 30)
        md.postprocessors.register(_Finish(md), "finish", 10)


class _RestoreHtml(RawHtmlPostprocessor):
    """Puts stored HTML back in one pass, without searching it again: ours never contains placeholders."""

    def run(self, text: str) -> str:
        return _PLACEHOLDER.sub(self._restored, text) if self.md.htmlStash.html_counter else text

    def _restored(self, found: re.Match[str]) -> str:
        html = str(self.md.htmlStash.rawHtmlBlocks[int(found[1] or found[2])])
        return html if found[2] or self.isblocklevel(html) else f"<p>{html}</p>"


class _Finish(Postprocessor):
    def run(self, text: str) -> str:
        return finish(text)
