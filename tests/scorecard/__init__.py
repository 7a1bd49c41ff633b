"""The reliability scorecard: `make scorecard` measures each row again and fails if one misses its bar."""
