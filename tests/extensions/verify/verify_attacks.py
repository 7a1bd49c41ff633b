"""Decks that try to harm people who run `ptcards verify` on them, and their targets."""

import fcntl
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import termios
import tty
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

TOML = 'name = "D"\nid = "d"\n'
NOTE = "# A\n\n## Why?\n\n```python\n{}\n```\n\n```output\nWhat it prints is shown.\n```\n"
HELLO = "print('hello')"
SECRET = "correct horse battery staple"
PYTHON = os.path.realpath(sys.executable)


@dataclass(frozen=True)
class Attack:
    """The files of a deck that runs or reads what it must not.

    `WORLD` in them is the folder with their targets. `programs` are the files that can be executed, `links`
    the links with their targets, and `environment` the user's own variables.
    """

    name: str
    files: Mapping[str, str]
    programs: tuple[str, ...] = ()
    links: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)


def by_card(name: str, code: str) -> Attack:
    """Return an attack by the code of a card."""
    return Attack(name, {"cards/a.md": NOTE.format(code)})


def by_toml(name: str, toml: str, **files: str) -> Attack:
    """Return an attack by the table `[verify]` of `deck.toml`."""
    added = {path.replace("__", "/"): text for path, text in files.items()}
    return Attack(
        name, {"cards/a.md": NOTE.format(HELLO), "cards/deck.toml": f"{TOML}[verify]\n{toml}\n", **added}
    )


def by_python(name: str, script: str) -> Attack:
    """Return an attack by a Python that comes with the deck."""
    files = {
        "cards/a.md": NOTE.format(HELLO),
        "cards/deck.toml": f'{TOML}[verify]\npython = "env/bin/python"\n',
        "cards/env/pyvenv.cfg": "",
        "cards/env/bin/python": script,
    }
    return Attack(name, files, programs=("cards/env/bin/python",))


def lying(folders: str, executable: str = "os.path.abspath(sys.argv[0])") -> str:
    """Return a Python that lies about itself, and writes a file when it is asked to run cards."""
    return (
        "#!/usr/bin/env python3\nimport json, os, sys\n"
        "if sys.argv[1].endswith('probe.py'):\n"
        f"    print(json.dumps(dict(executable={executable}, version='3.11.7', implementation='cpython-311', machine='m',"
        f" folders={folders}, user_base='', distributions={{}}, modules={{}})))\n"
        "else:\n    open('WORLD/outside/written', 'w').write('x')\n    os.system('cat WORLD/home/secret >&2')\n"
    )


CONNECT = (
    "import socket\nfor place in ('WORLD/home/agent.sock', 'WORLD/clone/cards/env/agent.sock'):\n"
    "    try:\n        socket.socket(socket.AF_UNIX).connect(place)\n    except OSError as error:\n        print(error)\n"
)
TYPE = (
    "import fcntl, os, termios\nfor name in ('/dev/tty', '/proc/self/fd/0', '/proc/self/fd/2'):\n"
    "    try:\n        terminal = os.open(name, os.O_RDWR)\n"
    "        for letter in b'id > WORLD/outside/written':\n"
    "            fcntl.ioctl(terminal, termios.TIOCSTI, bytes([letter]))\n"
    "    except OSError as error:\n        print(error)\n"
)
DAEMON = (
    "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
    "        os.execv('/bin/sh', ['sh', '-c', 'sleep 600 # WORLD; true'])\n    os._exit(0)\ntime.sleep(0.2)\n"
)
KILL_RUNNER = "import signal\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(30)\n"
OLD = "import urllib.request\nprint(urllib.request.urlopen('http://127.0.0.1:PORT/', timeout=2))\n"

