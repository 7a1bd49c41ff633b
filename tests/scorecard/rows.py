"""All measurements, those that take long first."""

from scorecard import crashes, fuzz, points, races, slowness, suite

MEASUREMENTS = (
    fuzz.MEASUREMENT,
    crashes.MEASUREMENT,
    points.MEASUREMENT,
    *slowness.MEASUREMENTS,
    *suite.MEASUREMENTS,
    races.AT_ONCE,
    races.ELSEWHERE,
)
