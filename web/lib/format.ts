/** Numbers and times as people read them. Pure. */

const UNKNOWN = "-";

/** Three digits that count, thousands apart: 0.00123, 12.3, 12,346. */
export function number(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return UNKNOWN;
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3)));
}

const UNITS: [number, string][] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
];

/** Seconds in the unit that suits them: "1.2 ms", "3.4 s", "2.5 h". */
export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return UNKNOWN;
  const unit = UNITS.find(([size]) => seconds >= 2 * size);
  if (unit) return `${number(seconds / unit[0])} ${unit[1]}`;
  if (seconds >= 1 || seconds === 0) return `${number(seconds)} s`;
  return seconds >= 1e-3 ? `${number(seconds * 1e3)} ms` : `${number(seconds * 1e6)} µs`;
}

/** "3 jobs", "1 job". */
export function count(n: number, noun: string): string {
  return `${number(n)} ${noun}${n === 1 ? "" : "s"}`;
}

export function clock(time: Date): string {
  return time.toLocaleTimeString("en-GB");
}

export function moment(unixSeconds: number | null): string {
  return unixSeconds ? new Date(unixSeconds * 1e3).toLocaleString("en-GB") : UNKNOWN;
}
