"""Every metric that a dashboard, alert or autoscaler names is one that the frontend exports."""
import re
import urllib.request

import pytest
from manifests import ROOT
from project import ADAPTER_RULES, adapter_configs, alerts, expressions, objects, panels
from promql import metric_names
from running import frontend

# Of kube-state-metrics, which a cluster may have or not.
OTHERS = {"kube_horizontalpodautoscaler_status_current_replicas",
          "kube_horizontalpodautoscaler_status_desired_replicas",
          "kube_horizontalpodautoscaler_spec_max_replicas"}


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """Names of the series of a frontend that was just started and has seen no job."""
    with frontend("sleep", folder=tmp_path_factory.mktemp("fresh")) as addresses:
        with urllib.request.urlopen(f"http://{addresses['http']}/metrics", timeout=10) as answer:
            lines = answer.read().decode().splitlines()
    return {re.match(r"\w+", line).group() for line in lines if line and not line.startswith("#")}


def hpa_metrics(by_adapter):
    """Each metric of each HPA that asks an adapter, or the frontend: (folder, type, name)."""
    own = {folder for folder, _ in objects("APIService")}
    return [(folder, metric["type"], metric[metric["type"].lower()]["metric"]["name"])
            for folder, hpa in objects("HorizontalPodAutoscaler") if (folder not in own) is by_adapter
            for metric in hpa["spec"]["metrics"]]


def test_the_files_have_what_is_checked_here():
    assert panels() and alerts() and hpa_metrics(True) and hpa_metrics(False) and objects("ScaledObject")
    lists = {name for _, config in adapter_configs() for name in config}
    assert lists == set(ADAPTER_RULES.values())


@pytest.mark.parametrize("expression", [
    pytest.param(expression, id=where) for where, expression in expressions()])
def test_an_expression_reads_only_what_the_frontend_exports(exported, expression):
    names = metric_names(expression)
    assert names and names <= exported | OTHERS


@pytest.mark.parametrize("folder, kind, name", hpa_metrics(True), ids=str)
def test_an_hpa_asks_for_a_metric_that_the_adapter_rules_of_its_folder_define(folder, kind, name):
    configs = [config for other, config in adapter_configs() if other == folder]
    assert name in {api_name(rule) for config in configs
                    for rule in config.get(ADAPTER_RULES[kind], [])}


@pytest.mark.parametrize("folder, kind, name", hpa_metrics(False), ids=str)
def test_an_hpa_asks_the_frontend_for_a_metric_and_a_group_that_it_has(folder, kind, name):
    source = (ROOT / "frontend" / "scalers" / "signals" / "trigger.cc").read_text()
    assert name in {f"twofold_{metric}" for metric in re.findall(r'Metric{"(\w+)"', source)}
    groups = {api_service["spec"]["group"] for other, api_service in objects("APIService") if other == folder}
    assert groups == {{"External": "external.metrics.k8s.io", "Object": "custom.metrics.k8s.io"}[kind]}


def api_name(rule):
    """The name that the adapter gives to the series of a rule: its own, or `as` where given."""
    (series,) = metric_names(rule["seriesQuery"])
    return rule.get("name", {}).get("as", series)


def test_the_check_of_names_finds_a_metric_that_is_not_exported(exported):
    assert not metric_names("sum(rate(twofold_jobs_done_total[5m]))") <= exported | OTHERS
