import { Component, h } from "preact";
import { Choice } from "../lib/page";
import { describedCell, endedText, estimateText, Grid, headlineOf, matrixOf, stageOf } from "./matrix";
import { byMetric } from "./run_numbers";
import { Permutation } from "./types";

function Cell({ permutation, label }: { permutation: Permutation; label: string }) {
  const stage = stageOf(permutation);
  const headline = headlineOf(permutation, label);
  return (
    <div class={`cell ${stage}`} title={describedCell(permutation)}>
      <b>{stage}</b> {endedText(permutation)}
      {headline && <div>{estimateText(headline)}</div>}
    </div>
  );
}

interface TableProps extends Grid {
  row: string;
  column: string;
  label: string;
}

function GridTable({ heading, columns, rows, row, column, label }: TableProps) {
  const axes = [row && `rows: ${row}`, column && `columns: ${column}`].filter(Boolean).join(", ");
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`Permutations ${heading}`}>
      <table class="matrix">
        <caption class="left">{[heading, axes].filter(Boolean).join("; ") || "All jobs are alike"}</caption>
        {column && (
          <thead>
            <tr>
              {row && <th scope="col">{row}</th>}
              {columns.map((value) => <th key={value} scope="col">{value}</th>)}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map(({ head, cells }) => (
            <tr key={head}>
              {row && <th scope="row">{head}</th>}
              {cells.map((of, i) => (
                <td key={columns[i]}>
                  {of.map((p) => <Cell key={String(p.permutation)} permutation={p} label={label} />)}
                  {of.length === 0 && "none"}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A cell for each permutation, which says how it stands and what it has measured so far. */
export class Matrix extends Component<{ permutations: Permutation[] }, { label?: string }> {
  render() {
    const { permutations } = this.props;
    const labels = byMetric(permutations).map(([label]) => label);
    const label = this.state.label ?? "";
    const { grids, ...axes } = matrixOf(permutations);
    const options: [string, string][] = [["", "the first of each"], ...labels.map((l): [string, string] => [l, l])];
    return (
      <div id="matrix">
        <p class="soft">
          Each cell: jobs that have ended, and the mean of a headline with its 95 % interval.{" "}
          {labels.length === 1 && `It is ${labels[0]}.`}
        </p>
        {labels.length > 1 && (
          <label>
            Headline <Choice value={label} options={options} onChoice={(chosen) => this.setState({ label: chosen })} />
          </label>
        )}
        {grids.map((grid) => <GridTable key={grid.heading} {...grid} {...axes} label={label} />)}
      </div>
    );
  }
}
