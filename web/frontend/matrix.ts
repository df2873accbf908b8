import { number } from "../lib/format";
import { labelOf } from "./run_numbers";
import { Metric, Permutation } from "./types";

/** The permutations of a run as tables: two of the fields that they vary are the axes. Pure. */

/** A table for each combination of the fields that are no axis. */
export interface Grid {
  heading: string; // of these fields: "bs = 4k, depth = 8"; "": there are none
  columns: string[];
  rows: { head: string; cells: Permutation[][] }[]; // a cell has one permutation, or none, seldom more
}

export interface Matrix {
  row: string; // the field that rows go by; "": there is one row
  column: string; // the same of columns
  grids: Grid[];
}

const SPARSE = 4; // so many places a permutation are too many

const NO_VALUE = "-";

/** What a permutation has of a field, as text for people. */
function valueOf({ varied }: Permutation, field: string): string {
  const value = varied?.[field];
  if (value === undefined) return NO_VALUE;
  return typeof value === "string" ? value : JSON.stringify(value);
}

function distinct(texts: string[]): string[] {
  return [...new Set(texts)];
}

/** By what `keyOf` says of them, each key where it comes first. */
function grouped(permutations: Permutation[], keyOf: (p: Permutation) => string): Map<string, Permutation[]> {
  const groups = new Map<string, Permutation[]>();
  for (const permutation of permutations) {
    const key = keyOf(permutation);
    const group = groups.get(key);
    if (group) group.push(permutation);
    else groups.set(key, [permutation]);
  }
  return groups;
}

/** The fields that have more than one value, that with the most first. */
function axesOf(permutations: Permutation[]): string[] {
  const names = distinct(permutations.flatMap((p) => Object.keys(p.varied ?? {})));
  const fields = names.map((name) => ({ name, values: distinct(permutations.map((p) => valueOf(p, name))).length }));
  return fields
    .filter(({ values }) => values > 1)
    .sort((a, b) => b.values - a.values)
    .map(({ name }) => name);
}

/** "bs = 4k, depth = 8" of these fields. */
function named(permutation: Permutation, fields: string[]): string {
  return fields.map((field) => `${field} = ${valueOf(permutation, field)}`).join(", ");
}

/** All that a permutation varies, in one line. */
export function variedOf(permutation: Permutation): string {
  return named(permutation, Object.keys(permutation.varied ?? {}));
}

function gridOf(heading: string, of: Permutation[], row: string, column: string): Grid {
  const valueIn = (field: string) => (p: Permutation) => (field ? valueOf(p, field) : "");
  const columns = distinct(of.map(valueIn(column)));
  const rows = [...grouped(of, valueIn(row))].map(([head, inRow]) => {
    const byColumn = grouped(inRow, valueIn(column));
    return { head, cells: columns.map((value) => byColumn.get(value) ?? []) };
  });
  return { heading, columns, rows };
}

/** Where tables would be mostly holes: a row a permutation. */
function listOf(permutations: Permutation[]): Matrix {
  const rows = permutations.map((p) => ({ head: variedOf(p), cells: [[p]] }));
  return { row: "permutation", column: "", grids: [{ heading: "", columns: [""], rows }] };
}

/**
 * The two fields with the most values are the axes, rows go by the one with more; a single field
 * makes one row. The others make a table for each of their combinations.
 */
export function matrixOf(permutations: Permutation[]): Matrix {
  const [first = "", second = "", ...others] = axesOf(permutations);
  const [row, column] = second ? [first, second] : ["", first];
  const groups = grouped(permutations, (p) => named(p, others));
  const grids = [...groups].map(([heading, of]) => gridOf(heading, of, row, column));
  const places = grids.reduce((sum, { columns, rows }) => sum + columns.length * rows.length, 0);
  return places > SPARSE * permutations.length ? listOf(permutations) : { row, column, grids };
}

// ---- what a cell says

export type Stage = "waiting" | "running" | "done" | "failed" | "withdrawn";

/** How a permutation stands. A failed job is said at once; the others may be under way still. */
export function stageOf({ failed, running, unfinished, withdrawn }: Permutation): Stage {
  if (failed > 0) return "failed";
  if (running > 0) return "running";
  if (unfinished > 0) return "waiting";
  return withdrawn > 0 ? "withdrawn" : "done";
}

/** "1 of 3": jobs that have ended, and all; with warm-ups. */
export function endedText({ succeeded, failed, warm_ups, withdrawn, unfinished }: Permutation): string {
  const ended = succeeded + failed + warm_ups + withdrawn;
  return `${number(ended)} of ${number(ended + unfinished)}`;
}

/** The headline with this label; "": the first one. */
export function headlineOf({ headlines }: Permutation, label: string): Metric | undefined {
  return label ? headlines.find((metric) => labelOf(metric) === label) : headlines[0];
}

/** "12.3 (11.9 to 12.7)"; the interval needs two values. */
export function estimateText({ mean, lower, upper }: Metric): string {
  return lower === null ? number(mean) : `${number(mean)} (${number(lower)} to ${number(upper)})`;
}

/** All that is known of a permutation, for who points at it. */
export function describedCell(permutation: Permutation): string {
  const lines = permutation.headlines.map((m) => `${labelOf(m)}: ${estimateText(m)}, n = ${m.n}`);
  const ends = `${stageOf(permutation)}, ${endedText(permutation)} jobs have ended`;
  return [`${permutation.permutation}: ${variedOf(permutation)}`, ends, ...lines].join("\n");
}
