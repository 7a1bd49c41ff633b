"""All measurements, those that take long first."""

from scorecard import crashes, decks, fuzz, points, races, slowness, suite

MEASUREMENTS = (
    fuzz.MEASUREMENT,
    crashes.MEASUREMENT,
    crashes.VANISHING,
    decks.MEASUREMENT,
    points.MEASUREMENT,
    *slowness.MEASUREMENTS,
    *suite.MEASUREMENTS,
    races.AT_ONCE,
    races.ELSEWHERE,
)
