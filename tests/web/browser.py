"""Chromium without a window, driven over the HTTP protocol of WebDriver: what the tests need of it."""

import base64
import json
import shutil
import subprocess
import time
import urllib.error
import urllib.request

PATIENCE = 15  # seconds until a page has to show something


def there(selector):
    """A script: is something there that fits?"""
    return f"return document.querySelector({selector!r}) !== null"


def says(selector, text):
    """A script: does something that fits say this?"""
    return f"return [...document.querySelectorAll({selector!r})].some((e) => e.textContent.includes({text!r}))"


class Browser:
    """A chromedriver and one session of it. Records all requests and all lines of the console."""

    def __init__(self):
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        port = next(line.rsplit(" ", 1)[1].strip(".\n") for line in self.driver.stdout if "successfully on port" in line)
        self.url = f"http://127.0.0.1:{port}/session"
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
        wanted = {
            "goog:chromeOptions": {"args": arguments, "binary": shutil.which("chromium")},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        self.url += "/" + self.ask("", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def close(self):
        try:
            urllib.request.urlopen(urllib.request.Request(self.url, method="DELETE"), timeout=10).close()
        finally:
            self.driver.terminate()
            self.driver.wait(10)

    def ask(self, path, body):
        data = json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def devtools(self, command, **params):
        return self.ask("/goog/cdp/execute", {"cmd": command, "params": params})

    def look_as(self, width, scheme="light"):
        """The window gets so many pixels, and a colour scheme."""
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, url):
        """Loads it anew, also where only the part after # differs."""
        self.ask("/url", {"url": "about:blank"})
        self.ask("/url", {"url": url})

    def run(self, script, *arguments):
        return self.ask("/execute/sync", {"script": script, "args": list(arguments)})

    def run_later(self, script):
        """Of a script that calls its last argument with the result."""
        return self.ask("/execute/async", {"script": script, "args": []})

    def until(self, what, script, *arguments, seconds=PATIENCE):
        """What `script` returns as soon as that is true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.run(script, *arguments)
            if value:
                return value
            time.sleep(0.1)
        raise AssertionError(f"not in {seconds} s: {what}; the page says:\n{self.run('return document.body.innerText')}")

    def click(self, selector):
        """As a person does: at the place of the element, when it is there."""
        self.until(f"{selector} is there", "return document.querySelector(arguments[0])", selector)
        [key] = self.ask("/element", {"using": "css selector", "value": selector}).values()
        self.ask(f"/element/{key}/click", {})

    def type(self, selector, text):
        """In place of what is there; WebDriver's own clear tells the page nothing, which may put it back."""
        [key] = self.ask("/element", {"using": "css selector", "value": selector}).values()
        self.run("const e = document.querySelector(arguments[0]); e.focus(); e.select();", selector)
        self.ask(f"/element/{key}/value", {"text": text})

    def choose(self, label, option):
        """An option of the select in the label that begins so."""
        self.until(f"{option} of {label} is there", """
            const label = [...document.querySelectorAll('label')].find((l) => l.textContent.startsWith(arguments[0]));
            const option = [...(label?.querySelectorAll('option') ?? [])].find((o) => o.textContent === arguments[1]);
            if (!option) return false;
            option.selected = true;
            return option.closest('select').dispatchEvent(new Event('change', {bubbles: true}));
            """, label, option)

    def complaints(self):
        """Errors and warnings of the console since the last call; the policy's violations are among them."""
        return [e["message"] for e in self.ask("/se/log", {"type": "browser"}) if e["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """Addresses that were asked for since the last call."""
        events = (json.loads(e["message"])["message"] for e in self.ask("/se/log", {"type": "performance"}))
        return [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]

    def screenshot(self, path):
        shot = self.devtools("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(shot["data"]))
