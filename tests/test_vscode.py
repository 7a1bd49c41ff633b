"""The extension for VS Code in the real workbench."""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from browsing import chromium
from serving import KINDS, free_port, write_files
from terminal import start

from playwright.sync_api import Route, expect  # isort: skip - after `browsing`

pytestmark = pytest.mark.desktop


def test_the_real_vs_code_lists_problems_and_shows_the_card_at_the_cursor(tmp_path: Path) -> None:
    """CODE_SERVER is a command of code-server, VS Code in the browser, in which the extension is installed.

    VS Code on a desktop has an origin of its own, which the browser does not have here. So the test changes
    that one word of the policy.
    """
    deck = write_files(tmp_path / "deck", KINDS | {"wrong.md": "# Wrong\n\n## What is this?\n"})
    settings = {
        "ptcards.path": str(Path(sys.executable).with_name("ptcards")),
        "security.workspace.trust.enabled": False,
    }
    write_files(tmp_path, {"user/User/settings.json": json.dumps(settings)})
    port = free_port()
    command = [*os.environ["CODE_SERVER"].split(), "--auth", "none", "--bind-addr", f"127.0.0.1:{port}"]
    process = start(
        [*command, "--user-data-dir", str(tmp_path / "user"), str(deck)], stdout=subprocess.DEVNULL
    )

    def let(route: Route) -> None:
        answer = route.fetch()
        policy = answer.headers["content-security-policy"].replace("vscode-webview://*", "http:")
        route.fulfill(response=answer, headers=answer.headers | {"content-security-policy": policy})

    try:
        with chromium() as browser:
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            for path in ("", "card"):
                page.route(f"http://127.0.0.1:8421/{path}", let)
            wait_for(port)
            page.goto(f"http://127.0.0.1:{port}/?folder={deck}")
            page.get_by_text("autograd.md").first.dblclick()
            page.keyboard.press("Control+Shift+M")
            expect(page.get_by_text("this question has no answer").first).to_be_visible(timeout=60_000)
            page.keyboard.press("F1")
            page.keyboard.type("ptcards: Open Preview Beside")
            page.get_by_text("ptcards: Open Preview Beside").first.wait_for()
            page.keyboard.press("Enter")
            pane = page.frame_locator("iframe.webview").frame_locator("iframe").frame_locator("iframe")
            expect(pane.locator("#stage")).to_be_visible(timeout=60_000)
            page.locator(".editor-group-container .view-lines").first.click()
            page.keyboard.press("Control+g")
            page.keyboard.type("17\n")
            card = pane.frame_locator("iframe").first
            expect(card.locator("body")).to_contain_text("Gradient", timeout=60_000)
    finally:
        process.terminate()
        process.wait()


def wait_for(port: int) -> None:
    end = time.monotonic() + 30
    while time.monotonic() < end:
        with socket.socket() as asked:
            if asked.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
