"""What an update brings that can run a program, or load something from the network, when a card is shown."""

from typing import NamedTuple


class Danger(NamedTuple):
    """A kind of danger that is new to the collection: `program` or `network`, in how many notes, and in which layouts.

    `program` is a script, a frame or the like; `network` is something that each display loads from a server,
    which can see when the learner learns.
    """

    kind: str
    notes: int
    layouts: tuple[str, ...]
