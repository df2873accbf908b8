import assert from "node:assert/strict";
import test from "node:test";
import { describedCell, endedText, estimateText, headlineOf, matrixOf, stageOf, variedOf } from "../../../web/frontend/matrix";
import { Metric, Permutation } from "../../../web/frontend/types";

const NOTHING = { succeeded: 0, failed: 0, warm_ups: 0, withdrawn: 0, unfinished: 0, running: 0, headlines: [] };

let last = 0;
const of = (varied: Record<string, unknown>, counts: Partial<Permutation> = {}): Permutation => ({
  ...NOTHING, permutation: ++last, varied, ...counts,
});

const metric = (name: string, lower: number | null = null): Metric => ({
  name, unit: "B/s", dimensions: {}, n: 2, mean: 12.34, lower, upper: lower === null ? null : 13,
});

/** The permutations of a product of fields, the last of which changes first. */
function product(fields: Record<string, unknown[]>): Permutation[] {
  const rows = Object.entries(fields).reduce<Record<string, unknown>[]>(
    (made, [name, values]) => made.flatMap((row) => values.map((value) => ({ ...row, [name]: value }))), [{}]);
  return rows.map((varied) => of(varied));
}

/** As a person reads it: a line a row. */
function read(permutations: Permutation[]): string[] {
  const { row, column, grids } = matrixOf(permutations);
  return grids.flatMap(({ heading, columns, rows }) => [
    `${heading}|${row}|${column}: ${columns}`,
    ...rows.map(({ head, cells }) => `${head}: ${cells.map((cell) => cell.map(variedOf).join("+") || "none").join(" | ")}`),
  ]);
}

test("TwoFieldsAreRowsAndColumns", () => {
  assert.deepEqual(read(product({ rw: ["read", "write"], bs: [4, 8, 16] })), [
    "|bs|rw: read,write",
    "4: rw = read, bs = 4 | rw = write, bs = 4",
    "8: rw = read, bs = 8 | rw = write, bs = 8",
    "16: rw = read, bs = 16 | rw = write, bs = 16",
  ]);
});

test("OneFieldIsOneRow", () => {
  assert.deepEqual(read(product({ streams: [1, 2, 4] })), ["||streams: 1,2,4", ": streams = 1 | streams = 2 | streams = 4"]);
});

test("FurtherFieldsMakeATableEach", () => {
  const { row, column, grids } = matrixOf(product({ a: [1, 2], b: [1, 2, 3, 4], c: [1, 2, 3], d: ["x", "y"] }));
  assert.deepEqual([row, column], ["b", "c"]);
  assert.deepEqual(grids.map((grid) => grid.heading), ["a = 1, d = x", "a = 1, d = y", "a = 2, d = x", "a = 2, d = y"]);
  assert.ok(grids.every(({ columns, rows }) => columns.length === 3 && rows.length === 4));
});

test("AFieldThatNeverChangesIsNoAxis", () => {
  const { row, column } = matrixOf(product({ size: ["1M"], bs: [4, 8] }));
  assert.deepEqual([row, column], ["", "bs"]);
});

test("WhatVariesNothingIsOneCell", () => {
  const alone = of({}, { succeeded: 1 });
  const { row, column, grids } = matrixOf([alone]);
  assert.deepEqual([row, column], ["", ""]);
  assert.deepEqual(grids.map(({ rows }) => rows[0].cells), [[[alone]]]);
});

test("AHoleIsSaidAndAFieldMayBeAbsent", () => {
  assert.deepEqual(read([of({ a: 1, b: 1 }), of({ a: 2, b: 2 }), of({ a: 2 })]), [
    "|b|a: 1,2",
    "1: a = 1, b = 1 | none",
    "2: none | a = 2, b = 2",
    "-: none | a = 2",
  ]);
});

test("WhatWouldBeMostlyHolesIsAList", () => {
  const { row, column, grids } = matrixOf([1, 2, 3, 4, 5].map((n) => of({ a: n, b: n })));
  assert.deepEqual([row, column, grids.length], ["permutation", "", 1]);
  assert.deepEqual(grids[0].rows.map(({ head }) => head)[4], "a = 5, b = 5");
});

test("NoPermutationIsLostOrShownTwice", () => {
  for (const some of [product({ a: [1, 2], b: [{ c: [1] }, null], d: [true, false] }), [of({ a: 1 }), of({ a: 1 }), of({})]]) {
    const shown = matrixOf(some).grids.flatMap(({ rows }) => rows.flatMap(({ cells }) => cells.flat()));
    assert.deepEqual(shown.map((p) => p.permutation).sort(), some.map((p) => p.permutation).sort());
  }
});

test("HundredsOfPermutationsTakeNoTime", () => {
  const many = product({ a: [...Array(20).keys()], b: [...Array(25).keys()] });
  const begin = performance.now();
  matrixOf(many);
  assert.ok(performance.now() - begin < 1_000);
});

test("ACellSaysHowFarItIs", () => {
  const stages = [
    { unfinished: 2 },
    { unfinished: 2, running: 1 },
    { succeeded: 1, unfinished: 1 },
    { succeeded: 2 },
    { succeeded: 1, failed: 1, running: 1, unfinished: 1 },
    { succeeded: 1, withdrawn: 1 },
  ].map((counts) => of({}, counts));
  assert.deepEqual(stages.map(stageOf), ["waiting", "running", "waiting", "done", "failed", "withdrawn"]);
  assert.deepEqual(stages.map(endedText), ["0 of 2", "0 of 2", "1 of 2", "2 of 2", "2 of 3", "2 of 2"]);
});

test("ACellHasTheHeadlineThatIsChosen", () => {
  const cell = of({ bs: 4 }, { succeeded: 2, headlines: [metric("speed", 11), metric("iops")] });
  assert.equal(headlineOf(cell, "")?.name, "speed");
  assert.equal(headlineOf(cell, "iops (B/s)")?.name, "iops");
  assert.equal(headlineOf(cell, "other"), undefined);
  assert.deepEqual(cell.headlines.map(estimateText), ["12.3 (11 to 13)", "12.3"]);
  assert.match(describedCell(cell), /bs = 4\ndone, 2 of 2 jobs have ended\nspeed \(B\/s\): 12.3 \(11 to 13\), n = 2\niops/);
});
