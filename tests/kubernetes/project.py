"""The files of the project that name metrics."""
import json
import pathlib

import yaml

from manifests import ROOT, world

DASHBOARD = ROOT / "grafana" / "dashboard.json"
ALERTS = ROOT / "grafana" / "alerts.yaml"
# Which list of the adapter's config.yaml defines the metrics of a type that an HPA asks for.
ADAPTER_RULES = {"Object": "rules", "External": "externalRules"}


def objects(kind):
    """All objects of that kind in deployments/, with the folder of each: [(folder, object)]."""
    return [(pathlib.PurePath(manifest.source).parent, manifest.data)
            for manifest in world().manifests if manifest.kind == kind]


def adapter_configs():
    """The configurations for prometheus-adapter: [(folder, dictionary)]."""
    return [(folder, yaml.safe_load(object_["data"]["config.yaml"]))
            for folder, object_ in objects("ConfigMap") if "config.yaml" in object_["data"]]


def dashboard():
    return json.loads(DASHBOARD.read_text())


def panels():
    """The panels that show something, rows left out."""
    return [panel for panel in dashboard()["panels"] if panel["type"] != "row"]


def alerts():
    """All alert rules."""
    groups = yaml.safe_load(ALERTS.read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def expressions():
    """Every PromQL expression of the project with a name for it: [(where, expression)]."""
    found = [(f"dashboard: {panel['title']} {target['refId']}", target["expr"])
             for panel in panels() for target in panel["targets"]]
    found += [(f"alert: {rule['alert']}", rule["expr"]) for rule in alerts()]
    found += [(f"adapter: {folder.name} {rule['seriesQuery']}", rule["seriesQuery"])
              for folder, config in adapter_configs()
              for kind in ADAPTER_RULES.values() for rule in config.get(kind, [])]
    found += [(f"KEDA: {object_['metadata']['name']}", trigger["metadata"]["query"])
              for _, object_ in objects("ScaledObject")
              for trigger in object_["spec"]["triggers"] if trigger["type"] == "prometheus"]
    return found
