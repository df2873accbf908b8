"""The page of jobs: which it lists, page by page, and how a job is cancelled there."""

import json

import pytest

from browser import says, there

IDS = "return [...document.querySelectorAll('tbody a')].map((a) => a.textContent).sort()"
LISTS = IDS + ".join() === arguments[0].slice().sort().join()"
ROWS = "return document.querySelectorAll('tbody tr').length === {}"


@pytest.fixture(scope="module")
def chosen(cluster):
    """Two durable jobs that wait and one that is cancelled, of a run of theirs, in a queue that nobody serves."""
    jobs = [cluster.submit("held", "--durable", "--run", "chosen") for _ in range(3)]
    cluster.twofold("job", "cancel", jobs[2])
    return jobs


def test_jobs_are_listed_by_state_queue_and_run(cluster, clean, chosen):
    *waiting, cancelled = chosen
    clean.open(cluster.frontend_url + "#/jobs")
    clean.until("the form", there("#filter"))
    clean.type("#filter input[name=run]", "chosen\n")
    clean.until("those that have not ended", LISTS, waiting)
    for state, jobs in {"ended": [cancelled], "cancelled": [cancelled], "waiting": waiting, "running": [],
                        "timed out": [], "all": chosen}.items():
        clean.choose("State", state)
        clean.until(f"those in state {state}", LISTS, jobs)
    clean.choose("Queue", "fio")
    clean.until("none in another queue", says("p", "No such job now"))
    clean.choose("Queue", "held")
    clean.until("all in theirs", LISTS, chosen)


def test_an_address_brings_its_choice_back(cluster, clean, chosen):
    clean.open(cluster.frontend_url + "#/jobs?queue=held&run=chosen&state=cancelled")
    clean.until("the cancelled one", LISTS, chosen[2:])
    selected = clean.run("return [...document.querySelectorAll('#filter select')].map((s) => s.selectedOptions[0].text)")
    assert selected == ["cancelled", "held"]
    assert clean.run("return document.querySelector('#filter input').value") == "chosen"


def test_a_long_list_has_pages_that_keep_the_choice(cluster, clean):
    cluster.begin_run("long", queue="held", repetitions=30)  # 120 jobs
    clean.open(cluster.frontend_url + "#/jobs?run=long&state=waiting")
    clean.until("a first page", ROWS.format(100))
    clean.run("[...document.querySelectorAll('a')].find((a) => a.textContent === 'next page').click()")
    clean.until("the rest", ROWS.format(20))
    clean.run("[...document.querySelectorAll('a')].find((a) => a.textContent === 'first page').click()")
    clean.until("the first page again", ROWS.format(100))
    assert clean.run("return location.hash") == "#/jobs?run=long&state=waiting"


def test_a_job_is_cancelled_when_it_is_asked_for_twice(cluster, clean):
    job = cluster.submit("held", "--durable")
    clean.open(cluster.frontend_url + f"#/jobs/{job}")
    clean.click(f"button[aria-label='Cancel job {job}']")
    clean.until("a question", there(f"button[aria-label='Really cancel job {job}']"))
    assert json.loads(cluster.twofold("job", "get", job, "--output", "json"))["state"] == "waiting"
    clean.click(f"button[aria-label='Really cancel job {job}']")
    clean.until("it is cancelled", there("#job .tag.cancelled"))
    assert json.loads(cluster.twofold("job", "get", job, "--output", "json"))["outcome"] == "cancelled"
    assert clean.run("return document.querySelector('#job button')") is None
