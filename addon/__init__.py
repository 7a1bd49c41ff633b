"""Follows decks that their authors release with ptcards, inside Anki.

The only code that imports `aqt` and `anki`. `make addon` packs this folder with the modules of `ptcards` that
it imports.
"""

import sys

if "aqt" in sys.modules:  # tests import single modules without Anki's windows
    from addon import start as start
