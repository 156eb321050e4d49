import { expect, test } from "vitest";
import { formatPointer, parsePointer, valueAt } from "../../service/text/pointer.ts";

const DOCUMENT = { foo: ["bar", "baz"], "": 0, "a/b": 1, "m~n": 8, nested: { none: null } };

test.each([
  ["", DOCUMENT],
  ["/foo", ["bar", "baz"]],
  ["/foo/1", "baz"],
  ["/", 0],
  ["/a~1b", 1],
  ["/m~0n", 8],
  ["/nested/none", null],
])("RFC 6901: %j", (pointer, expected) => {
  expect(valueAt(DOCUMENT, pointer)).toEqual(expected);
});

test.each([
  "/foo/2",
  "/foo/01",
  "/foo/-1",
  "/foo/length",
  "/nope",
  "/nested/none/x",
  "/toString",
  "/__proto__",
])("nothing stands at %j", (pointer) => {
  expect(valueAt(DOCUMENT, pointer)).toBeUndefined();
});

test("tokens survive a round trip", () => {
  expect(parsePointer(formatPointer(["a/b", "m~n", "~1", 0]))).toEqual(["a/b", "m~n", "~1", "0"]);
});
