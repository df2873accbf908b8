import assert from "node:assert/strict";
import test from "node:test";
import { byMetric, sideBySide } from "../../../web/frontend/run_numbers";
import { Permutation } from "../../../web/frontend/types";

type Dimensions = Record<string, string>;

/** Permutations with a throughput for each of their lists of dimensions. */
function permutationsOf(...all: Dimensions[][]): Permutation[] {
  const rest = { succeeded: 1, failed: 0, warm_ups: 0, withdrawn: 0, unfinished: 0, running: 0 };
  return all.map((headlines, i) => ({
    ...rest,
    permutation: i + 1,
    varied: { streams: i + 1 },
    headlines: headlines.map((dimensions) => ({
      name: "throughput", unit: "Gbit/s", dimensions, n: 1, mean: 1, lower: null, upper: null,
    })),
  }));
}

const labels = (permutations: Permutation[]) =>
  byMetric(sideBySide(permutations)).map(([label, rows]) => `${label}: ${rows.length}`);

test("WhatIsVariedIsNotSaidAgainByDimensions", () => {
  assert.deepEqual(labels(permutationsOf([{ direction: "forward", streams: "1" }], [{ direction: "forward", streams: "2" }])),
    ["throughput, direction forward (Gbit/s): 2"]);
  assert.deepEqual(labels(permutationsOf([{}], [{ protocol: "UDP" }])), ["throughput (Gbit/s): 2"]);
});

test("APermutationWithoutNumbersSoFarChangesNothing", () => {
  assert.deepEqual(labels(permutationsOf([{ streams: "1" }], [], [{ streams: "3" }])), ["throughput (Gbit/s): 2"]);
});

test("WhatTellsNumbersApartStays", () => {
  assert.deepEqual(labels(permutationsOf([{ rw: "read" }], [{ rw: "read" }, { rw: "write" }])),
    ["throughput, rw read (Gbit/s): 2", "throughput, rw write (Gbit/s): 1"]);
});

test("WhatIsTheSameEverywhereStays", () => {
  assert.deepEqual(labels(permutationsOf([{ streams: "4" }], [{ streams: "4" }])), ["throughput, streams 4 (Gbit/s): 2"]);
});