VERIFY_ATTACKS = (
    # A program of the user's whose name is not that of a Python.
    by_toml(
        "make as Python",
        'python = "make"\nrequires = ["pwn"]',
        Makefile="pwn:\n\tid > WORLD/outside/written\n",
    ),
    by_toml("tee as Python", 'python = "tee"\nrequires = ["planted"]'),
    by_toml("sh as Python by its path", 'python = "/bin/sh"', planted="id > WORLD/outside/written\n"),
    by_toml("make by a link", 'python = "../make"', Makefile="all:\n\tid > WORLD/outside/written\n"),
    Attack(
        "a Python in the current folder, which is in PATH",
        {
            "cards/a.md": NOTE.format(HELLO),
            "cards/deck.toml": f'{TOML}[verify]\npython = "python3"\n',
            "python3": "#!/bin/sh\nid > WORLD/outside/written\n",
        },
        programs=("python3",),
        environment={"PATH": f".::/usr/bin:/bin:{os.environ.get('PATH', '')}"},
    ),
    Attack(
        "a bubblewrap in the current folder, which is in PATH",
        {"cards/a.md": NOTE.format(HELLO), "bwrap": "#!/bin/sh\nid > WORLD/outside/written\n"},
        programs=("bwrap",),
        environment={"PATH": f".::{os.environ.get('PATH', '')}"},
    ),
    Attack(
        "no bubblewrap, so run it without",
        {"cards/a.md": NOTE.format("open('WORLD/outside/written', 'w').write('x')")},
        environment={"PATH": ""},
    ),
    Attack(
        "a deck that asks for no sandbox",
        {
            "cards/a.md": NOTE.format("open('WORLD/outside/written', 'w').write('x')"),
            "cards/deck.toml": f"{TOML}[verify]\nsandbox = false\nno-sandbox = true\n",
        },
        environment={"PATH": ""},
    ),
    # A Python of the deck.
    by_python("a Python that writes", "#!/bin/sh\nid > WORLD/outside/written\n"),
    by_python("a Python that reads", "#!/bin/sh\ncat WORLD/home/secret >&2\n"),
    by_python("a Python that reads what processes were told", "#!/bin/sh\ncat /proc/*/environ >&2\n"),
    by_python("a Python with too many folders", lying("[f'WORLD/clone/many/{n}' for n in range(3005)]")),
    by_python(
        "a Python that wants to see everything", lying("['/', 'WORLD', 'WORLD/home', '/proc', '/run']")
    ),
    by_python("a Python that says it is another program", lying("[]", "'/bin/sh'")),
    by_python(
        "a Python that says the sandbox is broken", "#!/bin/sh\necho 'bwrap: no permission' >&2\nexit 1\n"
    ),
    by_python("a Python that types into the terminal", f"#!/usr/bin/env python3\n{TYPE}"),
    by_python("a Python that talks to sockets", f"#!/usr/bin/env python3\n{CONNECT}"),
    by_python("a Python that talks to the network", f"#!/usr/bin/env python3\n{OLD}"),
    by_python("a Python that stays", f"#!/usr/bin/env python3\n{DAEMON}"),
    Attack(
        "a Python by a link out of the deck",
        {"cards/a.md": NOTE.format(HELLO), "cards/deck.toml": f'{TOML}[verify]\npython = "env/bin/python"\n'},
        links={"cards/env": "WORLD/home"},
    ),
    # The code of a card.
    by_card("a card that reads", "print(open('WORLD/home/secret').read())"),
    by_card("a card that writes", "open('WORLD/outside/written', 'w').write('x')"),
    by_card("a card that writes into the deck", "open('WORLD/clone/written', 'w').write('x')"),
    by_card(
        "a card that reads the environment",
        "import os\nprint(os.environ)\nprint(open('/proc/1/environ').read())",
    ),
    by_card(
        "a card that looks behind other processes",
        "import os\nfor pid in filter(str.isdigit, os.listdir('/proc')):\n    try:\n"
        "        print(open(f'/proc/{pid}/root' + 'WORLD/home/secret').read())\n    except OSError as error:\n        print(error)",
    ),
    by_card("a card that talks to sockets", CONNECT),
    by_card("a card that talks to the network", OLD),
    by_card("a card that types into the terminal", TYPE),
    by_card("a card that stays", DAEMON),
    by_card("a card that stays and kills what runs it", DAEMON + KILL_RUNNER),
    by_card(
        "a card that kills all it can",
        "import os, signal\nfor pid in range(2, 70000):\n    try:\n        os.kill(pid, signal.SIGKILL)\n    except OSError:\n        pass",
    ),
    by_card(
        "a card that makes a system of its own",
        "import ctypes, os\nc = ctypes.CDLL(None)\nprint(c.unshare(0x10000000 | 0x00020000))\n"
        "print(c.mount(b'none', b'/', None, 1 << 5, None), c.mount(b'/proc/1/root', b'/tmp', None, 1 << 12, None))\n"
        "print(os.listdir('/tmp'))\nprint(open('/tmp/WORLD/home/secret').read())",
    ),
    by_card(
        "a card that opens a disk",
        "import os, stat\nfor name in ('sda', 'vda', 'nvme0n1', 'mem'):\n    try:\n"
        "        os.mknod('/tmp/' + name, 0o600 | stat.S_IFBLK, os.makedev(8, 0))\n        print(open('/tmp/' + name, 'rb').read(9))\n"
        "    except OSError as error:\n        print(error)",
    ),
    by_card("a card that imports from the current folder", "import planted"),
    Attack(
        "modules in the current folder",
        {
            "cards/a.md": NOTE.format("import json, random"),
            **{
                f"{name}.py": "open('WORLD/outside/written', 'w').write('x')\n"
                for name in ("planted", "json", "random", "sitecustomize", "usercustomize", "site", "runner")
            },
        },
    ),
    by_toml("a set-up that writes", "setup = \"open('WORLD/outside/written', 'w').write('x')\""),
    by_toml(
        "requirements that are options",
        'requires = ["-c", "--help", "../x", "a; touch WORLD/outside/written"]',
    ),
)


