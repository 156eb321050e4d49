import { expect, test } from "vitest";
import { formProblem, partReader } from "../../service/text/text-form.ts";

const read = (form: string, text: string, name = "host"): string | undefined => partReader(form, name)(text);

test.each([
  ["ssh://{user}@{host}:{port}", "ssh://me@a.example:22", "a.example"],
  ["ssh {user}@{host} -p {port}", "ssh root@10.0.0.1 -p 2201", "10.0.0.1"],
  ["{host}", "a.example", "a.example"],
  ["<{host}>", "<a.example>", "a.example"],
  ["{host}.internal", "a.example.internal", "a.example"],
])("%s reads %s", (form, text, host) => {
  expect(read(form, text)).toBe(host);
});

test.each([
  ["ssh://{user}@{host}:{port}", "https://me@a.example:22"],
  ["ssh://{user}@{host}:{port}", "ssh://me@a.example"],
  ["ssh://{user}@{host}:{port}", "ssh://me@:22"],
  ["ssh://{user}@{host}:{port}", "ssh://me@a.example:"],
  ["<{host}>", "<a.example"],
  ["<{host}>", "<>"],
  ["{host}", ""],
])("%s does not read %s", (form, text) => {
  expect(read(form, text)).toBeUndefined();
});

test("each part of one text is read by its name", () => {
  const form = "ssh://{user}@{host}:{port}";
  const parts = ["user", "host", "port"].map((name) => read(form, "ssh://me@a.example:22", name));
  expect(parts).toEqual(["me", "a.example", "22"]);
});

test("a form is refused that could give nothing, or that could be read in two ways", () => {
  expect(formProblem("{user}@{host}", "host")).toBeUndefined();
  expect(formProblem("ssh me", "host")).toContain("has no {host}");
  expect(formProblem("{user}{host}", "host")).toContain("nothing between them");
  expect(formProblem("{host} {host}", "host")).toContain("twice");
});
