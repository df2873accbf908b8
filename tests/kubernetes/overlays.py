"""Overlays of folders and components of deployments/, as users write them."""
import itertools
import os
import subprocess

import manifests


def orders(component, beside):
    """Lists of components: this one alone, and with each of those beside it, in either order."""
    return [[component], *([*order] for other in beside for order in itertools.permutations((component, other)))]


def frontends(world):
    (pod,) = [pod for pod in world.pods if pod.component == "frontend"]
    return pod


def world(kubectl, checker, folder, resources, components):
    """What kustomize makes of them, which the schemas take. `folder` is an empty one."""
    folder = folder.resolve()

    def paths(names):
        return ", ".join(os.path.relpath(manifests.DEPLOYMENTS / name, folder) for name in names)

    (folder / "kustomization.yaml").write_text(f"resources: [{paths(resources)}]\ncomponents: [{paths(components)}]\n")
    done = subprocess.run([kubectl, "kustomize", folder], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    made = [manifests.Manifest("overlay", data) for data in manifests.parse(done.stdout)]
    assert [error for manifest in made for error in checker.errors(manifest.data)] == []
    return manifests.World(made)
