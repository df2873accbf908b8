"""Checks objects against the schemas of Kubernetes and of some custom resources, strictly."""

import json
import pathlib

import jsonschema
import yaml

from manifests import DEPLOYMENTS

# Only the fields that the manifests and templates use, written after the documentation of each project. Those of
# workloads have, beside the fields, what webhooks and controllers refuse: replica specs of 0, for example.
OWN_SCHEMAS = [pathlib.Path(__file__).parent / f"{name}-schemas.json" for name in ("cert-manager", "cloudnative-pg", "workload")]
OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
POD_TEMPLATE = "io.k8s.api.core.v1.PodTemplateSpec"
POOLS = DEPLOYMENTS / "benchmark-operator" / "crds" / "workerpools.yaml"
QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"
# The names of these fields are given by users, not by Kubernetes.
OPEN = ("additionalProperties", "x-kubernetes-preserve-unknown-fields")


def _strict(schema):
    """The same schema, in which a field that is not named is an error."""
    if schema.get("x-kubernetes-int-or-string") or schema.get("format") == "int-or-string":
        return {"type": ["integer", "string"]}
    result = dict(schema)
    if "properties" in schema:
        result["properties"] = {name: _strict(field) for name, field in schema["properties"].items()}
        if not any(key in schema for key in OPEN):
            result["additionalProperties"] = False
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            result[key] = _strict(schema[key])
    return result


def _with_metadata(schema):
    """Schemas of custom resources leave metadata open: it is that of all objects."""
    metadata = {"metadata": {"$ref": f"#/definitions/{OBJECT_META}"}}
    return {**schema, "properties": {**schema["properties"], **metadata}}


def _schema_of_pools():
    """That of the definition, whose pods are those of Kubernetes."""
    (version,) = yaml.safe_load(POOLS.read_text())["spec"]["versions"]
    schema = version["schema"]["openAPIV3Schema"]
    schema["properties"]["spec"]["properties"]["template"] = {"$ref": f"#/definitions/{POD_TEMPLATE}"}
    return {f"twofold.dev/{version['name']}/WorkerPool": schema}


class Checker:
    def __init__(self, folder):
        document = json.loads((folder / "kubernetes-1.36-definitions.json").read_text())
        definitions = document.get("definitions", document)
        self._definitions = {name: _strict(schema) for name, schema in definitions.items()}
        self._definitions[QUANTITY] = {"type": ["string", "number"]}
        self._by_kind = {}
        for name, schema in definitions.items():
            for kind in schema.get("x-kubernetes-group-version-kind", []):
                version = "/".join(part for part in (kind["group"], kind["version"]) if part)
                self._by_kind[version, kind["kind"]] = {"$ref": f"#/definitions/{name}"}
        # One for all objects: it searches all definitions once.
        self._resolver = jsonschema.RefResolver("", {"definitions": self._definitions})
        schemas = json.loads((folder / "crd-schemas.json").read_text())
        for path in OWN_SCHEMAS:
            schemas |= json.loads(path.read_text())
        schemas |= _schema_of_pools()
        for key, schema in schemas.items():
            version, _, kind = key.rpartition("/")
            self._by_kind[version, kind] = _with_metadata(_strict(schema))

    def errors(self, data):
        """What is wrong with an object, a line each; [] if nothing is."""
        if not isinstance(data, dict):
            return [f"not an object: {data!r}"]
        schema = self._by_kind.get((data.get("apiVersion"), data.get("kind")))
        if schema is None:
            return [f"no such kind: {data.get('apiVersion')} {data.get('kind')}"]
        validator = jsonschema.Draft4Validator(schema, resolver=self._resolver)
        return [f"{'.'.join(map(str, error.absolute_path)) or 'object'}: {error.message}"
                for error in validator.iter_errors(data)]
