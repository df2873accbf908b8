"""The live pages in a real browser, against real programs."""

import http.client
import subprocess
import urllib.request

import pytest

from browser import says, there
from cluster import ROOT
from sub_path import SubPath

WIDTHS = [1280, 390]
RIGHT = "\ue014"  # the arrow key, in the words of WebDriver
FIGURE = "return Number(document.querySelector('[data-figure=\"{}\"] b')?.textContent.replace(',', '')) {}"
PAGES = {  # what is there when a page has what it shows
    "queues": "#queue-sleep [data-figure]",
    "workers": "canvas",
    "jobs": "tbody a",
    "runs": "tbody progress",
    "runs/disks": "#run .matrix .cell",
}


def address_of(url):
    return url.removeprefix("http://").split("/")[0]


def test_types_and_units(tmp_path):
    done = subprocess.run([ROOT / "tests/web/units.sh", tmp_path / "units"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


# ---- what the pages show


@pytest.mark.parametrize("width", WIDTHS)
def test_throughput_of_a_queue_is_live(cluster, clean, width, screenshot):
    clean.look_as(width)
    clean.open(cluster.frontend_url)
    clean.until("jobs a second", FIGURE.format("jobs/s", "> 1"))
    ended = clean.run(FIGURE.format("succeeded", ""))
    clean.until("more jobs have ended", FIGURE.format("succeeded", "> arguments[0]"), ended)
    clean.until("a line of the chart", "return document.querySelector('path.line0').getAttribute('d').length > 60")
    if width == WIDTHS[0]:
        screenshot("web-queues")


def test_each_worker_has_a_cell_that_says_who_it_is(cluster, clean):
    clean.open(cluster.frontend_url + "#/workers")
    clean.until("four busy workers", FIGURE.format("busy", ">= 4"))
    clean.run("document.querySelector('canvas').focus()")
    [key] = clean.ask("/element", {"using": "css selector", "value": "canvas"}).values()
    described = "return /-\\d: (busy|idle), . of 1 slots busy/.exec(document.querySelector('#chosen').textContent)?.input"
    clean.ask(f"/element/{key}/value", {"text": RIGHT})
    first = clean.until("the first worker", described)
    clean.ask(f"/element/{key}/value", {"text": RIGHT})
    assert clean.until("the second worker", described).split(":")[0] != first.split(":")[0]


def test_workers_are_slots_and_a_cell_is_a_process(cluster, clean):
    cluster.worker("tell", "wide-0", "/bin/true", slots=3)
    clean.open(cluster.frontend_url + "#/workers")
    counts = clean.until("both counts", "return /(\\d+) workers in (\\d+) processes/.exec(document.querySelector('h2')?.textContent)?.slice(1)")
    workers, processes = map(int, counts)
    assert workers == processes + 2
    cluster.end("wide-0")


def test_what_makes_a_worker_slow_is_said(cluster, clean):
    clean.open(cluster.frontend_url + "#/workers")
    rule = clean.until("the rule", "return document.querySelector('#slow-rule')?.textContent")
    assert "less than 50 % as many jobs a slot" in rule


def test_a_job_opens_and_shows_its_output(cluster, clean):
    cluster.worker("tell", "tell-0", "/bin/sh", "-c", "echo I was here; sleep 2")
    number = cluster.submit("tell")
    clean.open(cluster.frontend_url + f"#/jobs/{number}")
    clean.until("it runs", there("#job .running"))
    clean.until("its output", "return document.querySelector('#job pre')?.textContent.includes('I was here')")


# ---- what the pages do


def test_a_queue_pauses_and_resumes(cluster, clean):
    clean.open(cluster.frontend_url)
    clean.click("button[aria-label='Pause queue sleep']")
    clean.until("it is paused", there("#queue-sleep .tag.paused"))
    assert "paused" in cluster.twofold("queues")
    clean.click("button[aria-label='Resume queue sleep']")
    clean.until("it is open", there("#queue-sleep .tag.open"))


def test_what_cannot_be_taken_back_is_asked_twice(cluster, clean):
    clean.open(cluster.frontend_url)
    clean.click("button[aria-label='Drain queue fio']")
    clean.until("a question", there("button[aria-label='Really drain queue fio']"))
    assert "draining" not in cluster.twofold("queues")


@pytest.mark.parametrize("width", WIDTHS)
def test_a_control_of_the_client_changes_its_parallelism(cluster, clean, width, screenshot):
    clean.look_as(width)
    clean.open(cluster.client_url)
    clean.until("a throughput", FIGURE.format("throughput", "> 1"))
    clean.type("#set-parallel input", str(width // 100))
    clean.click("#set-parallel button")
    clean.until("it is set", f"return document.querySelector('#set-parallel .soft').textContent === 'now {width // 100}'")
    with urllib.request.urlopen(cluster.client_url + "parallel?type=plain", timeout=10) as answer:
        assert answer.read() == f"{width // 100}\n".encode()
    if width == WIDTHS[0]:
        screenshot("web-client")


def test_a_rate_takes_the_place_of_the_parallelism(cluster, clean):
    clean.open(cluster.client_url)
    clean.until("the control", there("#set-rate"))
    clean.type("#set-rate input", "5")
    clean.click("#set-rate button")
    clean.until("the rate", "return document.querySelector('#set-rate .soft').textContent === 'now 5'")
    clean.type("#set-parallel input", "8")
    clean.click("#set-parallel button")
    clean.until("no rate", "return document.querySelector('#set-rate .soft').textContent === 'now 0'")


def test_a_profile_starts_as_it_is_typed_and_stops(cluster, clean):
    clean.open(cluster.client_url)
    clean.until("an example", "return document.querySelector('#profile textarea')?.value.includes('stages:')")
    clean.type("#profile textarea", "stages: [{parallel: 2, duraton: 1h}]")
    clean.click("#profile form > button")
    clean.until("the field and the fix", says("#profile [role=alert]", "did you mean 'duration'?"))
    assert clean.run("return document.querySelector('#profile textarea').value").endswith("duraton: 1h}]")
    clean.complaints()  # the console tells of the 400
    clean.type("#profile textarea", "stages: [{parallel: 2, duration: 1h}]")
    clean.click("#profile form > button")
    clean.until("where it is", says("#profile [role=status]", "stage 1 of 1"))
    clean.until("its parallelism", says("#set-parallel .soft", "now 2"))
    clean.until("no error", "return document.querySelector('#profile [role=alert]').textContent === ''")
    clean.click("button[aria-label='Stop the load']")
    clean.until("it has ended", says("#profile [role=status]", "None runs."))
    clean.type("#set-parallel input", "8")
    clean.click("#set-parallel button")
    clean.until("the load of the other tests", says("#set-parallel .soft", "now 8"))


# ---- wherever it is served, whoever looks


def test_it_works_below_a_path(cluster, clean):
    with SubPath(address_of(cluster.frontend_url), "/api/v1/namespaces/a/services/b/proxy/") as url:
        clean.open(url)
        clean.until("live numbers", FIGURE.format("jobs/s", "> 1"))
        clean.click("nav a[href='#/workers']")
        clean.until("cells", there("canvas"))


def test_old_numbers_are_said_to_be_old(cluster, browser):
    browser.open(cluster.frontend_url)
    browser.until("it is live", there("#link.live"))
    cluster.stop("frontend")
    try:
        browser.until("since when", "return /^stale since \\d\\d:/.test(document.querySelector('#link').textContent)")
    finally:
        cluster.go_on("frontend")
    browser.until("it is live again", there("#link.live"))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_wider_than_the_window(cluster, clean, width, page):
    clean.look_as(width)
    clean.open(cluster.frontend_url + "#/" + page)
    clean.until("its contents", there(PAGES[page]))
    assert clean.run("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_barriers(cluster, browser, axe, scheme):
    for page, selector in {**PAGES, "client": "#throughput"}.items():
        browser.look_as(390 if scheme == "dark" else 1280, scheme)
        browser.open(cluster.client_url if page == "client" else cluster.frontend_url + "#/" + page)
        browser.until("its contents", there(selector))
        browser.run(axe)
        passed, violated = browser.run_later(
            "const tell = arguments[0]; axe.run().then((r) => tell([r.passes.length, r.violations]))")
        assert passed > 10
        assert [(v["id"], [n["target"] for n in v["nodes"]]) for v in violated] == [], page


@pytest.mark.parametrize("which", ["frontend_url", "client_url"])
def test_the_policy_forbids_all_but_its_own_files(cluster, which):
    connection = http.client.HTTPConnection(address_of(getattr(cluster, which)), timeout=10)
    connection.request("GET", "/", headers={"Accept": "text/html"})
    answer = connection.getresponse()
    assert "default-src 'none'" in answer.getheader("Content-Security-Policy")
    assert "unsafe" not in answer.getheader("Content-Security-Policy")
    connection.close()


def test_without_scripts_there_is_a_plain_page(cluster):
    request = urllib.request.Request(cluster.frontend_url, headers={"Accept": "text/html", "Accept-Encoding": "gzip"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        assert answer.headers["Content-Encoding"] == "gzip"
    with urllib.request.urlopen(cluster.frontend_url + "plain", timeout=10) as answer:
        assert b"<h1>Queues</h1>" in answer.read()
