"""What a query says of three frontends is what it says of one that serves all queues, also while queues move.

promtool evaluates each query of the project on two sets of series, whose names begin with twofold_ and many_: the
same load on one frontend, and on three. Only the frontend that serves a queue, or a shard of one, has its gauges. Counters
begin at 0 where a queue comes to; where it was they may stay.
"""

import json
import re
import subprocess

import pytest
from project import ADAPTER_RULES, adapter_configs, objects, panels
from promql import metric_names

STEP = 5  # seconds between scrapes, as in the ServiceMonitor
MOVED = 600  # when queues move
END = 1200
LOOKS = [500, MOVED + STEP, MOVED + 20, MOVED + 60, 1100]  # before, meanwhile and long after
# Where a queue, or each of its shards, is served before and after, and whether its old frontend goes on.
WAYS = {"sleep": [("0", "1", True)], "media": [("2", "2", True)], "fio": [("0", "2", False)],
        "large": [("0", "1", True), ("2", "2", True)]}
TOLERANCE = 0.15  # rate() estimates what is at the ends of its window

# Of each queue.
GAUGES = {
    'jobs{state="waiting"}': 30, 'jobs{state="running"}': 8, "oldest_waiting_age_seconds{}": 40, "wanted_workers{}": 38,
    'workers{state="idle"}': 2, 'workers{state="busy"}': 8, 'workers{state="draining"}': 1, "worker_processes{}": 5,
}
# What they grow by in a step.
COUNTERS = {
    'jobs_finished_total{outcome="succeeded"}': 20, 'jobs_finished_total{outcome="failed"}': 2,
    "attempts_requeued_total{}": 1, "results_refused_total{}": 1,
    **{f'job_{what}_seconds_bucket{{le="{bound}"}}': count
       for what in ("wait", "run") for bound, count in (("0.5", 8), ("1", 16), ("+Inf", 20))},
}
CLIENTS = {"0": 3, "1": 4, "2": 5}


def series(name, labels, values):
    name, _, own = name.rstrip("}").partition("{")
    pairs = [own] * bool(own) + [f'{key}="{value}"' for key, value in labels.items()]
    return {"series": f"{name}{{{','.join(pairs)}}}", "values": values}


def steady(value, growth, seconds):
    return f"{value}+{growth}x{seconds // STEP - 1}"


def one_frontend():
    every = [series("twofold_clients", {}, steady(sum(CLIENTS.values()), 0, END))]
    for queue in WAYS:
        every += [series(f"twofold_{name}", {"queue": queue}, steady(value, 0, END)) for name, value in GAUGES.items()]
        every += [series(f"twofold_{name}", {"queue": queue}, steady(7, growth, END)) for name, growth in COUNTERS.items()]
    return every


def three_frontends():
    every = [series("many_clients", {"pod": pod}, steady(count, 0, END)) for pod, count in CLIENTS.items()]
    for queue, ways in WAYS.items():
        for shard, way in enumerate(ways):
            labels = {"queue": queue} | ({"shard": str(shard)} if len(ways) > 1 else {})

            def part(name, whole, shard=shard, shards=len(ways)):
                return whole if name.startswith("oldest") else (whole + shard) // shards

            every += one_part(labels, way, part)
    return every


def one_part(labels, way, part):
    """The series of a queue, or of a shard, which has that part of the whole."""
    before, after, goes_on = way
    every = []

    def put(name, pod, values):
        every.append(series(f"many_{name}", {**labels, "pod": pod}, values))

    gauges = {name: part(name, value) for name, value in GAUGES.items()}
    counters = {name: part(name, growth) for name, growth in COUNTERS.items()}
    if before == after:
        for name, value in gauges.items():
            put(name, before, steady(value, 0, END))
        for name, growth in counters.items():
            put(name, before, steady(7, growth, END))
        return every
    gone, later = END - MOVED, f"_x{MOVED // STEP} "
    for name, value in gauges.items():
        put(name, before, steady(value, 0, MOVED) + " stale")
        put(name, after, later + steady(value, 0, gone))
    for name, growth in counters.items():
        last = 7 + growth * (MOVED // STEP - 1)
        put(name, before, steady(7, growth, MOVED) + (f" {steady(last, 0, gone)}" if goes_on else " stale"))
        put(name, after, later + steady(growth, growth, gone))
    return every


def filled_in(expression):
    """As Grafana, the adapter and KEDA ask, for all queues."""
    for field, text in {"$queue": ".+", "$__rate_interval": "1m", "<<.LabelMatchers>>": "", "<<.GroupBy>>": "queue"}.items():
        expression = expression.replace(field, text)
    return re.sub(r'queue="\w+"', 'queue="sleep"', expression)


def queries():
    found = [(f"{panel['title']} {target['refId']}", target["expr"]) for panel in panels() for target in panel["targets"]]
    for folder, config in adapter_configs():
        for rule in (rule for kind in ADAPTER_RULES.values() for rule in config.get(kind, [])):
            (name,) = metric_names(rule["seriesQuery"])
            found.append((f"adapter {folder.name}", rule["metricsQuery"].replace("<<.Series>>", name)))
    found += [(f"KEDA {scaled['metadata']['name']}", trigger["metadata"]["query"])
              for _, scaled in objects("ScaledObject") for trigger in scaled["spec"]["triggers"]
              if trigger["type"] == "prometheus"]
    return [(where, filled_in(query)) for where, query in found if "kube_" not in query]


def differences(query):
    """What finds nothing if the query says the same of both."""
    many = query.replace("twofold_", "many_")
    return [f"count(({query}) unless ({many}))", f"count(({many}) unless ({query}))",
            f"count(abs(({query}) - ({many})) > {TOLERANCE} * ({query}))"]


def check(query, folder):
    """What promtool says of the query: nothing, or where it differs."""
    one = [{"labels": "{}", "value": 1}]
    wanted = [(f"sum(count({query}) > bool 0)", one), *((text, []) for text in differences(query))]
    looks = [{"expr": text, "eval_time": f"{at}s", "exp_samples": samples} for at in LOOKS for text, samples in wanted]
    case = {"interval": f"{STEP}s", "input_series": one_frontend() + three_frontends(), "promql_expr_test": looks}
    (folder / "case.json").write_text(json.dumps({"evaluation_interval": f"{STEP}s", "tests": [case]}))  # JSON is YAML
    done = subprocess.run(["promtool", "test", "rules", folder / "case.json"],
                          capture_output=True, text=True, timeout=60, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.mark.parametrize("query", [pytest.param(query, id=where) for where, query in queries()])
def test_a_query_says_the_same_of_three_frontends(query, tmp_path):
    assert check(query, tmp_path) == ""


@pytest.mark.parametrize("query", [
    "sum by (queue) (max_over_time(twofold_wanted_workers[30s]))",  # where a queue was and where it is
    "max by (queue) (rate(twofold_jobs_finished_total[1m]))",  # only one of them
    "twofold_jobs",  # each for itself
], ids=["sum over a window", "maximum of counters", "no aggregation"])
def test_a_query_that_is_made_for_one_frontend_is_found(query, tmp_path):
    assert "expr:" in check(query, tmp_path)
