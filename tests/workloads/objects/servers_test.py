"""twofold-objects against real servers (nginx), and against ones with AIStore's protocol and with faults.

servers_test.py TWOFOLD_OBJECTS [TEST...]
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fakes"))
import object_servers as fake  # noqa: E402

OBJECTS = ""
SECRET = "sekretsekret"
NGINX_CONF = """
user {user};
worker_processes 1;
pid {folder}/pid;
error_log {folder}/error.log;
load_module /usr/lib/nginx/modules/ngx_http_dav_ext_module.so;
events {{}}
http {{
  access_log off;
  client_max_body_size 0;
  client_body_temp_path {folder}/tmp;
  proxy_temp_path {folder}/tmp;
  fastcgi_temp_path {folder}/tmp;
  uwsgi_temp_path {folder}/tmp;
  scgi_temp_path {folder}/tmp;
  server {{
    listen 127.0.0.1:{port};
    listen 127.0.0.1:{tls_port} ssl;
    ssl_certificate {folder}/cert.pem;
    ssl_certificate_key {folder}/key.pem;
    root {folder}/root;
    create_full_put_path on;
    dav_methods PUT DELETE MKCOL;
    dav_ext_methods PROPFIND OPTIONS;
  }}
}}
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start(*arguments, env=()):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("AWS_", "AIS_", "S3_"))}
    return subprocess.Popen(
        [OBJECTS, "--statsinterval", "0", *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**environment, **dict(env)})


def finish(process, code=0, seconds=60):
    out, err = process.communicate(timeout=seconds)
    if process.returncode != code:
        raise AssertionError(f"exit {process.returncode}, not {code}: {err}{out[:500]}")
    return json.loads(out) if out else err


def load(*arguments, code=0, env=()):
    return finish(start(*arguments, env=env), code)


def operation(report, name):
    return next((o for o in report.get("operations", []) if o["name"] == name), {})


def count(report, name):
    return int(operation(report, name).get("count", 0))


def causes(report):
    return {(f.get("code", 0), f["cause"]) for f in report.get("failures", [])}


