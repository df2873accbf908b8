import assert from "node:assert/strict";
import test from "node:test";
import { pauseMs } from "../../../web/lib/link";

test("PausesDoubleUpToABound", () => {
  assert.deepEqual([0, 1, 2, 20].map((failures) => pauseMs(failures, 0)), [500, 1000, 2000, 10_000]);
});

test("JitterTakesUpToAQuarter", () => assert.equal(pauseMs(0, 1), 375));
