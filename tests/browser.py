"""Fixtures of the tests of pages: Chromium, in which they are opened, watched and measured."""

import re
from pathlib import Path

import pytest

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDTHS = {"desktop": (1280, 900), "phone": (375, 800)}


# Not for the whole run: while playwright is at work, nothing else in its thread can run an event loop.
@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not CHROMIUM.exists():
        pytest.skip(f"there is no {CHROMIUM}")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture
def open_page(browser):
    """A function that opens a page; afterwards it must not have complained, nor asked for anything else."""
    opened = []

    def open_and_watch(address, width="desktop", **options):
        size = dict(zip(("width", "height"), WIDTHS[width], strict=True))
        context = browser.new_context(viewport=size, **options)
        page = context.new_page()
        complaints, requests = [], []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda asked: requests.append(asked.url))
        page.goto(address)
        opened.append((context, page, complaints, requests, address))
        return page

    yield open_and_watch
    for context, page, complaints, requests, address in opened:
        page.wait_for_timeout(50)
        assert complaints == []
        # The empty icon stands inside of the page.
        assert [url for url in requests if url != "data:,"] == [address]
        context.close()


@pytest.fixture(params=WIDTHS)
def width(request):
    return request.param


@pytest.fixture
def lightness():
    """A function that tells how light a colour of an element is, from 0 to 765."""

    def measure(page, selector, which):
        color = page.locator(selector).first.evaluate(f"one => getComputedStyle(one).{which}")
        return sum(int(part) for part in re.findall(r"\d+", color)[:3])

    return measure
