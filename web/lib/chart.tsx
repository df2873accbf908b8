import { ticks } from "d3-array";
import { line } from "d3-shape";
import { h } from "preact";
import { number } from "./format";
import { domain, linear, Point } from "./series";

export interface Line {
  name: string;
  points: readonly Point[];
}

const WIDTH = 320;
const HEIGHT = 112;
const LEFT = 44; // room for the numbers
const BOTTOM = 96;
const TOP = 8;
const LEAST_SPAN = 20; // seconds

function Axis({ y, values }: { y: (v: number) => number; values: number[] }) {
  return (
    <g class="axis">
      {values.map((value) => (
        <g key={String(value)}>
          <line x1={String(LEFT)} x2={String(WIDTH)} y1={String(y(value))} y2={String(y(value))} />
          <text x={String(LEFT - 5)} y={String(y(value) + 4)}>
            {number(value)}
          </text>
        </g>
      ))}
    </g>
  );
}

function Legend({ lines, unit }: { lines: Line[]; unit: string }) {
  return (
    <figcaption>
      {lines.map(({ name, points }, i) => (
        <span key={name} class={`key line${i}`}>
          {name} <b>{number(points[points.length - 1]?.value)}</b>
        </span>
      ))}{" "}
      {unit}
    </figcaption>
  );
}

/** Seconds that a chart shows: as many as are known, but neither few nor more than `most`. Pure. */
export function spanOf(points: readonly Point[], most: number): number {
  const seconds = points.map((p) => p.seconds);
  return Math.min(most, Math.max(LEAST_SPAN, Math.max(...seconds) - Math.min(...seconds)));
}

/** Lines over the last seconds, `most` at most; the newest values stand above them as text. */
export function LineChart({ lines, unit, most }: { lines: Line[]; unit: string; most: number }) {
  const points = lines.flatMap((l) => l.points);
  const span = spanOf(points, most);
  const newest = Math.max(...points.map((p) => p.seconds));
  const range = domain(points.map((p) => p.value));
  const x = linear([newest - span, newest], [LEFT, WIDTH]);
  const y = linear(range, [BOTTOM, TOP]);
  const path = line<Point>()
    .defined((p) => p.value !== null && p.seconds >= newest - span)
    .x((p) => x(p.seconds))
    .y((p) => y(p.value!));
  return (
    <figure>
      <Legend lines={lines} unit={unit} />
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        <Axis y={y} values={ticks(...range, 3)} />
        {lines.map((l, i) => (
          <path key={l.name} class={`line line${i}`} d={path(l.points) ?? ""} />
        ))}
        <text class="from" x={String(LEFT)} y={String(HEIGHT - 2)}>
          {Math.round(span)} s ago
        </text>
      </svg>
    </figure>
  );
}

export interface Estimate {
  mean: number;
  lower: number | null; // null: there is one value
  upper: number | null;
}

/** A mean with its interval, on an axis that all rows of a table share. */
export function Interval({ metric, most }: { metric: Estimate; most: number }) {
  const { mean, lower, upper } = metric;
  const x = linear([0, most], [0, 100]);
  return (
    <svg class="interval" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect class="bar" x="0" y="3" width={Math.max(0, x(mean))} height="4" />
      {lower !== null && upper !== null && <line x1={String(x(lower))} x2={String(x(upper))} y1="5" y2="5" />}
    </svg>
  );
}
