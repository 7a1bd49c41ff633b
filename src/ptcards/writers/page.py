"""Writes a page as one file, with a policy that allows its own script and style but no requests."""

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from importlib import resources

_SLOT = re.compile(r"\{\{(\w+)\}\}")
# Text that ends or hides the rest of a script element, whatever its type
# (https://html.spec.whatwg.org/multipage/scripting.html#restrictions-for-contents-of-script-elements).
_SCRIPT_UNSAFE = re.compile(r"<(?=!|script)", re.IGNORECASE)


def study_files(names: Iterable[str]) -> str:
    """Return the joined contents of these files of the study page; other pages use some of them too."""
    folder = resources.files(__name__.rpartition(".")[0]).joinpath("study")
    return "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)


def fill_page(body: str, *, style: str, script: str, data: object, parts: Mapping[str, str]) -> str:
    """Return a page with this body, with each `{{name}}` replaced by a part, which is HTML.

    The head needs the parts `lang` and `title`. The other slots are `{{style}}`, `{{script}}`, `{{policy}}`,
    and `{{data}}`, which becomes JSON.
    """
    policy = (
        f"default-src 'none'; script-src {_source(script)}; style-src {_source(style)}; "
        "img-src data:; media-src data:; base-uri 'none'; form-action 'none'"
    )
    slots = {**parts, "policy": policy, "style": style, "data": _script_json(data), "script": script}
    # In one pass, so that braces in the data stay data.
    return _SLOT.sub(lambda slot: slots[slot[1]], study_files(["head.html"]) + body)


def _source(text: str) -> str:
    """Return a policy's entry for an inline script or style: a hash of its content."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _script_json(data: object) -> str:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return _SCRIPT_UNSAFE.sub(r"\\u003c", text.replace("</", r"<\/"))
