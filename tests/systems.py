"""Which tests need which system: those that mention what only that system has."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parent

_NEEDS = {
    "Linux": re.compile(
        r"/proc/|/dev/full|\b(?:setpriv|bwrap|prlimit|sched_[gs]etaffinity|waitid|AF_(?:NETLINK|PACKET|VSOCK))\b"
    ),
    "Linux or macOS": re.compile(
        r"\b(?:(?:import|from) (?:fcntl|pty|resource|termios)\b|from (?:terminal|hostile_inputs|other_systems|links|desktop) import|type_session"
        r"|os\.(?:fork|getuid|geteuid|killpg|mkfifo|mknod|chown|setsid|umask)|os\.chmod|\.chmod\("
        r"|SIG(?:KILL|XFSZ|VTALRM|PROF|STOP)|setitimer|pthread_kill|AF_UNIX|what\?\.md|shell=True|\"sh\"|\"bash\")"
    ),
}
_WITHOUT = {"linux": (), "darwin": ("Linux",), "win32": ("Linux", "Linux or macOS")}


def reason_to_leave_out(file: Path, platform: str) -> str:
    """Return why a module of tests cannot run on a system, or an empty string."""
    text = _without_texts(file.read_text("utf-8"))
    for system in _WITHOUT.get(platform, ()):
        if found := _NEEDS[system].search(text):
            return f"{found[0]} needs {system}"
    return ""


def _without_texts(source: str) -> str:
    """Return source code without docstrings, which may speak of anything."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            first, last = node.lineno - 1, node.end_lineno or node.lineno
            lines[first:last] = [""] * (last - first)
    return "\n".join(lines)


def left_out(platform: str) -> dict[str, str]:
    """Return the modules of tests that do not run on a system, with the reasons."""
    modules = sorted(TESTS.rglob("test_*.py"))
    reasons = {str(file.relative_to(TESTS)): reason_to_leave_out(file, platform) for file in modules}
    return {name: reason for name, reason in reasons.items() if reason}
