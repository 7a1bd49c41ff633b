"""Diagrams that `ptcards draw` could not turn into pictures."""

from ptcards.lint.message import Message


class DrawingFailed(Message, severity="error", elsewhere=True):
    """The program that draws a diagram reports an error.

    Why: the message is the program's own. A program is also ended if it takes more than 30 seconds or uses
    more than 1 GB of memory, and it has no network.

    For instance:

        ```dot
        digraph { a -> }
        ```

    Fix: correct the diagram.

        ```dot
        digraph { a -> b }
        ```
    """


class UnsafeDrawing(Message, severity="error", elsewhere=True):
    """A drawing contains something that a picture on a card cannot show.

    Why: cards are studied offline, on every device. A drawing may not refer to other files or addresses, it
    may not contain HTML (`foreignObject`), and it may have at most 512 kB.

    For instance:

        ```dot
        digraph { a [image="https://example.org/a.png"] }
        ```

    Fix: leave it out of the diagram, or draw the diagram as text and shapes only.

        ```dot
        digraph { a [label="a picture"] }
        ```
    """
