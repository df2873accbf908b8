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

/** The values of a dimension that the metrics of a name have in each permutation that has such metrics; null: none. */
function valuesOf(permutations: Permutation[], name: string, dimension: string): Set<string | null>[] {
  return permutations
    .map(({ headlines }) => headlines.filter((metric) => metric.name === name))
    .filter((metrics) => metrics.length > 0)
    .map((metrics) => new Set(metrics.map(({ dimensions }) => dimensions?.[dimension] ?? null)));
}

/** Whether a dimension says what is varied: one value in each permutation, and another one in some other. */
function isVaried(permutations: Permutation[], name: string, dimension: string): boolean {
  const sets = valuesOf(permutations, name, dimension);
  return sets.every((set) => set.size === 1) && new Set(sets.flatMap((set) => [...set])).size > 1;
}

/**
 * The permutations with metrics that are the same ones in all of them. Tools say how they were run, and that is a
 * dimension: what is varied is there twice, and is left out here.
 */
export function sideBySide(permutations: Permutation[]): Permutation[] {
  const known = new Map<string, boolean>();
  const varied = (name: string, dimension: string) => {
    const key = `${name} ${dimension}`;
    if (!known.has(key)) known.set(key, isVaried(permutations, name, dimension));
    return known.get(key);
  };
  const plain = (metric: Metric) => ({
    ...metric,
    dimensions: Object.fromEntries(Object.entries(metric.dimensions ?? {}).filter(([each]) => !varied(metric.name, each))),
  });
  return permutations.map((each) => ({ ...each, headlines: each.headlines.map(plain) }));
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
