"""The reliability scorecard: `make scorecard` measures each row again and fails where one misses its bar."""
