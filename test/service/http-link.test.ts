import { expect, test } from "vitest";
import { nextLink } from "../../service/list/http-link.ts";

test.each([
  ['<https://x/a?page=2>; rel="next"', "https://x/a?page=2"],
  ["</a?page=2>;rel=next", "/a?page=2"],
  ['<https://x/a?b=1,2>; rel="prev", <https://x/a?b=3,4>; rel="next"', "https://x/a?b=3,4"],
  ['</2>; title="a, b; rel=next", </3>; rel="last next"', "/3"],
  ['</2>; REL="NEXT"', "/2"],
  ['</1>; rel="first"', undefined],
  ["nonsense", undefined],
  [undefined, undefined],
])("%j", (header, next) => {
  expect(nextLink(header)).toBe(next);
});
