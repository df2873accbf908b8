import { Component, h } from "preact";
import { ApiError, hasToken, reasonOf, setToken } from "./api";
import { clock } from "./format";
import { LinkStatus } from "./link";
import { Store } from "./store";

/** Draws `view` again whenever the store changes. */
export class Live<T extends object> extends Component<{ store: Store<T>; view: (value: T) => JSX.Element }, {}> {
  private stop = () => {};

  componentDidMount() {
    this.stop = this.props.store.subscribe(() => this.setState({}));
  }

  componentWillUnmount() {
    this.stop();
  }

  render() {
    return this.props.view(this.props.store.get());
  }
}

/** Whether the numbers are of now. Said politely, and only when it changes. */
export function LinkNote({ link }: { link: LinkStatus }) {
  const text = {
    connecting: `connecting ${link.reason && `(${link.reason})`}`,
    live: "live",
    stale: `stale since ${clock(link.since)} (${link.reason})`,
    token: "a token is needed",
  }[link.state];
  return (
    <p id="link" class={link.state} role="status" aria-live="polite">
      {text}
    </p>
  );
}

/** Asks for a token, which stays in this tab; says why the one that it has was refused. */
export function TokenForm({ link, onToken }: { link: LinkStatus; onToken: () => void }) {
  let input: HTMLInputElement | undefined;
  const submit = (event: Event) => {
    event.preventDefault();
    setToken(input!.value.trim());
    onToken();
  };
  return (
    <form class="card" onSubmit={submit}>
      <label>
        Token{" "}
        <input
          type="password"
          autocomplete="off"
          required
          pattern="\s*[!-~]+\s*"
          title="printable characters without blanks"
          ref={(e) => (input = e as HTMLInputElement)}
        />
      </label>{" "}
      <button>Use it</button>
      <Trouble text={hasToken() ? `The token is refused: ${link.reason}.` : ""} />
      <p>The server asks for one (its --token-file has them). It is kept until this tab closes.</p>
    </form>
  );
}

/** Forgets the token of this tab, so that the page asks for one; nothing where there is none. */
export function OtherToken({ onForgotten }: { onForgotten: () => void }) {
  if (!hasToken()) return null;
  const forget = () => {
    setToken("");
    onForgotten();
  };
  return <button type="button" onClick={forget}>Use another token</button>;
}

/** One of some values. `options` are pairs: the value, and what it is called. */
export function Choice(props: { value: string; options: [string, string][]; onChoice: (value: string) => void }) {
  return (
    <select onChange={(event: Event) => props.onChoice((event.target as HTMLSelectElement).value)}>
      {props.options.map(([value, name]) => (
        <option key={value} value={value} selected={value === props.value}>{name}</option>
      ))}
    </select>
  );
}

/** One line for people about what went wrong, or nothing. */
export function Trouble({ text }: { text: string }) {
  return <p class={text ? "trouble" : "hidden"} role="alert">{text}</p>;
}

interface ActionProps {
  label: string;
  what: string; // "queue sleep", for screen readers
  act: () => Promise<unknown>;
  asks?: boolean; // a second press is needed: what it does cannot be taken back
}

/** A button that does something on the server, and says so if it fails. */
export class Action extends Component<ActionProps, { asked?: boolean; busy?: boolean; failed?: string }> {
  private press = async () => {
    if (this.props.asks && !this.state.asked) return this.setState({ asked: true });
    this.setState({ busy: true, asked: false, failed: "" });
    try {
      await this.props.act();
    } catch (error) {
      const why = error instanceof ApiError && error.status === 403 ? "not allowed: " : "";
      this.setState({ failed: why + reasonOf(error) });
    }
    this.setState({ busy: false });
  };

  render() {
    const { label, what } = this.props;
    const { asked, busy, failed } = this.state;
    return (
      <span class="action">
        <button
          type="button"
          class={asked ? "asked" : ""}
          disabled={busy}
          aria-label={asked ? `Really ${label.toLowerCase()} ${what}` : `${label} ${what}`}
          onClick={this.press}
          onBlur={() => this.setState({ asked: false })}
        >
          {asked ? `Really ${label.toLowerCase()}?` : label}
        </button>
        {failed && <span class="trouble" role="alert">{failed}</span>}
      </span>
    );
  }
}

interface PollProps<T> {
  ask: () => Promise<T>;
  key?: string;
  everyMs: number;
  until?: (value: T) => boolean; // it changes no more
  view: (value: T) => JSX.Element;
}

/** Asks again and again for what no event tells, while it is on the page and the page is seen. */
export class Poll<T> extends Component<PollProps<T>, { value?: T; failed?: string; over?: boolean }> {
  private timer = 0;
  private gone = false;

  componentDidMount() {
    this.look();
  }

  componentWillUnmount() {
    this.gone = true;
    clearTimeout(this.timer);
  }

  private look = async () => {
    if (!document.hidden) await this.ask();
    const { value } = this.state;
    if (this.gone || this.state.over || (value !== undefined && this.props.until?.(value))) return;
    this.timer = window.setTimeout(this.look, this.props.everyMs);
  };

  private async ask() {
    try {
      const value = await this.props.ask();
      if (!this.gone) this.setState({ value, failed: "" });
    } catch (error) {
      const over = error instanceof ApiError && error.status === 404; // it will not come back
      if (!this.gone) this.setState({ failed: reasonOf(error), over });
    }
  }

  render() {
    const { value, failed } = this.state;
    return (
      <div>
        <Trouble text={failed ?? ""} />
        {value !== undefined && this.props.view(value)}
      </div>
    );
  }
}

/** A table that scrolls by itself where the window is narrow. Columns: head, and what a row has. */
export interface Column<T> {
  head: string;
  cell: (row: T) => JSX.Element | string | number;
  left?: boolean;
}

export function Table<T>(props: { label: string; rows: T[]; columns: Column<T>[]; id: (row: T) => string }) {
  const side = (c: Column<T>) => (c.left ? "left" : "");
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={props.label}>
      <table>
        <thead>
          <tr>
            {props.columns.map((c) => (
              <th key={c.head} scope="col" class={side(c)}>{c.head}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr key={props.id(row)}>
              {props.columns.map((c) => (
                <td key={c.head} class={side(c)}>{c.cell(row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
