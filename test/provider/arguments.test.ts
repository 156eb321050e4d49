import * as pulumi from "@pulumi/pulumi";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { Deployment, Fleet, getDeployment } from "../../provider/index.ts";
import { COMBINATION } from "./support.ts";

const registered: { readonly type: string; readonly inputs: Readonly<Record<string, unknown>> }[] = [];

beforeAll(async () => {
  await pulumi.runtime.setMocks({
    newResource: ({ name, type, inputs }) => {
      registered.push({ type: type.split(":").at(-1) ?? "", inputs });
      return { id: name, state: inputs };
    },
    call: () => ({}),
  });
});
beforeEach(() => void registered.splice(0));

/** As plain JavaScript calls it. */
const Any = { Deployment, Fleet } as unknown as Record<
  "Deployment" | "Fleet",
  new (
    name: string,
    args?: unknown,
  ) => pulumi.ComponentResource
>;

async function inputsOf(type: string): Promise<Readonly<Record<string, unknown>>> {
  await expect.poll(() => registered.map((each) => each.type)).toContain(type);
  return registered.find((each) => each.type === type)?.inputs ?? {};
}

it("a program that leaves all arguments out comes to the check, which says what is needed", async () => {
  for (const none of [undefined, null]) {
    new Any.Deployment("web", none);
    new Any.Fleet("training", none);
  }
  expect(await inputsOf("Slot")).toMatchObject({ label: "project/stack/web" });
  expect(await inputsOf("Wish")).toMatchObject({ name: "training" });
});

it.each(["h100", 8, [COMBINATION], pulumi.output(COMBINATION)])(
  "what is no object of arguments is refused: %o",
  (args) => {
    for (const kind of ["Deployment", "Fleet"] as const)
      expect(() => new Any[kind]("web", args)).toThrow(`${kind} web: expected an object of arguments`);
  },
);

it("a name that only the resource's halves know is refused, not lost", () => {
  expect(() => new Any.Deployment("web", { ...COMBINATION, label: "x" })).toThrow(
    "Deployment web: label: is not an argument",
  );
  expect(() => new Any.Deployment("web", { ...COMBINATION, status: "x" })).toThrow(
    "status: is not an argument",
  );
  expect(() => new Any.Fleet("training", { gpus: 1, source: "x" })).toThrow("source: is not an argument");
});

it("what no half knows is handed to the half that is checked first", async () => {
  new Any.Deployment("web", { ...COMBINATION, ofer: "x" });
  expect(await inputsOf("Slot")).toMatchObject({ ofer: "x" });
});

it("a Date is the text that JSON makes of it, also within other values", async () => {
  const until = new Date("2030-07-01T18:00:00Z");
  new Deployment("web", { ...COMBINATION, until, parameters: { list: [until as never] } });
  const text = "2030-07-01T18:00:00.000Z";
  expect(await inputsOf("Machine")).toMatchObject({ until: text, parameters: { list: [text] } });
  new Fleet("training", { gpus: 1, select: {}, until });
  expect(await inputsOf("Wish")).toMatchObject({ until: text });
});

it("half of a character is named by where it stands: the engine only fails", () => {
  const candidates = [{ ...COMBINATION, location: "\ud800" }];
  expect(() => new Deployment("web", { candidates })).toThrow(
    "candidates.0.location: expected a text of whole",
  );
});

it("a lookup without an id says what it needs", async () => {
  await expect(getDeployment(undefined as never)).rejects.toThrow("expected { id: ... }");
  expect(() => Deployment.get("theirs", undefined as never)).toThrow("expected the id of a deployment");
});

it("a setting of the stack whose name is mistyped is a mistake, and a key of another project is none", () => {
  const fleet = () => new Any.Fleet("training", { gpus: 1 });
  pulumi.runtime.setAllConfig({
    "fleetkeeper:leger": "/other.db",
    "fleetkeeper:baseUrl": "https://x.example",
  });
  expect(fleet).toThrow("Fleet training: fleetkeeper:leger is no setting: did you mean fleetkeeper:ledger?");
  expect(() => new Any.Deployment("web", COMBINATION)).toThrow("did you mean fleetkeeper:ledger?");
  pulumi.runtime.setAllConfig({ "fleetkeeper:database": "/other.db" });
  expect(fleet).toThrow("fleetkeeper:database is no setting: known are baseUrl");
  pulumi.runtime.setAllConfig({ "other:leger": "1", "fleetkeeper:ledger": "/l.db" });
  expect(() => new Any.Fleet("other", { gpus: 1 })).not.toThrow();
  pulumi.runtime.setAllConfig({});
});
