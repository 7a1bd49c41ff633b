"""Looks at all decks: by the clock once a day, or by hand with one answer for all."""

from collections.abc import Callable, Mapping, Sequence

from addon.collection import subscriptions
from addon.follow import Finding, Look, memory, read, today
from addon.texts import say
from addon.windows import notice
from ptcards.extensions.publish.subscription.state import Subscription


def look_by_the_clock() -> None:
    """Look at the decks that were not looked at today."""

    def found(decks: Mapping[str, Subscription]) -> None:
        for feed_id, own in decks.items():
            if memory(own.address).get("day") != today():
                Look(own.address, by_hand=False, followed=(feed_id, own))

    read(subscriptions, found)


def check_all(then: Callable[[Sequence[Finding]], object]) -> None:
    """Look at all decks, and go on with what was found when all have answered or were stopped."""

    def found(decks: Mapping[str, Subscription]) -> None:
        if not decks:
            notice(say("no_decks"))
            return
        answers: list[Finding | None] = []

        def answered(finding: Finding | None) -> None:
            answers.append(finding)
            if len(answers) == len(decks):
                then([each for each in answers if each])

        for feed_id, own in decks.items():
            Look(own.address, by_hand=True, followed=(feed_id, own), report=answered)

    read(subscriptions, found)
