"""The arithmetic of the HPA controller for one Object or External metric, without a cluster.

In the order of Kubernetes (pkg/controller/podautoscaler): wish from the metric, stabilisation, limits
of the policies, minimum and maximum.
"""
import math

PERIOD = 15  # seconds between two looks of the controller
_DEFAULT_TOLERANCE = 0.1


class Autoscaler:
    """One HPA; `target` and `behavior` as in its spec, the behavior with all its fields."""

    def __init__(self, *, minimum, maximum, target, behavior):
        self._minimum = minimum
        self._maximum = maximum
        self._target = target
        self._behavior = behavior
        self._wishes = []   # (time, replicas), before stabilisation
        self._changes = []  # (time, change)

    def look(self, now, replicas, total):
        """The replicas to have from `now` on, where there are `replicas`, all ready."""
        self._wishes.append((now, self._wish(replicas, total)))
        desired = self._within_policies(now, replicas, self._stabilised(now, replicas))
        desired = min(max(desired, self._minimum), self._maximum)
        if desired != replicas:
            self._changes.append((now, desired - replicas))
        return desired

    def _wish(self, replicas, total):
        if self._target["type"] == "AverageValue":
            wish = total / float(self._target["averageValue"])
            ratio = wish / replicas
        else:  # Value: proportional to the replicas that there are
            ratio = total / float(self._target["value"])
            wish = ratio * replicas
        near = 1 - self._tolerance("scaleDown") <= ratio <= 1 + self._tolerance("scaleUp")
        return replicas if near else math.ceil(wish)

    def _tolerance(self, direction):
        return float(self._behavior[direction].get("tolerance", _DEFAULT_TOLERANCE))

    def _stabilised(self, now, replicas):
        """Up to the lowest wish of its window, down to the highest of its own."""
        up = min(self._wishes_of("scaleUp", now))
        down = max(self._wishes_of("scaleDown", now))
        return min(max(replicas, up), down)

    def _wishes_of(self, direction, now):
        window = self._behavior[direction]["stabilizationWindowSeconds"]
        newest = self._wishes[-1][1]
        return [newest] + [wish for time, wish in self._wishes if time > now - window]

    def _within_policies(self, now, replicas, desired):
        if desired > replicas:
            return min(desired, max(replicas, self._limit("scaleUp", now, replicas)))
        return max(desired, min(replicas, self._limit("scaleDown", now, replicas)))

    def _limit(self, direction, now, replicas):
        rules = self._behavior[direction]
        if rules["selectPolicy"] == "Disabled":
            return replicas
        sign = 1 if direction == "scaleUp" else -1
        limits = []
        for policy in rules["policies"]:
            start = replicas - sum(change for time, change in self._changes
                                   if time > now - policy["periodSeconds"])
            if policy["type"] == "Pods":
                limits.append(start + sign * policy["value"])
            elif sign > 0:
                limits.append(math.ceil(start * (1 + policy["value"] / 100)))
            else:
                limits.append(int(start * (1 - policy["value"] / 100)))
        greatest_change = (rules["selectPolicy"] == "Max") == (sign > 0)
        return max(limits) if greatest_change else min(limits)
