#!/usr/bin/python3
"""A client and a worker in Python's grpcio, which nobody of this project wrote.

strangers.py MESSAGES [OPTION]... CLIENTS WORKERS: MESSAGES is a folder with what protoc made of proto/twofold/v1. Both speak to these
addresses as any program of others would, and say what is not as it should be.
"""

import argparse
import queue
import sys
import threading
from pathlib import Path

import grpc

OPTIONS = argparse.ArgumentParser()
OPTIONS.add_argument("messages")
OPTIONS.add_argument("clients")
OPTIONS.add_argument("workers")
OPTIONS.add_argument("--client-token")
OPTIONS.add_argument("--worker-token")
OPTIONS.add_argument("--ca")
OPTIONS.add_argument("--cert")
OPTIONS.add_argument("--key")
OPTIONS.add_argument("--resets", action="store_true")
options = OPTIONS.parse_args()
sys.path.insert(0, options.messages)
from twofold.v1 import queue_pb2 as v1  # noqa: E402

JOBS = 500
PATIENCE = 30
# HAProxy resets a call that is answered before its request has ended.
TOO_LARGE = grpc.StatusCode.CANCELLED if options.resets else grpc.StatusCode.RESOURCE_EXHAUSTED


def connect(address):
    if not options.ca:
        return grpc.insecure_channel(address)
    ca, key, cert = (Path(file).read_bytes() for file in (options.ca, options.key, options.cert))
    return grpc.secure_channel(address, grpc.ssl_channel_credentials(ca, key, cert))


def metadata(token):
    return [("authorization", f"Bearer {token}")] if token else []


class Caller:
    """Calls the methods of one service at one address."""

    def __init__(self, address, service, token):
        self.channel = connect(address)
        self.service = service
        self.metadata = metadata(token)

    def __call__(self, method, request, reply, **more):
        call = self.channel.unary_unary(f"/twofold.v1.{self.service}/{method}", type(request).SerializeToString, reply.FromString)
        return call(request, timeout=PATIENCE, metadata=self.metadata, **more)

    def follow(self, job, **more):
        call = self.channel.unary_stream("/twofold.v1.Clients/FollowJob", v1.FollowJobRequest.SerializeToString, v1.JobUpdate.FromString)
        return call(v1.FollowJobRequest(id=job), metadata=self.metadata, **more)

    def stream(self, method, requests, request, reply, **more):
        call = self.channel.stream_stream(f"/twofold.v1.{self.service}/{method}", request.SerializeToString, reply.FromString)
        return call(requests, metadata=self.metadata, **more)


def messages(of):
    """What is put into the queue, until None."""
    return iter(of.get, None)


class Worker(threading.Thread):
    """Answers each job with its own number as device, and leaves when it is told to."""

    def __init__(self):
        super().__init__(daemon=True)
        self.said = queue.SimpleQueue()
        self.said.put(v1.WorkerMessage(hello=v1.Hello(queue="sleep", process_key=7, node="stranger", pod="python", slots=64)))
        self.replies = Caller(options.workers, "Workers", options.worker_token).stream(
            "Work", messages(self.said), v1.WorkerMessage, v1.FrontendMessage)
        self.specs = set()

    def run(self):
        for reply in self.replies:
            if not reply.HasField("assigns"):
                continue
            batch = reply.assigns
            at = 0
            for size in batch.spec_sizes:
                self.specs.add(batch.specs[at:at + size])
                at += size
            results = v1.WorkerResults(jobs=batch.jobs, attempts=batch.attempts or [1] * len(batch.jobs), run_ns=[1000] * len(batch.jobs))
            self.said.put(v1.WorkerMessage(results=results))

    def leave(self):
        self.said.put(v1.WorkerMessage(leaving=True))
        self.said.put(None)
        self.join(PATIENCE)
        assert not self.is_alive(), "the worker's stream does not end"
        assert self.replies.code() == grpc.StatusCode.OK, self.replies.details()


def stream_of_jobs():
    said = queue.SimpleQueue()
    specs = [b"job %d" % tag for tag in range(1, JOBS + 1)]
    said.put(v1.SubmitRequest(options=[v1.JobOptions(queue="sleep")], tags=range(1, JOBS + 1), spec_sizes=[len(spec) for spec in specs],
                              specs=b"".join(specs)))
    said.put(None)
    replies = Caller(options.clients, "Clients", options.client_token).stream(
        "Submit", messages(said), v1.SubmitRequest, v1.SubmitReply, timeout=PATIENCE)
    tags = []
    for reply in replies:
        assert not any(outcome != v1.OUTCOME_SUCCEEDED for outcome in reply.results.outcomes), reply
        tags += reply.results.tags
    assert sorted(tags) == list(range(1, JOBS + 1)), f"{len(tags)} results"
    return set(specs)


def expect(code, call, *details):
    try:
        answer = call()
    except grpc.RpcError as error:
        assert error.code() == code, f"{error.code()}: {error.details()}"
        assert all(detail in error.details() for detail in details), error.details()
    else:
        raise AssertionError(f"{code} did not come, but {answer}")


def calls():
    clients = Caller(options.clients, "Clients", options.client_token)
    job = clients("SubmitJob", v1.SubmitJobRequest(options=v1.JobOptions(queue="sleep", max_attempts=2), spec=b"one"), v1.Job)
    *_, last = clients.follow(job.id, timeout=PATIENCE)
    assert last.job.outcome == v1.OUTCOME_SUCCEEDED, last
    # Words of the frontend, percent-encoded on the wire, quotes and letters of others included.
    expect(grpc.StatusCode.NOT_FOUND,
           lambda: clients("SubmitJob", v1.SubmitJobRequest(options=v1.JobOptions(queue="schläft")), v1.Job), "schläft")
    expect(grpc.StatusCode.UNIMPLEMENTED, lambda: clients("Nothing", v1.GetJobRequest(), v1.Job))
    expect(TOO_LARGE, lambda: clients("SubmitJob", v1.SubmitJobRequest(options=v1.JobOptions(queue="sleep"), spec=bytes(5 << 20)), v1.Job))
    zeros = v1.SubmitJobRequest(options=v1.JobOptions(queue="sleep"), spec=bytes(10_000))
    expect(grpc.StatusCode.UNIMPLEMENTED, lambda: clients("SubmitJob", zeros, v1.Job, compression=grpc.Compression.Gzip))
    held = clients("SubmitJob", v1.SubmitJobRequest(options=v1.JobOptions(queue="sleep", delay_ns=3600 * 10**9)), v1.Job)
    expect(grpc.StatusCode.DEADLINE_EXCEEDED, lambda: list(clients.follow(held.id, timeout=0.3)))
    followed = clients.follow(held.id)
    next(followed)
    followed.cancel()
    expect(grpc.StatusCode.CANCELLED, lambda: next(followed))
    assert clients("CancelJob", v1.CancelJobRequest(id=held.id), v1.Job).outcome == v1.OUTCOME_CANCELLED
    if options.client_token:
        clients.metadata = metadata("0" * 32)
        expect(grpc.StatusCode.UNAUTHENTICATED, lambda: clients("GetJob", v1.GetJobRequest(id=job.id), v1.Job))


worker = Worker()
worker.start()
specs = stream_of_jobs()
calls()
worker.leave()
assert specs <= worker.specs, "jobs came with other specs"
print("ok")
