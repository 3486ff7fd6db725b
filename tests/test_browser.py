"""The notebooks as a person meets them: JupyterLab in a real browser. Needs Chromium and playwright (extra
`browser`); screenshots go to the folder that LAB_SHOTS names."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from lab.install.main import OFFLINE
from lab.settings import ROOT, settings

playwright = pytest.importorskip("playwright.sync_api", reason="python start.py install --extra browser")
CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))),
    None,
)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here; on Debian: apt install chromium"),
    pytest.mark.timeout(600),
]
QUIET = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-default-apps",
]  # fmt: skip


@pytest.fixture(scope="module")
def jupyter(climbed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a JupyterLab over copies of the notebooks."""
    folder = tmp_path_factory.mktemp("notebooks")
    for language in ("en", "tr"):
        shutil.copytree(ROOT / "notebooks" / language, folder / language)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = (folder / "jupyter.log").open("w", encoding="utf-8")
    words = [
        *[sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root", "--ip=127.0.0.1"],
        *[f"--port={port}", "--ServerApp.port_retries=0", "--IdentityProvider.token="],
        *[f"--ServerApp.root_dir={folder}", "--LabApp.expose_app_in_browser=True", *OFFLINE],
    ]
    own = {
        "LAB_HOME": str(climbed),
        "LAB_GOLD": str(settings().gold),
        "JUPYTER_CONFIG_DIR": str(folder / "c"),
    }
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    server = subprocess.Popen(
        words, env=os.environ | own | {"PYTHONPATH": path}, stdout=log, stderr=subprocess.STDOUT
    )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for_port(port, server)
        yield address
    finally:
        server.terminate()
        server.wait(timeout=30)
        log.close()


def _wait_for_port(port: int, server: subprocess.Popen[bytes], seconds: float = 90) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        assert server.poll() is None, "JupyterLab ended"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.3)
    raise AssertionError("JupyterLab did not come up")


@pytest.fixture
def page(jupyter: str) -> Iterator[Any]:
    """A fresh browser page that remembers which hosts were asked for anything."""
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        opened = browser.new_page(viewport={"width": 1280, "height": 1600})
        opened.abroad = []
        opened.on("request", lambda request: _note(request.url, opened.abroad))
        yield opened
        browser.close()


def _note(url: str, abroad: list[str]) -> None:
    parts = urlsplit(url)
    if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in ("127.0.0.1", "localhost"):
        abroad.append(url)


def run_all(page: Any, address: str, notebook: str) -> None:
    """Opens a notebook, waits for its kernel, runs all cells and waits for the last one."""
    page.goto(f"{address}/lab/tree/{notebook}?reset", wait_until="domcontentloaded")
    page.wait_for_function(
        "() => window.jupyterapp?.shell?.currentWidget?.context?.sessionContext?.session?.kernel?.status "
        "=== 'idle'",
        timeout=120_000,
    )
    # Commands are called by name: an early click on a menu is lost.
    for command in ("clear-all-cell-outputs", "run-all-cells"):
        page.evaluate(f"() => void window.jupyterapp.commands.execute('notebook:{command}')")
    page.wait_for_function(
        """() => {
            const book = window.jupyterapp.shell.currentWidget;
            const cells = book.content.widgets.filter(c => c.model.type === 'code');
            const kernel = book.context.sessionContext.session.kernel;
            return cells.every(c => c.model.executionCount !== null) && kernel.status === 'idle'
                && !cells.some(c => c.prompt === '*');
        }""",
        timeout=300_000,
    )


def outputs(page: Any) -> list[dict[str, Any]]:
    """All outputs of the open notebook."""
    found: list[dict[str, Any]] = json.loads(
        page.evaluate(
            """() => JSON.stringify(window.jupyterapp.shell.currentWidget.content.widgets
                .filter(c => c.model.type === 'code').flatMap(c => c.model.outputs.toJSON()))"""
        )
    )
    return found


def keep(page: Any, name: str) -> None:
    """A screenshot, if a folder for them is named."""
    if folder := os.environ.get("LAB_SHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(Path(folder) / f"{name}.png"))


def failed(page: Any) -> list[str]:
    return [output["evalue"] for output in outputs(page) if output["output_type"] == "error"]


def test_the_scoreboard_and_its_board(page: Any, jupyter: str) -> None:
    run_all(page, jupyter, "en/13_scoreboard.ipynb")
    assert failed(page) == []
    pictures = page.locator(".jp-OutputArea-output img")
    assert pictures.count() >= 3
    for at in range(3):
        pictures.nth(at).scroll_into_view_if_needed()
        drawn = pictures.nth(at).evaluate("image => image.complete && image.naturalWidth > 300")
        assert drawn
    keep(page, "scoreboard")

    choice = page.locator(".widget-dropdown select").first
    choice.scroll_into_view_if_needed()
    choice.select_option(
        label=next(text for text in choice.locator("option").all_inner_texts() if "T2" in text)
    )
    page.get_by_text("handbook is loaded beside").first.wait_for(timeout=30_000)
    page.locator(".widget-dropdown select").nth(1).select_option(label="1")
    page.get_by_role("button", name="Run", exact=True).first.click()
    page.get_by_text("You guessed 1;").first.wait_for(timeout=60_000)
    page.wait_for_function(
        "() => [...document.querySelectorAll('img.widget-image, .widget-image')].some(i => i.naturalWidth "
        "> 300)",
        timeout=30_000,
    )
    keep(page, "board")

    box = page.locator(".widget-text input").first
    box.scroll_into_view_if_needed()
    box.fill("How much annual leave do I have after six years?")
    page.get_by_text("What the pipeline does").first.click()
    switch = page.get_by_label("edition", exact=True).first
    before = switch.is_checked()
    switch.click()
    assert switch.is_checked() != before
    page.get_by_role("button", name="Ask", exact=True).first.click()
    page.locator(".kl .said").last.wait_for(timeout=60_000)
    assert "Annual paid leave" in page.locator(".kl .said").last.inner_text()
    keep(page, "question")
    assert page.abroad == []


def test_a_ticket_notebook_in_turkish(page: Any, jupyter: str) -> None:
    run_all(page, jupyter, "tr/02_filters.ipynb")
    assert failed(page) == []
    assert page.get_by_text("Londra'daki otel").first.is_visible() or page.get_by_text("Londra").count()
    assert any("Henüz denenmedi" in json.dumps(output, ensure_ascii=False) for output in outputs(page))
    keep(page, "ticket-tr")
    assert page.abroad == []
