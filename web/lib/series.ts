/** What a chart shows, and what follows from counters. Pure. */

export interface Point {
  seconds: number; // of a clock that never jumps
  value: number | null; // null: unknown, a gap of the line
}

const LONGEST_STEP = 5; // seconds; pages hear twice a second

/**
 * `points` with one more at the end, without those that are more than `keep` seconds older. Time in
 * which nothing was heard is a gap.
 */
export function appended(points: readonly Point[], point: Point, keep: number): Point[] {
  const first = points.findIndex((p) => p.seconds >= point.seconds - keep);
  const kept = first < 0 ? [] : points.slice(first);
  const before = kept[kept.length - 1]?.seconds ?? point.seconds;
  const gap = point.seconds - before > LONGEST_STEP ? [{ seconds: before, value: null }] : [];
  return [...kept, ...gap, point];
}

/**
 * How fast a counter grows, over the last `span` seconds before its newest value. Null: too few
 * values, or the counter fell in that time, as that of a program that began anew does.
 */
export function rate(counter: readonly Point[], span: number): number | null {
  const newest = counter[counter.length - 1];
  if (!newest) return null;
  const recent = counter.filter((p) => p.value !== null && p.seconds >= newest.seconds - span);
  const oldest = recent[0];
  const falls = recent.some((p, i) => i > 0 && p.value! < recent[i - 1].value!);
  if (falls || newest.value === null || newest.seconds <= oldest.seconds) return null;
  return (newest.value - oldest.value!) / (newest.seconds - oldest.seconds);
}

/** Seconds until `left` more have ended at `perSecond`; null: it cannot be told. */
export function eta(left: number, perSecond: number | null): number | null {
  if (left <= 0) return 0;
  return perSecond !== null && perSecond > 0 ? left / perSecond : null;
}

/** [from, to] of a value axis: it has zero, all `values`, and is never empty. */
export function domain(values: readonly (number | null)[]): [number, number] {
  const known = values.filter((v): v is number => v !== null && Number.isFinite(v));
  const least = Math.min(0, ...known);
  const most = Math.max(0, ...known);
  return most > least ? [least, most] : [0, 1];
}

/** The straight line that takes `domain` to `range`. */
export function linear([a, b]: [number, number], [c, d]: [number, number]): (x: number) => number {
  return (x) => (b === a ? c : c + ((x - a) / (b - a)) * (d - c));
}
