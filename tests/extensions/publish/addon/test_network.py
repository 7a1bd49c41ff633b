"""Loading feeds and packages from servers that are broken, slow or hostile."""

import hashlib
import ssl
import subprocess
import threading
import time
from pathlib import Path

import pytest
from scripted import (
    Script,
    Server,
    endless,
    nothing,
    redirect,
    said,
    serving_scripts,
    silent,
    slow,
    slow_head,
)

from addon import network
from addon.network import Answer, NetworkError, StoppedError, check_place, feed_address, get_feed, get_package
from addon.texts import say
from ptcards.extensions.publish.subscription.feed import PackageFile

PACKAGE = bytes(range(256)) * 1000
FEED = b'{"ptcards": 1}'
OTHER_PAGE = "another page answered, {}"


def announced(url: str = "deck.apkg", size: int = len(PACKAGE), content: bytes = PACKAGE) -> PackageFile:
    return PackageFile(url, size, hashlib.sha256(content).hexdigest())


def refused_feed(scripts: dict[str, Script], etag: str = "") -> str:
    """Return the sentence about a feed that cannot be loaded."""
    with serving_scripts(scripts) as server, pytest.raises(NetworkError) as failure:
        get_feed(f"{server.url}deck.json", etag, threading.Event())
    return say(failure.value.key, "en", **failure.value.values).replace(server.url, "URL/")


def refused_package(folder: Path, script: Script, about: PackageFile) -> tuple[str, list[Path], list[str]]:
    """Return the sentence about a package that cannot be loaded, the files left over, and the requests."""
    with serving_scripts({"/deck.apkg": script}) as server, pytest.raises(NetworkError) as failure:
        get_package(about, f"{server.url}deck.json", folder / "d.apkg", threading.Event(), lambda _: None)
    sentence = say(failure.value.key, "en", **failure.value.values)
    return sentence, [*folder.iterdir()], [path for path, _ in server.requests]


def load(server: Server, about: PackageFile, path: Path) -> list[int]:
    sizes: list[int] = []
    get_package(about, f"{server.url}deck.json", path, threading.Event(), sizes.append)
    return sizes


def test_a_feed_is_asked_for_with_nothing_about_the_learner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password secret\n")
    (tmp_path / ".netrc").chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    with serving_scripts({"/deck.json": said(FEED, ETag='"1"', Set_Cookie="who=you; Path=/")}) as server:
        url = f"{server.url}deck.json"
        assert get_feed(url, "", threading.Event()) == Answer(FEED, '"1"', url)
        assert get_feed(url, '"1"', threading.Event()) == Answer(FEED, '"1"', url)
    plain = {
        "Host": server.url.split("/")[2],
        "User-Agent": "ptcards-subscribe/1",
        "Accept-Encoding": "identity",
        "Accept": "*/*",
        "Connection": "keep-alive",
    }
    assert server.requests == [("/deck.json", plain), ("/deck.json", {**plain, "If-None-Match": '"1"'})]


def test_a_cookie_is_not_sent_after_a_redirect() -> None:
    scripts = {"/deck.json": redirect("/b.json", Set_Cookie="who=you; Path=/"), "/b.json": said(FEED)}
    with serving_scripts(scripts) as server:
        found = get_feed(f"{server.url}deck.json", "", threading.Event())
    assert found == Answer(FEED, "", f"{server.url}b.json")
    assert ["Cookie" in headers for _, headers in server.requests] == [False, False]


def test_a_feed_that_has_not_changed_has_no_content() -> None:
    with serving_scripts({"/deck.json": said(b"", 304)}) as server:
        url = f"{server.url}deck.json"
        assert get_feed(url, '"1"', threading.Event()) == Answer(None, '"1"', url)


def test_the_content_of_a_304_does_not_count() -> None:
    with serving_scripts({"/deck.json": said(b'{"ptcards": 2}', 304)}) as server:
        url = f"{server.url}deck.json"
        assert get_feed(url, '"1"', threading.Event()) == Answer(None, '"1"', url)


def test_a_very_long_etag_is_not_kept() -> None:
    with serving_scripts({"/deck.json": said(FEED, ETag="e" * 201)}) as server:
        url = f"{server.url}deck.json"
        assert get_feed(url, "", threading.Event()) == Answer(FEED, "", url)


