import { h } from "preact";
import { count, number } from "../lib/format";
import { Table } from "../lib/page";
import { Cells } from "./cells";
import { State as PageState } from "./state";
import { STATES, WorkerNames, WorkerStates } from "./types";

const MOST_LISTED = 50;
const TROUBLED = "asz"; // away, silent, slow

/** How many workers are in each state. Pure. */
export function tally(letters: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const letter of letters) counts[letter] = (counts[letter] ?? 0) + 1;
  return counts;
}

function Legend({ states }: { states: WorkerStates }) {
  const counts = tally(states.state);
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
      <h2>{count(rows.length, "worker")} away, silent or slow</h2>
      <Table
        label="Workers that are away, silent or slow"
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
      <h2>{count(names.queue.length, "worker")}</h2>
      <Legend states={states} />
      <p class="soft" id="slow-rule">{names.slow_rule}</p>
      <Cells names={names} states={states} />
      {names.left_out > 0 && <p class="soft">{number(names.left_out)} more have no cell.</p>}
      <Troubled names={names} states={states} />
    </section>
  );
}
