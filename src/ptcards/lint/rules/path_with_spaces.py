from collections.abc import Iterator

from ptcards.lint.registry import Draft, Edit, Rule


class PathWithSpaces(Rule, severity="error"):
    """The path of a picture has spaces, so it is not a picture.

    Why: in Markdown a space ends the path, so the card shows the line as text. Screenshots often have such
    names.

    For instance:

        ![](Screenshot 2024-01-02 at 10.11.12.png)

    Fix: put the path between `<` and `>`. `--fix` does so.

        ![](<Screenshot 2024-01-02 at 10.11.12.png>)
    """

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write the path between angle brackets."""
        for each in draft.found(self.name):
            alt, _, path = draft.marked(each).removesuffix(")").partition("](")
            yield from draft.replace(each, f"{alt}](<{path}>)" if path else None)
