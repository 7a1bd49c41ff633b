"""All measurements, those that take long first."""

from scorecard import (
    coverage,
    crashes,
    decks,
    fuzz,
    media,
    mutants,
    points,
    races,
    scale,
    slowness,
    suite,
    tables,
)

MEASUREMENTS = (
    fuzz.MEASUREMENT,
    crashes.MEASUREMENT,
    crashes.VANISHING,
    decks.MEASUREMENT,
    points.MEASUREMENT,
    *slowness.MEASUREMENTS,
    *suite.MEASUREMENTS,
    scale.LARGE,
    media.MEASUREMENT,
    tables.MEASUREMENT,
    scale.SYNC,
    scale.DEPENDENCIES,
    races.AT_ONCE,
    races.ELSEWHERE,
    coverage.MEASUREMENT,
    mutants.MEASUREMENT,
)
