"""A container's paths in a temporary folder, so that its command line can be tried here."""

import pathlib
import subprocess

DEVICES = "/dev/dri"  # what a device plugin puts into a pod


class Sandbox:
    def __init__(self, root, container, programs):
        self._root = pathlib.Path(root)
        self._container = container
        self._programs = programs
        mounts = [mount["mountPath"] for mount in container.data.get("volumeMounts", [])]
        self._places = [*mounts, DEVICES]
        for place in self._places:
            self._here(place).mkdir(parents=True, exist_ok=True)

    def _here(self, path):
        return self._root / path.lstrip("/")

    def moved(self, arg):
        """An argument, or the value of --name=value, with its path moved into the sandbox."""
        name, equals, value = arg.partition("=") if arg.startswith("--") else ("", "", arg)
        inside = any(value == place or value.startswith(place + "/") for place in self._places)
        return name + equals + (str(self._here(value)) if inside else value)

    def add_matching_file(self):
        """A file that --glob finds, for volumes and devices that are not here."""
        options = self._container.options
        if "glob" in options:
            name = options["glob"].replace("*", "0")
            self._here(options.get("dir", "/") + "/" + name).touch()

    def add_program(self):
        """A stand-in for the program of the workload, which its image has."""
        for program in self._container.workload[:1]:
            if program.startswith("/"):
                self._places.append(program)
                self._here(program).parent.mkdir(parents=True, exist_ok=True)
                self._here(program).symlink_to("/bin/true")

    def run(self, *more):
        """Runs one of our programs with the arguments of the manifest, and `more` before them."""
        args = [self.moved(arg) for arg in self._container.expanded_args]
        return self._run([self._programs / self._container.program, *more, *args])

    def run_as_is(self):
        """Runs another program: what prepares a pod."""
        command = self._container.data["command"] + self._container.args
        return self._run([self.moved(arg) for arg in command])

    def _run(self, command):
        env = {"PATH": "/usr/bin:/bin"} | self._container.environment()
        return subprocess.run(command, env=env, cwd=self._root, capture_output=True, text=True, timeout=60, check=False)
