import { expect, test } from "vitest";
import { checkBaseUrl } from "../../service/http/base-url.ts";
import { failureOf } from "./support.ts";

test.each([
  ["https://gpu.example.com", "https://gpu.example.com"],
  ["https://gpu.example.com/", "https://gpu.example.com"],
  ["https://example.com/gpu//", "https://example.com/gpu"],
  ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
  ["http://127.9.9.9", "http://127.9.9.9"],
  ["http://[::1]:8080/", "http://[::1]:8080"],
  ["http://localhost:1", "http://localhost:1"],
])("%s is taken as %s", (text, base) => {
  expect(checkBaseUrl(text)).toBe(base);
});

test.each([
  ["http://gpu.example.com", "Write https:// instead"],
  ["http://127.evil.com", "Write https:// instead"],
  ["http://localhost.evil.com", "Write https:// instead"],
  ["gpu.example.com", "Write it whole, such as https://"],
  ["ftp://gpu.example.com", "Write it whole, such as https://"],
  ["https://gpu.example.com/?a=1", "Leave out everything from the ? or # on"],
  ["https://gpu.example.com/gpu/api/v1/", "Write https://gpu.example.com/gpu instead"],
])("%s is refused with its remedy", async (text, remedy) => {
  const error = await failureOf(() => checkBaseUrl(text));
  expect(error.code).toBe("CONFIG");
  expect(error.message).toContain(remedy);
});

test("a password in the address is refused and not repeated", async () => {
  const error = await failureOf(() => checkBaseUrl("https://user:canary@gpu.example.com"));
  expect(error.message).toContain("Take it out");
  expect(error.message).not.toContain("canary");
});
