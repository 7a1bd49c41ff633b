"""All measurements, those that take long first."""

from scorecard import crashes, decks, fuzz, media, points, races, slowness, suite, tables

MEASUREMENTS = (
    fuzz.MEASUREMENT,
    crashes.MEASUREMENT,
    crashes.VANISHING,
    decks.MEASUREMENT,
    points.MEASUREMENT,
    *slowness.MEASUREMENTS,
    *suite.MEASUREMENTS,
    media.MEASUREMENT,
    tables.MEASUREMENT,
    races.AT_ONCE,
    races.ELSEWHERE,
)
