"""What the HPAs and the ScaledObject do with a load, worked out with the values of their files."""
import copy
import random

import pytest
from autoscaler import PERIOD, Autoscaler
from manifests import Pod, world
from project import objects

SCRAPE = 30  # seconds: a slow Prometheus, worse than the ServiceMonitor's interval
START = 20   # seconds until a new pod is ready
HOUR = 3600


def hpa_settings(hpa):
    (metric,) = hpa["spec"]["metrics"]
    return {"minimum": hpa["spec"]["minReplicas"], "maximum": hpa["spec"]["maxReplicas"],
            "target": metric[metric["type"].lower()]["target"], "behavior": hpa["spec"]["behavior"]}


def keda_settings(scaled):
    """Of the HPA that KEDA makes: it scales from 1 up, between 0 and 1 KEDA does."""
    (trigger,) = scaled["spec"]["triggers"]
    target = "threshold" if trigger["type"] == "prometheus" else "target"
    return {"minimum": max(1, scaled["spec"]["minReplicaCount"]),
            "maximum": scaled["spec"]["maxReplicaCount"],
            "target": {"type": trigger["metricType"],
                       "averageValue": trigger["metadata"][target]},
            "behavior": scaled["spec"]["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]}


READERS = {"HorizontalPodAutoscaler": hpa_settings, "ScaledObject": keda_settings}
every_autoscaler = pytest.mark.parametrize("settings", [
    pytest.param(read(object_), id=str(folder))
    for kind, read in READERS.items() for folder, object_ in objects(kind)])


def wanted(jobs, workers):
    """twofold_wanted_workers: waiting + running."""
    return jobs


def waiting(jobs, workers):
    """The signal that autoscalers should not use."""
    return max(0, jobs - workers)


def simulate(settings, jobs, *, seconds, replicas=1, metric=wanted):
    """Replicas at each second under `jobs(second)` outstanding jobs."""
    autoscaler = Autoscaler(**settings)
    history, scraped = [], 0
    for now in range(seconds):
        if now % SCRAPE == 0:
            then = history[-START:] or [replicas]  # workers that have had time to start
            scraped = metric(jobs(now), min(then))
        if now % PERIOD == 7:  # not in step with the scrapes
            replicas = autoscaler.look(now, replicas, scraped)
        history.append(replicas)
    return history


def changes(history):
    return sum(before != after for before, after in zip(history, history[1:]))


def per_worker(settings):
    return int(settings["target"]["averageValue"])


@pytest.mark.parametrize("kind", READERS)
def test_a_pod_does_as_many_jobs_at_once_as_its_autoscaler_counts_on(kind):
    for _, object_ in objects(kind):
        target = object_["spec"]["scaleTargetRef"]["name"], object_["metadata"]["namespace"]
        pod = Pod(world().find("Deployment", *target))
        (slots,) = [int(container.options.get("slots", 1)) for container in pod.containers]
        assert per_worker(READERS[kind](object_)) == slots


@every_autoscaler
def test_a_closed_loop_settles_at_one_worker_a_job(settings):
    for workers in range(settings["minimum"], settings["maximum"] + 1):
        history = simulate(settings, lambda now: workers * per_worker(settings), seconds=HOUR)
        assert set(history[3 * 60:]) == {workers}
        assert max(history) == workers, "overshoot"


@every_autoscaler
def test_it_settles_from_above_too(settings):
    for workers in range(settings["minimum"], settings["maximum"] + 1):
        history = simulate(settings, lambda now: workers * per_worker(settings), seconds=HOUR,
                           replicas=settings["maximum"])
        assert set(history[10 * 60:]) == {workers}
        assert min(history) == workers, "undershoot"


@every_autoscaler
def test_it_does_not_flap_when_two_scrapes_of_three_find_jobs_missing(settings):
    luck = random.Random(1)
    full = settings["maximum"] * per_worker(settings)

    def between_end_and_submit(now):
        return full if now // SCRAPE % 3 == 0 else luck.randrange(full)

    history = simulate(settings, between_end_and_submit, seconds=HOUR)
    assert set(history[5 * 60:]) == {settings["maximum"]}


@every_autoscaler
def test_a_pause_as_long_as_the_window_removes_nobody(settings):
    window = settings["behavior"]["scaleDown"]["stabilizationWindowSeconds"]
    pause = range(HOUR // 2, HOUR // 2 + window - SCRAPE - PERIOD)
    history = simulate(settings, lambda now: 0 if now in pause else 8 * per_worker(settings),
                       seconds=HOUR)
    assert set(history[3 * 60:]) == {8}


@every_autoscaler
def test_after_the_load_it_goes_down_to_the_minimum_by_halves(settings):
    history = simulate(settings, lambda now: 0, seconds=HOUR, replicas=settings["maximum"])
    assert set(history[10 * 60:]) == {settings["minimum"]}
    for before, after in zip(history, history[59:]):
        assert after >= before // 2


@every_autoscaler
def test_a_wrong_number_does_not_start_all_pods_at_once(settings):
    history = simulate(settings, lambda now: 1_000_000, seconds=HOUR)
    assert history[PERIOD] < settings["maximum"] / 2
    assert max(history) == settings["maximum"]


# The same simulation shows what the comments in the files warn of: so it can tell good from bad.

@every_autoscaler
def test_waiting_jobs_alone_would_flap(settings):
    history = simulate(settings, lambda now: 8 * per_worker(settings), seconds=HOUR, metric=waiting)
    assert changes(history[10 * 60:]) > 10


@every_autoscaler
def test_a_target_of_type_value_would_multiply(settings):
    multiplying = settings | {"target": {"type": "Value", "value": per_worker(settings)}}
    history = simulate(multiplying, lambda now: 2 * per_worker(settings), seconds=HOUR)
    assert max(history) == settings["maximum"]


@every_autoscaler
def test_the_default_tolerance_would_let_a_job_wait(settings):
    behavior = copy.deepcopy(settings["behavior"])
    for rules in behavior.values():
        del rules["tolerance"]
    history = simulate(settings | {"behavior": behavior}, lambda now: 11 * per_worker(settings),
                       seconds=HOUR, replicas=10)
    assert set(history) == {10}


@every_autoscaler
def test_without_a_window_it_would_flap(settings):
    behavior = copy.deepcopy(settings["behavior"])
    behavior["scaleDown"]["stabilizationWindowSeconds"] = 0
    luck = random.Random(1)
    history = simulate(settings | {"behavior": behavior},
                       lambda now: luck.choice([0, 8]) * per_worker(settings), seconds=HOUR)
    assert changes(history[10 * 60:]) > 10
