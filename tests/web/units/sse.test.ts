import assert from "node:assert/strict";
import test from "node:test";
import { EventParser } from "../../../web/lib/sse";

test("AnEventIsWholeAtTheEmptyLine", () => {
  const parser = new EventParser();
  assert.deepEqual(parser.take("event: queues\ndata: {}\n"), []);
  assert.deepEqual(parser.take("\n"), [{ name: "queues", data: "{}" }]);
});

test("PiecesMayEndAnywhere", () => {
  const parser = new EventParser();
  const text = "event: a\r\ndata: 1\r\n\r\n: heartbeat\n\ndata:2\ndata: 3\n\n";
  const events = [...text].flatMap((letter) => parser.take(letter));
  assert.deepEqual(events, [
    { name: "a", data: "1" },
    { name: "message", data: "2\n3" },
  ]);
});

test("CommentsAndFieldsWithoutUseAreNoEvents", () => {
  assert.deepEqual(new EventParser().take(": alive\n\nid: 7\nretry: 100\n\nevent: empty\n\n"), []);
});

test("ANameDoesNotLastLongerThanItsEvent", () => {
  const names = new EventParser().take("event: a\ndata: 1\n\ndata: 2\n\n").map((event) => event.name);
  assert.deepEqual(names, ["a", "message"]);
});
