"""What `![…](…)` shows, by the ending of its address: a sound, a video, else a picture, which may have a dark twin."""

import re

AUDIO = frozenset({"mp3", "ogg", "oga", "opus", "wav", "m4a", "flac", "aac"})
VIDEO = frozenset({"mp4", "webm", "ogv", "mov", "m4v", "mkv"})

_NAME_AND_ENDING = re.compile(r"(.*[^/])\.([^./]+)", re.DOTALL)


def dark_twin(address: str) -> str:
    """Return where the picture to show at night is, if there is one: `name.dark.svg` for `name.svg`.

    Empty for a sound, a video and a name without an ending.
    """
    found = _NAME_AND_ENDING.fullmatch(address)
    if found is None or found[2].lower() in AUDIO | VIDEO:
        return ""
    return f"{found[1]}.dark.{found[2]}"
