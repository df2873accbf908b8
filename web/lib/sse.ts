/** One server-sent event. */
export interface Event {
  name: string;
  data: string;
}

/**
 * Takes the text of an event stream in pieces, as they come, and gives the events that are whole.
 * Comments (heartbeats), ids and retry times are passed over.
 * Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export class EventParser {
  private rest = "";
  private name = "message";
  private data: string[] = [];

  take(text: string): Event[] {
    const lines = (this.rest + text).split(/\r?\n/);
    this.rest = lines.pop()!;
    return lines.flatMap((line) => this.takeLine(line));
  }

  private takeLine(line: string): Event[] {
    if (line === "") return this.end();
    const [, field, value] = /^([^:]*):? ?(.*)$/.exec(line)!;
    if (field === "event") this.name = value;
    if (field === "data") this.data.push(value);
    return [];
  }

  private end(): Event[] {
    const event = { name: this.name, data: this.data.join("\n") };
    const whole = this.data.length > 0;
    this.name = "message";
    this.data = [];
    return whole ? [event] : [];
  }
}
