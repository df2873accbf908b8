import assert from "node:assert/strict";
import test from "node:test";
import { appended, domain, eta, linear, rate } from "../../../web/lib/series";

const counter = (...values: (number | null)[]) => values.map((value, i) => ({ seconds: i, value }));

test("ARateIsOfTheLastSeconds", () => {
  assert.equal(rate(counter(0, 0, 0, 10, 20), 2), 10);
  assert.equal(rate(counter(0, 0, 0, 10, 20), 4), 5);
});

test("ARateNeedsTwoValuesAtDifferentTimes", () => {
  assert.equal(rate([], 10), null);
  assert.equal(rate(counter(5), 10), null);
  assert.equal(rate([{ seconds: 1, value: 5 }, { seconds: 1, value: 6 }], 10), null);
});

test("ACounterThatBeganAnewHasNoRateForAWhile", () => {
  assert.equal(rate(counter(100, 110, 5, 15), 10), null);
  assert.equal(rate(counter(100, 110, 5, 15), 1), 10);
});

test("ACounterThatStandsStillHasTheRateZero", () => assert.equal(rate(counter(7, 7, 7), 10), 0));

test("AnUnknownValueIsPassedOver", () => {
  assert.equal(rate(counter(0, null, 20), 10), 10);
  assert.equal(rate(counter(0, 10, null), 10), null);
});

test("OldPointsGo", () => {
  const points = appended(counter(1, 2, 3), { seconds: 4, value: 4 }, 2);
  assert.deepEqual(points.map((p) => p.seconds), [2, 4]);
  assert.deepEqual(appended(counter(1, 2), { seconds: 100, value: 4 }, 2), [{ seconds: 100, value: 4 }]);
});

test("TimeInWhichNothingWasHeardIsAGapOfTheLine", () => {
  const points = appended(counter(1, 2), { seconds: 20, value: 9 }, 60);
  assert.deepEqual(points.slice(-2), [{ seconds: counter(1, 2)[1].seconds, value: null }, { seconds: 20, value: 9 }]);
});

test("TimeToGo", () => {
  assert.equal(eta(10, 2), 5);
  assert.equal(eta(0, null), 0);
  assert.equal(eta(10, 0), null);
  assert.equal(eta(10, null), null);
});

test("AnAxisHasZeroAndIsNeverEmpty", () => {
  assert.deepEqual(domain([5, null, 7]), [0, 7]);
  assert.deepEqual(domain([-5]), [-5, 0]);
  assert.deepEqual(domain([]), [0, 1]);
  assert.deepEqual(domain([0, Infinity]), [0, 1]);
});

test("AScaleTakesEndsToEnds", () => {
  const y = linear([0, 10], [100, 0]);
  assert.deepEqual([y(0), y(5), y(10)], [100, 50, 0]);
  assert.equal(linear([3, 3], [8, 9])(3), 8);
});
