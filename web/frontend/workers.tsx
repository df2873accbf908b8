import { h } from "preact";
import { count, number } from "../lib/format";
import { Table } from "../lib/page";
import { Cells } from "./cells";
import { State as PageState } from "./state";
import { STATES, WorkerNames, WorkerStates } from "./types";

const MOST_LISTED = 50;
const TROUBLED = "asz"; // away, silent, slow

/** How many workers are in each state, by the states of their processes. Pure. */
export function tally(letters: string, slots: number[]): Record<string, number> {
  const counts: Record<string, number> = {};
  [...letters].forEach((letter, i) => (counts[letter] = (counts[letter] ?? 0) + (slots[i] ?? 0)));
  return counts;
}

/** "160 workers in 40 processes", of these processes; "40 workers", if each has one. Pure. */
export function workersIn(slots: number[]): string {
  const all = slots.reduce((sum, each) => sum + each, 0);
  const workers = count(all, "worker");
  if (all === slots.length) return workers;
  return `${workers} in ${slots.length === 1 ? "one process" : `${number(slots.length)} processes`}`;
}

function Legend({ names, states }: { names: WorkerNames; states: WorkerStates }) {
  const counts = tally(states.state, names.slots);
  return (
    <ul class="figures">
      {Object.entries(STATES).map(([letter, name]) => (
        <li key={letter} data-figure={name}>
          <b>{number(counts[letter] ?? 0)}</b>
          <span class={`swatch ${letter}`} />
          {name}
        </li>
      ))}
    </ul>
  );
}

function State({ name }: { name: string }) {
  return <span class={name}>{name}</span>;
}

function Troubled({ names, states }: { names: WorkerNames; states: WorkerStates }) {
  const rows = [...states.state].flatMap((letter, i) => (TROUBLED.includes(letter) ? [i] : []));
  if (rows.length === 0) return <p class="soft">All workers are connected, and none is silent or much slower than the others.</p>;
  return (
    <div>
      <h2>{workersIn(rows.map((i) => names.slots[i]))} away, silent or slow</h2>
      <Table
        label="Processes that are away, silent or slow"
        rows={rows.slice(0, MOST_LISTED)}
        id={(i) => String(i)}
        columns={[
          { head: "state", left: true, cell: (i) => <State name={STATES[states.state[i]]} /> },
          { head: "node", left: true, cell: (i) => names.node[i] },
          { head: "pod", left: true, cell: (i) => names.pod[i] },
          { head: "device", left: true, cell: (i) => names.device[i] },
          { head: "queue", left: true, cell: (i) => names.queue[i] },
          { head: "busy slots", cell: (i) => states.busy[i] },
        ]}
      />
    </div>
  );
}

export function WorkersPage({ names, states }: PageState) {
  const known = names && states && names.version === states.version;
  if (!known) return <p class="card">Waiting for the workers ...</p>;
  if (names.queue.length === 0) return <p class="card">No worker is connected.</p>;
  return (
    <section class="card">
      <h2>{workersIn(names.slots)}</h2>
      <Legend names={names} states={states} />
      <p class="soft" id="slow-rule">{names.slow_rule}</p>
      <Cells names={names} states={states} />
      {names.left_out > 0 && <p class="soft">{number(names.left_out)} more processes have no cell.</p>}
      <Troubled names={names} states={states} />
    </section>
  );
}
