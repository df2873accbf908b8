import { Component, h } from "preact";
import { STATES, WorkerNames, WorkerStates } from "./types";

const GAP = 1;

export interface Grid {
  size: number; // pixels of a cell with its gap
  columns: number;
  rows: number;
}

/** Cells as large as leaves them on about one screen: 6 to 22 pixels. Pure. */
export function gridOf(cells: number, width: number): Grid {
  const size = Math.min(22, Math.max(6, Math.floor(Math.sqrt((width * 600) / Math.max(1, cells)))));
  const columns = Math.max(1, Math.floor(width / size));
  return { size, columns, rows: Math.max(1, Math.ceil(cells / columns)) };
}

/** What is said of one worker process. Pure. */
export function described(names: WorkerNames, states: WorkerStates, i: number): string {
  const where = [names.node[i], names.device[i], names.pod[i]].filter((text) => text !== "");
  const slots = `${states.busy[i]} of ${names.slots[i]} slots busy`;
  return `${where.join(", ")}: ${STATES[states.state[i]] ?? "unknown"}, ${slots}, queue ${names.queue[i]}`;
}

interface Props {
  names: WorkerNames;
  states: WorkerStates;
}

const STEPS: Record<string, (columns: number) => number> = {
  ArrowRight: () => 1,
  ArrowLeft: () => -1,
  ArrowDown: (columns) => columns,
  ArrowUp: (columns) => -columns,
};

/** A cell for each worker process, on one canvas: ten thousand elements would be too slow. */
export class Cells extends Component<Props, { chosen?: number }> {
  private canvas!: HTMLCanvasElement;
  private readonly redraw = () => this.draw();

  componentDidMount() {
    addEventListener("resize", this.redraw);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", this.redraw);
    this.draw();
  }

  componentDidUpdate() {
    this.draw();
  }

  componentWillUnmount() {
    removeEventListener("resize", this.redraw);
    matchMedia("(prefers-color-scheme: dark)").removeEventListener("change", this.redraw);
  }

  private grid(): Grid {
    return gridOf(this.props.states.state.length, this.canvas.parentElement!.clientWidth);
  }

  private draw() {
    const letters = this.props.states.state;
    const { size, columns, rows } = this.grid();
    const ratio = devicePixelRatio;
    this.canvas.width = columns * size * ratio;
    this.canvas.height = rows * size * ratio;
    this.canvas.style.width = `${columns * size}px`;
    const style = getComputedStyle(this.canvas);
    const colors = Object.entries(STATES).map(([k, name]) => [k, style.getPropertyValue(`--${name}`).trim()]);
    const color = Object.fromEntries(colors);
    const context = this.canvas.getContext("2d")!;
    context.scale(ratio, ratio);
    for (let i = 0; i < letters.length; ++i) {
      context.fillStyle = color[letters[i]] ?? color.s;
      context.fillRect((i % columns) * size, Math.floor(i / columns) * size, size - GAP, size - GAP);
    }
    this.mark(context, style.color);
  }

  private mark(context: CanvasRenderingContext2D, color: string) {
    const { chosen } = this.state;
    if (chosen === undefined) return;
    const { size, columns } = this.grid();
    context.strokeStyle = color;
    context.lineWidth = 2;
    context.strokeRect((chosen % columns) * size, Math.floor(chosen / columns) * size, size - GAP, size - GAP);
  }

  private choose(i: number) {
    if (i >= 0 && i < this.props.states.state.length) this.setState({ chosen: i });
  }

  private point = (event: MouseEvent) => {
    const { size, columns } = this.grid();
    const column = Math.floor(event.offsetX / size);
    if (column < columns) this.choose(Math.floor(event.offsetY / size) * columns + column);
  };

  private key = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const { chosen } = this.state;
    this.choose(chosen === undefined ? 0 : chosen + step(this.grid().columns));
  };

  render() {
    const { names, states } = this.props;
    const { chosen } = this.state;
    const known = chosen !== undefined && chosen < states.state.length;
    return (
      <div>
        <p class="soft" aria-live="polite" id="chosen">
          {known
            ? described(names, states, chosen!)
            : "Point at a cell, or use the arrow keys, to see which process it is."}
        </p>
        <div>
          <canvas
            tabIndex={0}
            role="img"
            aria-label={`${states.state.length} worker processes, a cell each; arrow keys move`}
            aria-describedby="chosen"
            ref={(e) => (this.canvas = e as HTMLCanvasElement)}
            onMouseMove={this.point}
            onKeyDown={this.key}
          />
        </div>
      </div>
    );
  }
}
