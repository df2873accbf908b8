"""A real Prometheus scrapes a real frontend under load: every query of the project finds data."""
import contextlib
import math
import re

import pytest
from project import ADAPTER_RULES, adapter_configs, alerts, dashboard, objects, panels
from promql import metric_names, selectors
from running import frontend, load, prometheus, wait_for

QUEUES = ["cpu-media", "media", "sleep"]
# Far more jobs than workers: some wait at every scrape, also when the machine is slow.
LOAD = {"sleep": {"workers": 4, "jobs": 16, "seconds": 0.2},
        "media": {"workers": 2, "jobs": 8, "seconds": 0.3},
        "cpu-media": {"workers": 1, "jobs": 4, "seconds": 0.2}}
# What a ServiceMonitor adds.
TARGET_LABELS = {"namespace": "monitoring", "service": "scalability-tester-frontend",
                 "pod": "scalability-tester-frontend-0", "container": "frontend"}
# What Grafana puts in for $queue: a chosen queue, several, or the variable's value for all.
ALL = next(variable["allValue"] for variable in dashboard()["templating"]["list"]
           if variable["name"] == "queue")
CHOICES = {queue: [queue] for queue in QUEUES} | {"(media|sleep)": ["media", "sleep"], ALL: QUEUES}
RATE_INTERVAL = "10s"


@pytest.fixture(scope="module")
def scraped(tmp_path_factory):
    """A Prometheus that has seen some seconds of load on three queues."""
    folder = tmp_path_factory.mktemp("scraped")
    with contextlib.ExitStack() as running:
        addresses = running.enter_context(frontend(*QUEUES, folder=folder))
        for queue, amount in LOAD.items():
            running.enter_context(load(addresses, queue, **amount, folder=folder))
        server = running.enter_context(
            prometheus(addresses["http"], labels=TARGET_LABELS, folder=folder))
        # Seen more than once, and some time ago: the panels below look back.
        busy = 'rate(twofold_jobs_finished_total{outcome="succeeded"}[10s] offset 1s) > 0'
        wait_for(lambda: len(server.query(busy)) == len(QUEUES), "jobs end in every queue")
        # Averages over time look every five seconds.
        looked = "avg_over_time(sum by (queue) (twofold_workers)[10s:5s] offset 2s)"
        wait_for(lambda: len(server.query(looked)) == len(QUEUES), "averages have a value")
        yield server


def fill_in(expression, queue):
    return expression.replace("$queue", queue).replace("$__rate_interval", RATE_INTERVAL)


def numbers(result):
    """The finite values of a result, of a range or an instant."""
    values = [value for series in result for value in series.get("values", [series.get("value")])]
    return [float(text) for _, text in values if math.isfinite(float(text))]


def panel_queries(ours):
    """The expressions of all queries, named for their panel; those of kube-state-metrics apart."""
    return [pytest.param(target["expr"], id=f"{panel['title']} {target['refId']}")
            for panel in panels() for target in panel["targets"]
            if all(name.startswith("twofold_") for name in metric_names(target["expr"])) == ours]


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("expression", panel_queries(ours=True))
def test_a_panel_shows_the_chosen_queues(scraped, expression, choice):
    result = scraped.query_range(fill_in(expression, choice), seconds=1)
    assert numbers(result)
    queues = {series["metric"]["queue"] for series in result if "queue" in series["metric"]}
    assert queues in (set(), set(CHOICES[choice]))


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("expression", panel_queries(ours=False))
def test_a_panel_of_kube_state_metrics_is_valid_and_empty_without_it(scraped, expression, choice):
    assert scraped.query_range(fill_in(expression, choice), seconds=1) == []


def test_a_legend_names_labels_that_the_series_have(scraped):
    for panel in panels():
        for target in panel["targets"]:
            labels = set(re.findall(r"{{(\w+)}}", target["legendFormat"]))
            for series in scraped.query(fill_in(target["expr"], ALL)):
                assert labels <= set(series["metric"]), target


