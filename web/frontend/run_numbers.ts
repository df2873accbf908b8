import { endedOf } from "./model";
import { Metric, Permutation, Run } from "./types";

/** What the page of a run shows, from what the frontend says of it. Pure. */

/** Jobs that the run is to have: as planned, or those that are known. */
export function jobsOf(run: Run): number {
  return run.jobs || endedOf(run) + run.counts.waiting + run.counts.running;
}

/** Nothing more comes. */
export function isOver({ state }: Run): boolean {
  return state === "ended" || state === "cancelled";
}

/** Of a metric with its dimensions: what tells it from the others. */
export function labelOf({ name, unit, dimensions }: Metric): string {
  const of = Object.entries(dimensions ?? {}).map(([field, value]) => `${field} ${value}`);
  return `${[name, ...of].join(", ")}${unit && ` (${unit})`}`;
}

/** A metric of a permutation. */
export interface Row {
  permutation: Permutation;
  metric: Metric;
}

/** The rows of each metric, by its label. */
export function byMetric(permutations: Permutation[]): [string, Row[]][] {
  const tables = new Map<string, Row[]>();
  for (const permutation of permutations) {
    for (const metric of permutation.headlines) {
      const label = labelOf(metric);
      tables.set(label, [...(tables.get(label) ?? []), { permutation, metric }]);
    }
  }
  return [...tables];
}
