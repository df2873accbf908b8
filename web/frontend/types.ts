/** What the frontend's HTTP API says, as far as the page uses it: docs/api.md, lib/show. */

export interface Queue {
  name: string;
  state: "open" | "paused" | "draining";
  waiting: number;
  running: number;
  oldest_waiting_seconds: number;
  workers: { idle: number; busy: number; draining: number };
  finished: Record<string, number>; // by outcome
  wanted_workers: number;
}

export interface Queues {
  seconds: number; // of a clock that never jumps
  queues: Queue[];
}

/** Columns: an entry a worker process. */
export interface WorkerNames {
  version: number;
  left_out: number;
  slow_rule: string; // what makes a worker slow
  queue: string[];
  node: string[];
  pod: string[];
  device: string[];
  slots: number[];
}

export interface WorkerStates {
  version: number; // of the names that these belong to
  busy: number[];
  state: string; // a letter each, a key of STATES
}

export const STATES: Record<string, string> = {
  i: "idle",
  b: "busy",
  d: "draining",
  p: "paused",
  a: "away",
  s: "silent",
  z: "slow",
};

export interface Job {
  id: string;
  queue: string;
  suite: string;
  state: "waiting" | "running" | "finished";
  priority: number;
  attempts: number;
  wait_seconds: number;
  run_seconds: number;
  total_seconds: number;
  node: string;
  pod: string;
  device: string;
  outcome: string;
  run: string;
  durable: boolean;
  gang_size: number;
  progress: number;
  progress_line: string;
  report?: { error: string; exit_code: number; signal: number; output: string };
}

export interface Jobs {
  jobs: Job[];
  next_page_token: string;
}

export interface Explanation {
  text: string;
}

export interface Run {
  id: string;
  name: string;
  kind: string;
  state: string;
  jobs: number; // planned; 0: not known
  created_unix_seconds: number | null;
  counts: {
    waiting: number;
    running: number;
    ended: Record<string, number>;
    failed: number;
    succeeded: number;
    withdrawn: number;
  };
}

export interface Metric {
  name: string;
  unit: string;
  dimensions: Record<string, string>;
  n: number;
  mean: number;
  lower: number | null; // of the 95 % interval of the mean; null: n is 1
  upper: number | null;
}

export interface Permutation {
  permutation: number;
  varied: Record<string, unknown>;
  succeeded: number;
  failed: number;
  warm_ups: number; // that have ended
  withdrawn: number;
  unfinished: number;
  running: number; // of these
  headlines: Metric[];
}

export interface RunResults {
  run: Run;
  permutations: Permutation[];
  next: number | null; // null: these are all
}
