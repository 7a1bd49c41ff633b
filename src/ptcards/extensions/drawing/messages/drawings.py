"""Diagrams that `ptcards draw` could not turn into pictures."""

from ptcards.lint.message import Message


class DrawingFailed(Message, severity="error", elsewhere=True):
    """A diagram could not be drawn, or its drawing cannot be used.

    Why: the program that draws it is missing, or reports the error that is the message. It is ended if it
    takes more than 30 seconds or uses more than 1 GB of memory, and it has no network. Cards are studied
    offline, on every device, so a drawing may not refer to other files or addresses, it may not contain HTML
    (`foreignObject`), and it may have at most 512 kB.

    For instance:

        ```dot
        digraph { a -> }
        ```

    Fix: correct the diagram, or get the program.

        ```dot
        digraph { a -> b }
        ```
    """