def test_five_redirects_are_followed_and_no_more() -> None:
    chain = {f"/{n}.json": redirect(f"/{n - 1}.json") for n in range(1, 7)} | {"/0.json": said(FEED)}
    with serving_scripts(chain) as server:
        assert get_feed(f"{server.url}5.json", "", threading.Event()).content == FEED
        with pytest.raises(NetworkError) as failure:
            get_feed(f"{server.url}6.json", "", threading.Event())
    assert (failure.value.key, len(server.requests)) == ("redirects", 12)


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        (redirect("/deck.json"), "too many redirects from 127.0.0.1"),
        (redirect("http://evil.example/"), OTHER_PAGE.format("http://evil.example/")),
        (redirect("file:///etc/passwd"), OTHER_PAGE.format("file:///etc/passwd")),
        (
            redirect("https://me:secret@evil.example/"),
            OTHER_PAGE.format("https://me:secret@evil.example/"),
        ),
        (redirect("https://[evil/"), "no answer from 127.0.0.1"),
        (said(b"", 404), "the server answered 404 Not Found"),
        (said(b"", 500), "the server answered 500 Internal Server Error"),
        (said(b"", 299), "the server answered 299"),
        (said(b"", 304), "the server answered 304 Not Modified"),
        (said(FEED, 206), "the server answered 206 Partial Content"),
        (said(FEED, length=9999), "the connection to 127.0.0.1 broke off"),
        (nothing, "no answer from 127.0.0.1"),
    ],
)  # fmt: skip
def test_what_a_server_does_wrong_is_said(script: Script, sentence: str) -> None:
    assert refused_feed({"/deck.json": script}) == sentence


@pytest.mark.parametrize("script", [endless, said(b" " * (1 << 20) * 5)])
def test_a_feed_beyond_the_limit_is_not_read_to_its_end(script: Script) -> None:
    with serving_scripts({"/deck.json": script}) as server, pytest.raises(NetworkError) as failure:
        get_feed(f"{server.url}deck.json", "", threading.Event(), 4 << 20)
    assert say(failure.value.key, "en", **failure.value.values) == (
        "the feed is larger than 4 MB; nothing was loaded"
    )


def test_a_server_that_falls_silent_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "_BETWEEN_BYTES", 0.3)
    assert refused_feed({"/deck.json": silent}) == "the connection to 127.0.0.1 broke off"


def test_nobody_at_an_address_is_said() -> None:
    with serving_scripts({}) as server:
        pass
    with pytest.raises(NetworkError) as failure:
        get_feed(f"{server.url}deck.json", "", threading.Event())
    assert say(failure.value.key, "en", **failure.value.values) == "no answer from 127.0.0.1"


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://evil.example/deck.json", "not_https"),
        ("ftp://127.0.0.1/deck.json", "not_https"),
        ("deck.json", "no_address"),
        ("", "no_address"),
        ("https://not an address/deck.json", "no_address"),
    ],
)
def test_only_https_is_followed(url: str, key: str) -> None:
    with pytest.raises(NetworkError) as failure:
        get_feed(url, "", threading.Event())
    assert failure.value.key == key


