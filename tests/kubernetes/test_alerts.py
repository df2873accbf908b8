"""The alert rules, checked and unit-tested by promtool."""
import pathlib
import subprocess

import yaml
from project import ALERTS, alerts

CASES = pathlib.Path(__file__).with_name("alerts_test.yaml")


def promtool(*arguments):
    done = subprocess.run(["promtool", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_promtool_accepts_the_rules():
    promtool("check", "rules", ALERTS)


def test_every_alert_fires_and_is_silent_as_the_cases_say():
    promtool("test", "rules", CASES)


def test_the_cases_let_every_alert_fire():
    assert all(f'alertname="{rule["alert"]}"' in CASES.read_text() for rule in alerts())


def test_a_case_looks_at_all_alerts_that_fire():
    looks = [look for case in yaml.safe_load(CASES.read_text())["tests"]
             for look in case["promql_expr_test"]]
    assert {look["expr"] for look in looks} == {
        'sum by (alertname, queue) (ALERTS{alertstate="firing"})'}


def test_an_alert_says_how_bad_it_is_what_happens_and_what_to_do():
    for rule in alerts():
        assert rule["labels"]["severity"] in ("warning", "critical")
        assert set(rule["annotations"]) == {"summary", "description"}
