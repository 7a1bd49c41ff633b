import re
from collections.abc import Iterator

from ptcards.lint.registry import Draft, Edit, Rule
from ptcards.source.media import MediaFolder

_SIZE = re.compile(r"(\d+)(?:x\d+)?")


class WikiEmbed(Rule, severity="error"):
    """A picture is embedded in Obsidian's way.

    Why: in Markdown this is text, so the card shows the brackets and no picture.

    For instance:

        ![[plot.png]]

    Fix: write the path from the folder of the Markdown file. `--fix` does so if only one file of the
    collection has that name.

        ![](img/plot.png)
    """

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write the picture, where only one file can be meant."""
        found = list(draft.found(self.name))
        media = MediaFolder(draft.source.root) if found else None
        for each in found:
            name, _, size = draft.marked(each).removeprefix("![[").removesuffix("]]").partition("|")
            path = media.elsewhere(draft.source.file, name.strip()) if media else ""
            width = _SIZE.fullmatch(size.strip())
            picture = f'<img src="{path}" width="{width[1]}" alt="">' if width else f"![]({path})"
            yield from draft.replace(each, picture if path else None)