class Nginx(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        for name in ("root/b", "tmp"):
            os.makedirs(f"{cls.folder}/{name}")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
             "-addext", "subjectAltName=DNS:localhost", "-keyout", f"{cls.folder}/key.pem", "-out",
             f"{cls.folder}/cert.pem"], check=True, capture_output=True)
        user = subprocess.run(["id", "-un"], check=True, capture_output=True, text=True).stdout.strip()
        if not any(cls.serves(user) for _ in range(5)):
            raise RuntimeError("nginx does not start")
        cls.plain = ["--protocol", "http", "--endpoint", f"http://127.0.0.1:{cls.port}", "--bucket", "b"]

    @classmethod
    def serves(cls, user):
        """Starts nginx; False: somebody else took one of the ports meanwhile."""
        cls.port, cls.tls_port = free_port(), free_port()
        Path(f"{cls.folder}/n.conf").write_text(
            NGINX_CONF.format(folder=cls.folder, user=user, port=cls.port, tls_port=cls.tls_port))
        cls.nginx = subprocess.Popen(["nginx", "-c", f"{cls.folder}/n.conf", "-g", "daemon off;"])
        while cls.nginx.poll() is None:
            if os.path.exists(f"{cls.folder}/pid"):  # it listens then
                return True
            time.sleep(0.05)
        return False

    @classmethod
    def tearDownClass(cls):
        cls.nginx.terminate()
        cls.nginx.wait(20)
        shutil.rmtree(cls.folder)

    def test_what_was_put_is_read_exactly_once_an_epoch_and_checked(self):
        sizes = ["--minsize", "1K", "--maxsize", "300K", "--subdir", "epochs", "--num-subdirs", 5]
        put = load(*self.plain, *sizes, "--pctput", 100, "--maxputs", 200)
        self.assertEqual((count(put, "PUT"), put["objectsWritten"], put["ended"]), (200, "200", "maxputs"))
        get = load(*self.plain, *sizes, "--objects", 200, "--epochs", 2, "--validate")
        self.assertEqual((count(get, "GET"), get["epochsDone"], get["ended"]), (400, "2", "epochs"))
        self.assertEqual(int(operation(get, "GET")["bytes"]), 2 * int(operation(put, "PUT")["bytes"]))
        self.assertNotIn("failures", get)
        listed = load(*self.plain, "--subdir", "epochs", "--epochs", 1, "--validate")
        self.assertEqual(count(listed, "GET"), 200)

    def test_another_seed_is_other_content_under_other_names(self):
        load(*self.plain, "--subdir", "seed", "--pctput", 100, "--maxputs", 5, "--minsize", "1K")
        get = load(*self.plain, "--subdir", "seed", "--epochs", 1, "--validate", "--seed", 2, code=1)
        self.assertEqual(causes(get), {(200, "wrong content")})

    def test_cleanup_alone_deletes_what_an_earlier_run_has_put_and_nothing_else(self):
        load(*self.plain, "--subdir", "left", "--pctput", 100, "--maxputs", 20, "--minsize", "1K")
        Path(f"{self.folder}/root/b/left/other").write_text("not ours")
        report = load(*self.plain, "--subdir", "left", "--objects", 20, "--duration", "0", "--cleanup")
        self.assertEqual(report["cleaned"], "20")
        self.assertEqual(os.listdir(f"{self.folder}/root/b/left"), ["other"])

    def test_ranges_begin_at_readoff_even_without_readlen(self):
        sizes = ["--subdir", "range", "--minsize", "10K"]
        load(*self.plain, *sizes, "--pctput", 100, "--maxputs", 20)
        part = load(*self.plain, *sizes, "--objects", 20, "--epochs", 1, "--validate", "--readoff", "1K", "--readlen", "2K")
        self.assertEqual(int(operation(part, "GET")["bytes"]), 20 * 2048)
        rest = load(*self.plain, *sizes, "--objects", 20, "--epochs", 1, "--validate", "--readoff", "9K")
        self.assertEqual(int(operation(rest, "GET")["bytes"]), 20 * 1024)

    def test_a_mix_has_the_shares_asked_for_and_cleans_up_after_itself(self):
        report = load(*self.plain, "--subdir", "mix", "--pctput", 40, "--pctdelete", 10, "--pcthead", 20, "--pctupdate",
                      50, "--minsize", "2K", "--maxputs", 400, "--validate", "--cleanup")
        self.assertNotIn("failures", report)
        for one in report["operations"]:
            self.assertAlmostEqual(one["askedShare"], one["measuredShare"], delta=8)
        files = [p for p in Path(f"{self.folder}/root/b/mix").rglob("*") if p.is_file()]
        self.assertEqual(files, [])

    def test_a_rate_is_kept_and_latency_counts_from_the_planned_start(self):
        load(*self.plain, "--subdir", "rate", "--pctput", 100, "--maxputs", 10, "--minsize", "1K")
        report = load(*self.plain, "--subdir", "rate", "--objects", 10, "--rate", 100, "--arrivals", "poisson", "--duration", "3s")
        self.assertAlmostEqual(count(report, "GET"), 300, delta=70)
        planned = operation(report, "GET")["planned"]
        self.assertEqual(sum(map(int, planned["count"])), count(report, "GET"))
        self.assertGreaterEqual(int(planned["sum"]), int(operation(report, "GET")["lastByte"]["sum"]))

    def test_numbers_of_a_report_agree_with_each_other(self):
        report = load(*self.plain, "--subdir", "sum", "--pctput", 100, "--minsize", "1K", "--rate", 200, "--duration", "2s", "--warmup", "500ms")
        put = operation(report, "PUT")
        self.assertEqual(sum(map(int, put["countBySecond"])), count(report, "PUT"))
        self.assertEqual(sum(map(int, put["bytesBySecond"])), int(put["bytes"]))
        self.assertEqual(sum(map(int, put["lastByte"]["count"])), count(report, "PUT"))
        self.assertAlmostEqual(report["measuredSeconds"], 2, delta=0.01)

    def test_a_signal_ends_a_run_with_the_report_so_far(self):
        process = start(*self.plain, "--subdir", "signal", "--pctput", 100, "--minsize", "1K", "--rate", 50, "--duration", "10m")
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        report = finish(process, code=3, seconds=20)
        self.assertTrue(report["interrupted"])
        self.assertEqual(report["ended"], "interrupted")
        self.assertGreater(count(report, "PUT"), 0)

    def test_tls_is_verified_unless_told_otherwise(self):
        tls = ["--protocol", "http", "--endpoint", f"https://localhost:{self.tls_port}", "--bucket", "b", "--subdir", "tls",
               "--pctput", 100, "--maxputs", 20, "--minsize", "100K"]
        good = load(*tls, "--cafile", f"{self.folder}/cert.pem")
        self.assertEqual(count(good, "PUT"), 20)
        self.assertGreater(sum(map(int, good["connections"]["tls"]["count"])), 0)
        self.assertEqual(count(load(*tls, "--skipverify"), "PUT"), 20)
        self.assertIn("certificate", load(*tls, code=1))
        self.assertIn("certificate", load(*tls[:3], f"https://127.0.0.1:{self.tls_port}", *tls[4:], "--cafile",
                                          f"{self.folder}/cert.pem", code=1))

    def gang(self, *arguments, loaders=3):
        barrier = f"127.0.0.1:{free_port()}"
        return [start(*self.plain, *arguments, "--nodecount", loaders, "--loaderid", i, "--barrier", barrier,
                      "--barriertimeout", 20) for i in range(loaders)]

    def test_loaders_start_together_and_read_each_object_once(self):
        put = [finish(p) for p in self.gang("--subdir", "gang", "--pctput", 100, "--maxputs", 100, "--minsize", "1K")]
        self.assertEqual(sum(count(r, "PUT") for r in put), 100)
        get = [finish(p) for p in self.gang("--subdir", "gang", "--objects", 100, "--epochs", 2, "--validate")]
        self.assertEqual(sum(count(r, "GET") for r in get), 200)
        starts = [int(r["startedUnixMs"]) for r in get]
        self.assertLess(max(starts) - min(starts), 500)

    def test_a_loader_that_does_not_come_is_named(self):
        one = start(*self.plain, "--pctput", 100, "--nodecount", 3, "--barrier", f"127.0.0.1:{free_port()}", "--barriertimeout", 1)
        self.assertIn("of 2 other loaders, 0 came within 1 s", finish(one, code=1))

    def test_a_loader_with_another_spec_is_refused(self):
        barrier = f"127.0.0.1:{free_port()}"
        common = [*self.plain, "--pctput", 100, "--nodecount", 2, "--barrier", barrier, "--barriertimeout", 3]
        first = start(*common, "--minsize", "1K")
        self.assertIn("its spec differs", finish(start(*common, "--minsize", "2K", "--loaderid", 1), code=1))
        finish(first, code=1)

    def test_a_loader_that_dies_ends_all_with_its_name(self):
        processes = self.gang("--subdir", "dies", "--pctput", 100, "--minsize", "1K", "--rate", 50, "--duration", "10m")
        time.sleep(3)
        processes[2].kill()
        processes[2].communicate()
        for process in processes[:2]:
            report = finish(process, code=3, seconds=30)
            self.assertEqual(report["ended"], "loader 2 was lost")

    def test_autoterm_ends_all_loaders(self):
        reports = [finish(p) for p in self.gang("--subdir", "auto", "--pctput", 100, "--minsize", "1K", "--rate", 50,
                                                "--autoterm", "--autotermtime", "3s", "--autotermpct", 60, "--duration", "1m", loaders=2)]
        self.assertEqual({r["ended"] for r in reports}, {"autoterm"})

    def test_wrong_options_are_told_with_their_reason(self):
        for arguments, why in ((["--etl", "md5"], "not taken"), (["--pctput", 200], "pctput"), (["--bogus", "1"], "bogus"),
                               (["--minsize", "1.5M"], "minsize"), (["--endpoint", "nowhere"], "endpoint")):
            self.assertIn(why, load(*self.plain, *arguments, code=2))


