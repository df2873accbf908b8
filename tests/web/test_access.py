"""Pages of servers that ask for tokens: what is seen and done with which."""

import pytest

from browser import says, there

FORM = "main form input[type=password]"
PAUSE = "button[aria-label='Pause queue sleep']"
RESUME = "button[aria-label='Resume queue sleep']"


@pytest.fixture
def careful(browser):
    """The console tells of refused requests, and of nothing else; a tab without a token."""
    yield browser
    browser.run("sessionStorage.clear()")
    others = [line for line in browser.complaints() if " status of 401 " not in line and " status of 403 " not in line]
    assert others == []


@pytest.fixture
def open_with(careful, guarded):
    """Opens a page and gives it this token."""

    def open_with(token, url=guarded.frontend_url):
        careful.open(url)
        careful.run("sessionStorage.clear()")
        careful.open(url)
        give(careful, token)
        return careful

    return open_with


def give(browser, token):
    browser.until("the form", there(FORM))
    browser.type(FORM, token)
    browser.click("main form button")


def test_nothing_is_shown_without_a_token(careful, guarded):
    careful.open(guarded.frontend_url)
    careful.until("the form", there(FORM))
    careful.until("why", says("#link", "a token is needed"))
    assert "refused" not in careful.run("return document.body.textContent")
    assert not careful.run(there("#queue-sleep"))


def test_a_reader_sees_all_and_changes_nothing(open_with, guarded):
    browser = open_with(guarded.TOKENS["read-only"])
    browser.until("the queue", there("#queue-sleep [data-figure]"))
    browser.until("why", says("#read-only", "the token is not that of an admin"))
    assert browser.run("return [...document.querySelectorAll('main button')].length") == 0


def test_an_admin_acts(open_with, guarded):
    browser = open_with(guarded.TOKENS["admin"])
    browser.click(PAUSE)
    browser.until("it is paused", there("#queue-sleep .tag.paused"))
    browser.click(RESUME)
    browser.until("it is open", there("#queue-sleep .tag.open"))
    assert not browser.run(there("#read-only"))


def test_a_reader_becomes_an_admin_by_another_token(open_with, guarded):
    browser = open_with(guarded.TOKENS["read-only"])
    browser.click("footer button")
    give(browser, guarded.TOKENS["admin"])
    browser.until("what admins do", there(PAUSE))


@pytest.mark.parametrize("token, why", [("mistyped-mistyped", "the token is not known"),
                                        ("worker-worker-worker", "my-worker is worker")])
def test_a_refused_token_is_said_to_be(open_with, guarded, token, why):
    browser = open_with(token)
    browser.until("why", says("[role=alert]", f"The token is refused: {why}"))
    give(browser, guarded.TOKENS["admin"])
    browser.until("what admins do", there(PAUSE))


def test_a_reader_sees_a_load_and_changes_nothing(open_with, guarded):
    browser = open_with(guarded.TOKENS["read-only"], guarded.client_url)
    browser.until("the numbers", there("#throughput"))
    browser.until("why", says("#read-only", "the token is not that of a client"))
    assert browser.run("return [...document.querySelectorAll('main button, main input, main textarea')].length") == 0
    browser.click("footer button")
    give(browser, guarded.TOKENS["client"])
    browser.until("the control", there("#set-parallel"))
    browser.type("#set-parallel input", "3")
    browser.click("#set-parallel button")
    browser.until("it is set", says("#set-parallel .soft", "now 3"))