def harm_of(attack: Attack, folder: Path, *options: str) -> list[str]:
    """Run `ptcards verify` on an attack's deck in an empty folder.

    Return the harm that it did, or nothing if it failed.
    """
    for name in ("outside", "home", "clone/cards/env", "tmp"):
        (folder / name).mkdir(parents=True)
    (folder / "home/secret").write_text(SECRET)
    with ExitStack() as held:
        sockets = [
            held.enter_context(_listening(str(folder / name)))
            for name in ("home/agent.sock", "clone/cards/env/agent.sock")
        ]
        network = held.enter_context(socket.create_server(("127.0.0.1", 0)))
        _write(attack, folder, str(network.getsockname()[1]))
        before = _files(folder)
        terminal, ours = os.openpty()
        tty.setraw(ours)
        said = _verify(attack, folder, ours, options)
        harm = [f"wrote {name}" for name in sorted(_files(folder) - before)]
        harm += ["read a secret"] * (SECRET in said)
        harm += ["talked to a socket"] * any(_is_called(each) for each in (*sockets, network))
        harm += ["typed into the terminal"] * bool(select.select([ours], [], [], 0)[0])
        harm += ["left a process"] * bool(_left(folder))
        os.close(terminal)
        os.close(ours)
    return harm


def _write(attack: Attack, folder: Path, port: str) -> None:
    for name, text in {"cards/deck.toml": TOML, "planted.py": "", **attack.files}.items():
        file = folder / "clone" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("WORLD", str(folder)).replace("PORT", port))
        file.chmod(0o755 if name in attack.programs else 0o644)
    for name, target in attack.links.items():
        with suppress(FileNotFoundError):
            shutil.rmtree(folder / "clone" / name)
        (folder / "clone" / name).symlink_to(target.replace("WORLD", str(folder)))


def _verify(attack: Attack, folder: Path, terminal: int, options: Sequence[str]) -> str:
    def take_terminal() -> None:
        os.setsid()
        fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)

    environment = {
        **os.environ,
        "HOME": str(folder / "home"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "TMPDIR": str(folder / "tmp"),
        "TOKEN": SECRET,
        **attack.environment,
    }
    done = subprocess.run(
        [sys.executable, "-P", "-m", "ptcards", "verify", "cards", "--timeout", "20", *options],
        cwd=folder / "clone",
        env=environment,
        stdin=terminal,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=take_terminal,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout + done.stderr


def _files(folder: Path) -> set[str]:
    """Return the files in a folder with their contents, except the results that verify remembers."""
    return {
        f"{file.relative_to(folder)}: {file.stat().st_mtime_ns}"
        for file in folder.rglob("*")
        if file.is_file() and not file.is_relative_to(folder / "cache")
    }


@contextmanager
def _listening(name: str) -> Iterator[socket.socket]:
    Path(name).parent.mkdir(exist_ok=True)
    with socket.socket(socket.AF_UNIX) as listening:
        # The path may be too long for a socket, but the name alone is not.
        here = os.open(Path(name).parent, os.O_RDONLY)
        listening.bind(f"/proc/self/fd/{here}/{Path(name).name}")
        os.close(here)
        listening.listen()
        yield listening


def _is_called(listening: socket.socket) -> bool:
    listening.settimeout(0)
    try:
        listening.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def _left(folder: Path) -> list[int]:
    """Kill the processes that mention a folder, and return them."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit() and int(process.name) != os.getpid():
            with suppress(OSError):
                if f"# {folder}".encode() in (process / "cmdline").read_bytes():
                    os.kill(int(process.name), signal.SIGKILL)
                    found.append(int(process.name))
    return found