class AiStore(unittest.TestCase):
    def run_ais(self, ais, *arguments, code=0, env=()):
        return load("--ip", "127.0.0.1", "--port", ais.gateway.port, "--bucket", "ais://b", "--cksum-type", "sha256",
                    *arguments, code=code, env=env)

    def test_redirects_are_followed_verbatim_and_content_goes_to_targets_only(self):
        ais = fake.Ais()
        try:
            put = self.run_ais(ais, "--pctput", 100, "--maxputs", 40, "--minsize", "1K", "--maxsize", "200K")
            self.assertEqual((count(put, "PUT"), int(operation(put, "PUT")["redirects"])), (40, 40))
            self.assertEqual(sum(t.checked for t in ais.targets), 40)
            self.assertEqual(ais.gateway.content_bytes, 0)
            get = self.run_ais(ais, "--epochs", 1, "--validate", "--verifyhash", "--pcthead", 20)
            self.assertNotIn("failures", get)
            self.assertEqual(count(get, "GET") + count(get, "HEAD"), 40)
            self.assertGreater(int(operation(get, "GET")["redirect"]["sum"]), 0)
        finally:
            ais.close()

    def test_connections_to_gateway_and_targets_are_kept(self):
        ais = fake.Ais()
        try:
            self.run_ais(ais, "--pctput", 100, "--maxputs", 20, "--minsize", "1K")
            before = ais.gateway.connections
            self.run_ais(ais, "--epochs", 10, "--numworkers", 2)
            self.assertLess(ais.gateway.connections - before, 6)
            self.assertLess(sum(t.connections for t in ais.targets), 40)
        finally:
            ais.close()

    def test_a_checksum_that_is_wrong_is_found(self):
        ais = fake.Ais(lies=True)
        try:
            self.run_ais(ais, "--pctput", 100, "--maxputs", 3, "--minsize", "1K")
            get = self.run_ais(ais, "--epochs", 1, "--verifyhash", code=1)
            self.assertEqual(causes(get), {(200, "wrong checksum")})
        finally:
            ais.close()

    def test_the_token_is_sent_and_shown_nowhere(self):
        ais = fake.Ais(token="Bearer " + SECRET)
        try:
            with tempfile.NamedTemporaryFile("w") as file:
                file.write(SECRET + "\n")
                file.flush()
                env = {"AIS_AUTHN_TOKEN_FILE": file.name, "AIS_ENDPOINT": f"http://127.0.0.1:{ais.gateway.port}"}
                report = self.run_ais(ais, "--pctput", 100, "--maxputs", 3, "--minsize", "1K", env=env)
            self.assertEqual(count(report, "PUT"), 3)
            self.assertNotIn(SECRET, json.dumps(report))
            self.assertEqual(causes(self.run_ais(ais, "--epochs", 1, code=1)), {(401, "HTTP 401")})
        finally:
            ais.close()

    def test_the_token_of_the_environment_goes_to_no_server_that_a_spec_names(self):
        ais = fake.Ais()
        try:
            for named in ({}, {"AIS_ENDPOINT": "http://127.0.0.1:1"}):
                error = self.run_ais(ais, "--epochs", 1, code=1, env={"AIS_AUTHN_TOKEN": SECRET, **named})
                self.assertIn("the token of the environment is for AIS_ENDPOINT alone", error)
                self.assertNotIn(SECRET, error)
            self.assertEqual(ais.gateway.requests, [])
        finally:
            ais.close()

    def test_a_token_file_of_the_environment_that_is_not_there_is_no_token_and_that_of_a_spec_an_error(self):
        ais = fake.Ais()
        try:
            put = ["--pctput", 100, "--maxputs", 3, "--minsize", "1K"]
            report = self.run_ais(ais, *put, env={"AIS_AUTHN_TOKEN_FILE": "/nonexistent"})
            self.assertEqual(count(report, "PUT"), 3)
            error = self.run_ais(ais, *put, "--tokenfile", "/nonexistent", code=2)
            self.assertIn("tokenfile: there is no token in /nonexistent", error)
        finally:
            ais.close()


