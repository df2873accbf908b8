import assert from "node:assert/strict";
import test from "node:test";
import { count, duration, number } from "../../../web/lib/format";

test("NumbersHaveThreeDigitsThatCount", () => {
  assert.deepEqual([0, 0.001234, 12.345, 99.96, 12345.6].map(number), ["0", "0.00123", "12.3", "100", "12,346"]);
});

test("WhatIsNotKnownIsADash", () => {
  assert.deepEqual([null, undefined, NaN, Infinity].map(number), ["-", "-", "-", "-"]);
  assert.equal(duration(null), "-");
});

test("TimesHaveTheUnitThatSuits", () => {
  const times = [0, 2e-6, 0.0345, 1, 119, 120, 7200, 172_800];
  assert.deepEqual(times.map(duration), ["0 s", "2 µs", "34.5 ms", "1 s", "119 s", "2 min", "2 h", "2 d"]);
});

test("OneIsSingular", () => assert.deepEqual([count(1, "job"), count(0, "job")], ["1 job", "0 jobs"]));