def test_a_server_elsewhere_may_not_lead_to_this_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that only looks like another server stands for one: the rule looks at the first address."""
    monkeypatch.setattr(network, "_LOOPBACK", frozenset({"localhost"}))
    scripts = {"/deck.json": redirect("/b.json"), "/b.json": said(FEED)}
    with serving_scripts(scripts) as server:
        local = server.url.replace("127.0.0.1", "localhost")
        assert get_feed(f"{local}deck.json", "", threading.Event()).content == FEED
        with pytest.raises(NetworkError) as failure:
            get_feed(f"{server.url}deck.json", "", threading.Event())
    assert failure.value.key == "not_https"


@pytest.mark.parametrize("script", [slow, silent, slow_head])
def test_a_slow_server_does_not_delay_a_stop(script: Script) -> None:
    stopped = threading.Event()
    threading.Timer(0.3, stopped.set).start()
    begin = time.monotonic()
    with serving_scripts({"/deck.json": script}) as server, pytest.raises(StoppedError):
        get_feed(f"{server.url}deck.json", "", stopped)
    assert time.monotonic() - begin < 10


@pytest.mark.parametrize(
    ("script", "limit", "seconds"),
    [(slow_head, "_HEAD", 0.5), (slow_head, "_ALL", 0.5), (slow, "_ALL", 0.5), (slow, "_BETWEEN_BYTES", 0.3)],
)
def test_a_server_that_trickles_is_left(
    script: Script, limit: str, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network, limit, seconds)
    before = threading.active_count()
    assert refused_feed({"/deck.json": script}) == "127.0.0.1 answers too slowly; nothing was loaded"
    for _ in range(50):
        if threading.active_count() <= before:
            break
        time.sleep(0.1)
    assert threading.active_count() <= before  # nothing is left in the background


def test_a_large_feed_is_only_loaded_by_hand() -> None:
    with serving_scripts({"/deck.json": said(b" " * (5 << 20))}) as server:
        url = f"{server.url}deck.json"
        assert len(get_feed(url, "", threading.Event()).content or b"") == 5 << 20
        with pytest.raises(NetworkError) as failure:
            get_feed(url, "", threading.Event(), 4 << 20)
    assert (failure.value.key, failure.value.values) == ("large_feed", {"limit": "4"})


def test_a_feed_has_the_address_to_which_redirects_led() -> None:
    scripts = {
        "/deck.json": redirect("/b.json", 301),
        "/b.json": said(FEED),
        "/c.json": redirect("/deck.json", 302),
    }
    with serving_scripts(scripts) as server:
        found = [get_feed(f"{server.url}{name}", "", threading.Event()) for name in ("deck.json", "c.json")]
        new = f"{server.url}b.json"
    assert found == [Answer(FEED, "", new)] * 2


def test_what_is_no_feed_and_came_from_elsewhere_is_another_page() -> None:
    check_place("https://a.example/deck.json", "https://a.example/b.json")
    with pytest.raises(NetworkError) as failure:
        check_place("https://a.example/deck.json", "https://login.example/")
    assert (failure.value.key, failure.value.values) == ("other_page", {"url": "https://login.example/"})


@pytest.mark.slow
def test_a_certificate_of_nobody_is_refused(tmp_path: Path) -> None:
    command = "openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -days 1 -keyout key -out cert"
    subprocess.run(command.split(), cwd=tmp_path, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert", tmp_path / "key")
    with (
        serving_scripts({"/deck.json": said(FEED)}, context) as server,
        pytest.raises(NetworkError) as failure,
    ):
        get_feed(f"{server.url}deck.json", "", threading.Event())
    sentence = say(failure.value.key, "en", **failure.value.values)
    assert sentence == "the certificate of 127.0.0.1 is not valid, so this may be another server"
    assert server.requests == []


def test_a_package_is_loaded_once(tmp_path: Path) -> None:
    path = tmp_path / "new" / "d.apkg"
    with serving_scripts({"/deck.apkg": said(PACKAGE)}) as server:
        assert load(server, announced(), path)[-1] == len(PACKAGE)
        assert load(server, announced(), path) == []
        path.write_bytes(PACKAGE[::-1])
        assert load(server, announced(), path)[-1] == len(PACKAGE)
    assert path.read_bytes() == PACKAGE
    assert [each.name for each in path.parent.iterdir()] == ["d.apkg"]
    assert [path for path, _ in server.requests] == ["/deck.apkg", "/deck.apkg"]


WRONG = "the package is not the one that the feed describes; nothing was changed"


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        (said(PACKAGE[::-1]), WRONG),
        (said(PACKAGE + b"x"), WRONG),
        (said(PACKAGE[:-1]), WRONG),
        (said(b""), WRONG),
        (endless, WRONG),
        (said(PACKAGE, length=len(PACKAGE) - 1), WRONG),
        (said(PACKAGE[:9], length=len(PACKAGE)), "the connection to 127.0.0.1 broke off"),
        (said(PACKAGE, 403), "the server answered 403 Forbidden"),
        (said(PACKAGE, 304), "the server answered 304 Not Modified"),
        (redirect("/deck.apkg"), "too many redirects from 127.0.0.1"),
    ],
)
def test_a_package_that_is_not_the_announced_one_is_not_kept(
    tmp_path: Path, script: Script, sentence: str
) -> None:
    assert refused_package(tmp_path, script, announced())[:2] == (sentence, [])


@pytest.mark.parametrize(
    ("about", "sentence"),
    [
        (
            announced("https://evil.example/deck.apkg"),
            "the package is at another address (evil.example); nothing was loaded",
        ),
        (
            announced("//evil.example/deck.apkg"),
            "the package is at another address (evil.example); nothing was loaded",
        ),
        (
            announced("http://127.0.0.1:1/deck.apkg"),
            "the package is at another address (127.0.0.1); nothing was loaded",
        ),
        (
            announced("file:///etc/passwd"),
            "the package is at another address (file:///etc/passwd); nothing was loaded",
        ),
        (announced(size=(1 << 30) + 1), "the package has 1,024 MB; the limit is 1,024 MB"),
        (announced(size=0), "the package has 0 MB; the limit is 1,024 MB"),
    ],
)
def test_a_package_elsewhere_or_too_large_is_not_asked_for(
    tmp_path: Path, about: PackageFile, sentence: str
) -> None:
    assert refused_package(tmp_path, said(PACKAGE), about) == (sentence, [], [])


def test_an_old_package_stays_until_the_new_one_is_complete(tmp_path: Path) -> None:
    (tmp_path / "d.apkg").write_bytes(b"old")
    _, left, _ = refused_package(tmp_path, said(PACKAGE[:9]), announced())
    assert [(each.name, each.read_bytes()) for each in left] == [("d.apkg", b"old")]


@pytest.mark.parametrize(
    "pasted",
    [
        "https://o.github.io/deck/deck.json",
        " https://o.github.io/deck/ ",
        "https://o.github.io/deck",
        "o.github.io/deck",
        "https://o.github.io/deck/#v=1.3",
        "https://o.github.io/deck/index.html#v=1.3",
        "https://o.github.io/deck/?utm=1",
    ],
)
def test_a_folder_a_page_and_a_feed_lead_to_the_feed(pasted: str) -> None:
    assert feed_address(pasted) == "https://o.github.io/deck/deck.json"


def test_another_name_of_a_feed_stays() -> None:
    assert feed_address("https://o.example/a.json?b=c#d") == "https://o.example/a.json?b=c"
    assert feed_address("https://o.example") == "https://o.example/deck.json"
    assert feed_address("https://[o") == "https://[o"
