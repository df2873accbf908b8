import assert from "node:assert/strict";
import test from "node:test";
import { described, gridOf } from "../../../web/frontend/cells";
import { rate } from "../../../web/lib/series";
import { byMetric, jobsOf, labelOf } from "../../../web/frontend/run_numbers";
import { endedUntil, jobsPage, permission, remembered, routeOf, streamOf } from "../../../web/frontend/model";

const permutation = (number: number) => ({
  permutation: number,
  varied: {},
  succeeded: 1,
  failed: 0,
  warm_ups: 0,
  withdrawn: 0,
  unfinished: 0,
  running: 0,
  headlines: [{ name: "speed", unit: "B/s", dimensions: { op: "read" }, n: 1, mean: number, lower: null, upper: null }],
});

test("TheAddressNamesThePage", () => {
  assert.deepEqual({ ...routeOf("#/jobs/17"), query: "" }, { page: "jobs", id: "17", query: "" });
  assert.equal(routeOf("").page, "queues");
  assert.equal(routeOf("#/jobs?queue=a%20b").query.get("queue"), "a b");
});

test("APageReadsNoMoreThanItShows", () => {
  assert.equal(streamOf(routeOf("#/queues")), "api/v1/stream?topics=queues");
  assert.equal(streamOf(routeOf("#/workers")), "api/v1/stream?topics=queues,workers");
  assert.equal(streamOf(routeOf("#/runs/a%26b")), "api/v1/stream?topics=queues,runs&run=a%26b");
});

test("AnAddressOfJobsNamesWhatIsChosen", () => {
  assert.equal(jobsPage({ queue: "a b", run: "", state: "failed" }), "#/jobs?queue=a+b&state=failed");
  assert.equal(routeOf(jobsPage({ run: "a&b" })).query.get("run"), "a&b");
});

test("WhoMayChangeNothingIsToldWhy", () => {
  assert.deepEqual(permission({ roles: ["admin"], tokens: true }), { mayAct: true, readOnly: "" });
  assert.match(permission({ roles: ["read-only"], tokens: true }).readOnly, /not that of an admin/);
  assert.match(permission({ roles: ["read-only"], tokens: false }).readOnly, /own machine/);
});

test("TenThousandCellsFitTheWidth", () => {
  for (const width of [358, 1216]) {
    const { size, columns, rows } = gridOf(10_000, width);
    assert.ok(columns * size <= width && columns * rows >= 10_000);
  }
  assert.equal(gridOf(1, 1216).size, 22);
});

test("AWorkerIsDescribed", () => {
  const names = { version: 1, left_out: 0, slow_rule: "", queue: ["q"], node: ["n"], pod: ["p"], device: [""], slots: [4] };
  assert.equal(described(names, { version: 1, busy: [3], state: "b" }, 0), "n, p: busy, 3 of 4 slots busy, queue q");
});

test("AQueueIsRememberedByItsCounter", () => {
  const queue = (succeeded: number) => ({
    name: "q", state: "open" as const, waiting: 1, running: 2, oldest_waiting_seconds: 0, wanted_workers: 3,
    workers: { idle: 1, busy: 2, draining: 0 }, finished: { succeeded, failed: 1 },
  });
  const history = remembered(remembered(undefined, queue(0), 10), queue(20), 12);
  assert.deepEqual(history.rate.map((p) => p.value), [null, 10]);
  assert.deepEqual(history.available.map((p) => p.value), [3, 3]);
});

test("AMetricHasOneTableWithItsPermutations", () => {
  const tables = byMetric([permutation(1), permutation(2)]);
  assert.deepEqual(tables.map(([label, rows]) => [label, rows.length]), [["speed, op read (B/s)", 2]]);
  assert.equal(labelOf({ ...permutation(1).headlines[0], unit: "", dimensions: {} }), "speed");
});

test("ARunWithoutAPlannedNumberHasTheJobsThatAreKnown", () => {
  const counts = { waiting: 1, running: 2, ended: {}, failed: 3, succeeded: 4, withdrawn: 5 };
  const run = { id: "r", name: "", kind: "", state: "running", jobs: 0, created_unix_seconds: null, counts };
  assert.equal(jobsOf(run), 15);
  assert.equal(jobsOf({ ...run, jobs: 20 }), 20);
});

const runWith = (succeeded: number) =>
  ({ run: { counts: { succeeded, failed: 0, withdrawn: 0 } } }) as Parameters<typeof endedUntil>[1];

test("TheRateOfARunFallsToZeroThoughNoEventComes", () => {
  let ended = endedUntil(endedUntil([], runWith(0), 0), runWith(60), 60);
  assert.equal(rate(ended, 120), 1);
  for (let seconds = 61; seconds <= 200; ++seconds) ended = endedUntil(ended, runWith(60), seconds);
  assert.equal(rate(ended, 120), 0);
  assert.deepEqual(endedUntil(ended, null, 300), ended);
});