def test_the_variable_lists_all_queues(scraped):
    (query,) = [variable["definition"] for variable in dashboard()["templating"]["list"]
                if variable["name"] == "queue"]
    selector, label = query.removeprefix("label_values(").removesuffix(")").split(", ")
    assert scraped.label_values(selector, label) == QUEUES


@pytest.mark.parametrize("selector", sorted(
    {selector for rule in alerts() for selector in selectors(rule["expr"])}))
def test_a_selector_of_an_alert_finds_every_queue(scraped, selector):
    queues = {series["metric"].get("queue") for series in scraped.query(selector)}
    assert queues in ({None}, set(QUEUES))


@pytest.mark.parametrize("rule", alerts(), ids=lambda rule: rule["alert"])
def test_an_alert_is_silent_under_a_healthy_load(scraped, rule):
    assert scraped.query(rule["expr"]) == []


# What the adapter does with a rule, step by step: see its pages on discovery and querying.

def rules(kind):
    return [rule for _, config in adapter_configs() for rule in config.get(ADAPTER_RULES[kind], [])]


def label_of(rule, resource):
    (label,) = [label for label, what in rule["resources"]["overrides"].items()
                if what["resource"] == resource]
    return label


def expand(rule, matchers, group_by):
    (series,) = metric_names(rule["seriesQuery"])
    query = rule["metricsQuery"]
    texts = {"Series": series, "GroupBy": group_by,
             "LabelMatchers": ",".join(f'{label}="{value}"' for label, value in matchers.items())}
    for field, text in texts.items():
        query = query.replace(f"<<.{field}>>", text)
    assert "<<" not in query
    return query


@pytest.mark.parametrize("rule", rules("Object") + rules("External"),
                         ids=lambda rule: rule["seriesQuery"])
def test_the_adapter_discovers_the_series_of_all_queues_and_their_resources(scraped, rule):
    found = scraped.series(rule["seriesQuery"])
    assert {series["queue"] for series in found} == set(QUEUES)
    assert all(set(rule["resources"]["overrides"]) <= set(series) for series in found)


def hpa_targets(kind):
    return [(hpa, metric[kind.lower()]) for _, hpa in objects("HorizontalPodAutoscaler")
            for metric in hpa["spec"]["metrics"] if metric["type"] == kind]


@pytest.mark.parametrize("queue", QUEUES)
@pytest.mark.parametrize("kind", ADAPTER_RULES)
def test_the_adapter_answers_an_hpa_with_the_jobs_of_its_queue(scraped, kind, queue):
    for hpa, metric in hpa_targets(kind):
        for rule in rules(kind):
            chosen = {label: queue for label in metric["metric"]["selector"]["matchLabels"]}
            chosen[label_of(rule, "namespace")] = hpa["metadata"]["namespace"]
            group_by = ""
            if kind == "Object":
                described = metric["describedObject"]
                group_by = label_of(rule, described["kind"].lower())
                chosen[group_by] = described["name"]
            query = expand(rule, chosen, group_by)
            # One series only: an HPA adds up what it gets.
            (series,) = scraped.query(query)
            assert set(series["metric"]) == ({group_by} - {""})
            # A closed loop: these jobs wait or run, but for those between two.
            assert 0 < float(series["value"][1]) <= LOAD[queue]["jobs"]


def test_an_hpa_selects_a_queue_that_exists():
    chosen = [metric["metric"]["selector"]["matchLabels"] for kind in ADAPTER_RULES
              for _, metric in hpa_targets(kind)]
    assert chosen and all(set(labels) == {"queue"} for labels in chosen)


@pytest.mark.parametrize("scaled", [scaled for _, scaled in objects("ScaledObject")
                                    if scaled["spec"]["triggers"][0]["type"] == "prometheus"],
                         ids=lambda scaled: scaled["metadata"]["name"])
def test_a_query_of_keda_gives_one_number(scraped, scaled):
    (trigger,) = scaled["spec"]["triggers"]
    (series,) = scraped.query(trigger["metadata"]["query"])
    assert 0 < float(series["value"][1])
