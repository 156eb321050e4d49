import { expect, it } from "vitest";
import { configure } from "../../account/configuration.ts";
import { parseFleetFile } from "../../agent/fleet/file/fleet-file.ts";

/* Where {settings.NAME} of a profile come from: the fleet file or the stack, and no variable. */

const WHERE = { baseUrl: "https://gpu.example.com", profile: "p.yaml", ledger: "l.db" };
const settings = (given: unknown, file?: object) =>
  configure({ ...WHERE, settings: given as never }, {}, file).settings;

it("a fleet file has them beside the profile, and each of several services its own", () => {
  const one = parseFleetFile(
    "service: { profile: p.yaml, settings: { project: red } }\nfleets: []",
    "fleet.yaml",
  );
  expect(one.configuration.settings).toEqual({ project: "red" });
  const each = 'baseUrl: "https://a.example.com", profile: p.yaml, account: exclusive, apiKey: { env: A }';
  const several = parseFleetFile(
    `services: { a: { ${each}, settings: { project: "7" } } }\nfleets: []`,
    "fleet.yaml",
  );
  expect(several.services[0]?.settings).toEqual({ project: "7" });
});

it.each([
  ["project: 7", 'expected a text; quotes make one of a number: "123"'],
  ['"my project": a', "expected a name of letters, digits, _ and -"],
  ["project:", "service.settings.project"],
])("a fleet file's %j is told", (line, says) => {
  const read = () => parseFleetFile(`service:\n  settings:\n    ${line}\nfleets: []`, "fleet.yaml");
  expect(read).toThrow(says);
});

it("a stack's are JSON, as engines hand on what is no text, or a mapping; it wins over a file", () => {
  expect(settings('{"project":"red","size":9007199254740991}')).toEqual({
    project: "red",
    size: "9007199254740991",
  });
  expect(settings({ project: "red" }, { settings: { project: "blue" } })).toEqual({ project: "red" });
  expect(settings(undefined, { settings: { project: "blue" } })).toEqual({ project: "blue" });
  expect(settings(undefined)).toBeUndefined();
});

it.each([
  ["red", "fleetkeeper:settings: "],
  ['{"project":{"a":1}}', "fleetkeeper:settings.project: expected a text"],
  ['{"project":9007199254740993}', "fleetkeeper:settings.project: expected a text"],
  [["a"], "fleetkeeper:settings: "],
])("a stack's %j is told, and how to set them", (given, says) => {
  expect(() => settings(given)).toThrow(says);
  expect(() => settings(given)).toThrow("pulumi config set --path fleetkeeper:settings.NAME VALUE");
});