@unittest.skipUnless(os.environ.get("TWOFOLD_NIGHTLY") and shutil.which("radosgw"), "nightly, with ceph's radosgw")
class RadosGateway(unittest.TestCase):
    """S3 as others have built it: signatures that are checked, uploads in parts, listings of several pages."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.script = str(Path(__file__).resolve().parent / "radosgw.sh")
        started = subprocess.run([cls.script, cls.folder, "start"], check=True, capture_output=True, text=True, timeout=300)
        cls.s3 = ["--s3endpoint", started.stdout.strip(), "--s3-use-path-style", "--bucket", "bench"]
        cls.keys = {"AWS_SHARED_CREDENTIALS_FILE": f"{cls.folder}/credentials"}

    @classmethod
    def tearDownClass(cls):
        subprocess.run([cls.script, cls.folder, "stop"], check=True, timeout=60)
        shutil.rmtree(cls.folder)

    def load(self, *arguments, code=0, keys=None):
        return load(*self.s3, *arguments, code=code, env=keys or self.keys)

    def test_what_was_put_is_listed_in_pages_and_read(self):
        self.load("--subdir", "many", "--pctput", 100, "--minsize", "1K", "--maxsize", "64K", "--maxputs", 1200)
        get = self.load("--subdir", "many", "--epochs", 1, "--validate", "--verifyhash")
        self.assertEqual(count(get, "GET"), 1200)
        self.assertNotIn("failures", get)

    def test_uploads_in_parts_are_one_object_with_content_signed_or_not(self):
        for signed in ([], ["--signpayload"]):
            common = ["--subdir", f"parts{len(signed)}", "--minsize", "16M"]
            put = self.load(*common, "--pctput", 100, "--pctmultipart", 100, "--multipart-chunks", 3, "--maxputs", 4, *signed)
            self.assertEqual(count(put, "MULTIPART"), 4)
            get = self.load(*common, "--objects", 4, "--epochs", 1, "--validate")
            self.assertEqual(int(operation(get, "GET")["bytes"]), 4 << 24)

    def test_a_mix_of_all_requests_has_no_failures(self):
        report = self.load("--subdir", "mix", "--pctput", 30, "--pctdelete", 10, "--pcthead", 10, "--pctlist", 5,
                           "--pctupdate", 10, "--minsize", "4K", "--maxputs", 200, "--validate", "--cleanup")
        self.assertNotIn("failures", report)
        self.assertEqual(len(report["operations"]), 6)

    def test_a_wrong_secret_is_refused_and_not_shown(self):
        keys = {"AWS_ACCESS_KEY_ID": "TWOFOLDKEY", "AWS_SECRET_ACCESS_KEY": SECRET}
        err = self.load("--pctput", 100, code=1, keys=keys)
        self.assertIn("403", err)
        self.assertNotIn(SECRET, err)


class Faults(unittest.TestCase):
    def put_and_get(self, fault, *arguments, code=1, protocol="http"):
        """PUTs on a good server, then GETs from one with the fault."""
        server = fake.Server(fake.Faulty, fault=lambda *_: False)
        where = ["--bucket", "b", "--protocol", protocol, "--endpoint", server.url, "--s3-use-path-style", "--minsize", "4K"]
        try:
            load(*where, "--pctput", 100, "--maxputs", 4)
            server.fault = fault
            return load(*where, "--objects", 4, "--epochs", 1, *arguments, code=code)
        finally:
            server.close()

    def test_a_connection_closed_early_is_told_apart(self):
        self.assertEqual(causes(self.put_and_get(fake.closing_early)), {(200, "closed early")})

    def test_wrong_length(self):
        longer = fake.of_content(lambda content: content + b"x")
        self.assertEqual(causes(self.put_and_get(longer, "--validate")), {(200, "wrong content")})
        shorter = fake.of_content(lambda content: content[:-1])
        self.assertEqual(causes(self.put_and_get(shorter, "--validate")), {(200, "wrong length")})

    def test_wrong_content_is_found_by_validate_and_by_an_etag(self):
        flipped = fake.of_content(lambda content: content[:-1] + bytes([content[-1] ^ 1]))
        self.assertEqual(causes(self.put_and_get(flipped, "--validate")), {(200, "wrong content")})
        self.assertEqual(causes(self.put_and_get(flipped, "--verifyhash", protocol="s3")), {(200, "wrong checksum")})
        self.assertNotIn("failures", self.put_and_get(flipped, code=0))  # nobody looked

    def test_a_slow_server_times_out(self):
        report = self.put_and_get(fake.slow(3), "--timeout", "300ms")
        self.assertEqual(causes(report), {(0, "timeout")})

    def test_garbage_is_no_answer(self):
        self.assertEqual(causes(self.put_and_get(fake.garbage)), {(0, "malformed answer")})

    def test_busy_servers_are_asked_again_only_if_told(self):
        once = self.put_and_get(fake.busy(1), protocol="s3")
        self.assertEqual(causes(once), {(503, "SlowDown")})
        again = self.put_and_get(fake.busy(2), "--retries", 3, protocol="s3", code=0)
        self.assertNotIn("failures", again)
        self.assertEqual(int(operation(again, "GET")["retries"]), 8)
        self.assertGreater(int(operation(again, "GET")["lastByte"]["min"]), 30_000_000)  # of all tries

    def test_expired_credentials_are_not_tried_again(self):
        report = self.put_and_get(fake.answering(403, "ExpiredToken"), "--retries", 5, protocol="s3")
        self.assertEqual(causes(report), {(403, "ExpiredToken")})
        self.assertEqual(int(operation(report, "GET").get("retries", 0)), 0)

    def test_a_full_disk_that_ends_an_upload_in_its_middle_is_told_by_its_code(self):
        server = fake.Server(fake.Faulty, fault=fake.refusing_uploads)
        try:
            report = load("--bucket", "b", "--protocol", "http", "--endpoint", server.url, "--pctput", 100, "--minsize", "5M",
                          "--maxputs", 3, code=1)
            self.assertEqual(causes(report), {(507, "HTTP 507")})
            self.assertEqual(report.get("objectsWritten", "0"), "0")
        finally:
            server.close()

    def test_a_server_that_is_killed_makes_failures_and_no_flood_of_them(self):
        server = fake.Server(fake.Faulty, fault=lambda *_: False)
        where = ["--bucket", "b", "--protocol", "http", "--endpoint", server.url, "--minsize", "1K"]
        process = start(*where, "--pctput", 100, "--duration", "4s", "--numworkers", 4)
        time.sleep(1.5)
        server.close()
        report = finish(process)
        self.assertIn((0, "connection refused"), causes(report))
        self.assertLess(sum(int(f["count"]) for f in report["failures"]), 400)

    def test_nobody_there_is_said_at_once(self):
        port = free_port()
        err = load("--bucket", "b", "--protocol", "http", "--endpoint", f"http://127.0.0.1:{port}", "--pctput", 100, code=1)
        self.assertIn(f"bucket: 127.0.0.1:{port}: connection refused", err)


class S3Stores(unittest.TestCase):
    """What stores with S3's protocol say of themselves is read right, or is an error."""

    KEYS = {"AWS_ACCESS_KEY_ID": "KEY", "AWS_SECRET_ACCESS_KEY": SECRET}
    ODD = ["plain", "it's", "tab\there", "a&b <c>", 'qu"ote', "a+b c", "\u00e9\u20ac"]

    def serve(self, **settings):
        server = fake.s3_server(**settings)
        self.addCleanup(server.close)
        return server

    def load(self, server, *arguments, code=0, env=()):
        return load("--s3endpoint", server.url, "--s3-use-path-style", "--bucket", "b", *arguments, code=code,
                    env={**self.KEYS, **dict(env)})

    def test_a_store_that_knows_only_version_1_of_lists_is_read_to_its_end(self):
        for versions in (1, 2):
            server = self.serve(versions=versions)
            server.objects = {f"o{i:05}": b"x" for i in range(2500)}
            report = self.load(server, "--epochs", 1)
            self.assertEqual((report["names"], count(report, "GET")), ("2500", 2500))

    def test_names_with_all_that_xml_escapes_are_found(self):
        for encodes in (False, True):
            server = self.serve(encodes=encodes)
            server.objects = {name: b"x" for name in self.ODD}
            report = self.load(server, "--epochs", 1)
            self.assertEqual(count(report, "GET"), len(self.ODD))
            self.assertNotIn("failures", report)

    def test_names_of_a_filelist_may_have_blanks(self):
        server = self.serve()
        server.objects = {name: b"x" for name in ("a b", "c")}
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("a b\r\nc\r\n")
            file.flush()
            report = self.load(server, "--filelist", file.name, "--epochs", 1)
        self.assertEqual((report["names"], count(report, "GET")), ("2", 2))

    def test_an_upload_is_done_when_the_store_says_so_and_not_by_its_200(self):
        error = b'<Error xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Code>InternalError</Code></Error>'
        put = ["--pctput", 100, "--pctmultipart", 100, "--multipart-chunks", 2, "--maxputs", 6, "--minsize", "1K"]
        good = self.serve()
        self.assertEqual(count(self.load(good, *put), "MULTIPART"), 6)
        self.assertEqual((len(good.objects), good.parts), (6, {}))
        xml = b'<?xml version="1.0"?>'
        for complete, cause in ((error, "InternalError"), (xml + b" " * (64 << 10) + error, "InternalError"),
                                (b"", "no CompleteMultipartUploadResult"), (b"<html/>", "no CompleteMultipartUploadResult: html"),
                                (b"<CompleteMultipartUploadResult><Key>", "no CompleteMultipartUploadResult")):
            server = self.serve(complete=complete)
            report = self.load(server, *put, code=1)
            self.assertEqual(count(report, "MULTIPART"), 0)
            (failure,) = report["failures"]
            self.assertIn(cause, failure["cause"])
            self.assertEqual((failure["code"], failure["count"], server.parts), (200, "6", {}))  # ended, and aborted
        late = self.serve(complete=b" \r\n" * (64 << 10) + b"<CompleteMultipartUploadResult/>")
        self.assertEqual(count(self.load(late, *put), "MULTIPART"), 6)

    def test_lists_under_load_that_are_none_are_failures(self):
        server = self.serve()
        server.objects = {"a": b"x"}
        lists = ["--pctlist", 100, "--rate", 50, "--duration", "300ms"]
        self.assertNotIn("failures", self.load(server, *lists))
        other = fake.Server(fake.Faulty, fault=lambda handler, _: handler.command == "GET" and (handler.answer(200, b"<html/>"), True)[1])
        self.addCleanup(other.close)
        lists[-1] = "2s"  # some answer comes even to a machine with much else to do
        report = load("--s3endpoint", other.url, "--s3-use-path-style", "--bucket", "b", *lists, code=1)
        self.assertIn("no list of a bucket", report["failures"][0]["cause"])

    def test_a_wrong_region_is_named_with_that_of_the_store(self):
        server = self.serve(region="eu-west-3")
        err = self.load(server, "--pctput", 100, code=1)
        self.assertIn("the store's region is eu-west-3, and requests are signed for us-east-1: set region", err)
        self.assertNotIn("keys or token", err)
        put = ["--pctput", 100, "--maxputs", 2, "--minsize", "1K"]
        self.assertEqual(count(self.load(server, *put, env={"AWS_DEFAULT_REGION": "eu-west-3"}), "PUT"), 2)

    def test_a_clock_that_is_off_is_named_with_both_clocks(self):
        server = self.serve(date="Wed, 21 Oct 2015 07:28:00 GMT")
        err = self.load(server, "--pctput", 100, code=1)
        self.assertRegex(err, r"the store's clock says Wed, 21 Oct 2015 07:28:00 GMT, ours is \d+ s ahead: set the clock")

    def test_a_bucket_in_front_of_a_host_that_cannot_have_it_is_refused_with_the_hint(self):
        server = self.serve()
        err = load("--s3endpoint", server.url, "--bucket", "b", "--pctput", 100, code=2)
        self.assertIn("s3-use-path-style: not given, so the bucket goes in front of the host, b.127.0.0.1", err)
        err = load("--s3endpoint", "http://no.such.invalid:1", "--bucket", "b", "--pctput", 100, code=1)
        self.assertIn("set s3-use-path-style", err)
        self.assertEqual(server.requests, [])

    def test_a_uri_of_a_bucket_is_its_name(self):
        server = self.serve()
        put = ["--s3endpoint", server.url, "--s3-use-path-style", "--pctput", 100, "--maxputs", 2, "--minsize", "1K"]
        self.assertEqual(count(load("--bucket", "s3://b/", *put), "PUT"), 2)
        self.assertIn("write bucket b and subdir data", load("--bucket", "s3://b/data", *put, code=2))
        self.assertTrue(all("/" not in name for name in server.objects))


if __name__ == "__main__":
    OBJECTS = sys.argv.pop(1)
    unittest.main()
