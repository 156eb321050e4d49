import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { machine } from "../../provider/kinds.ts";
import type { Properties } from "../../provider/runtime/inputs/resource-kind.ts";
import type { Deployment } from "../../service/contract/service.ts";
import { createService, readProfile } from "../../service/index.ts";
import { dialectProfilePath, SIMULATOR_URL } from "../../simulator/index.ts";
import { type Stage, stage } from "../support/stage.ts";
import { createMachine, deskOn, machineInputsOf, slotOf } from "./support.ts";

/** A service whose profile says that the user's name is a secret. */
async function stageWithSecret(): Promise<Stage> {
  const on = await stage();
  const text = readFileSync(dialectProfilePath("plain"), "utf8");
  const secret = text.replace(/user: (\/\S*user)/, "user: { pointer: $1, secret: true }");
  expect(secret).not.toBe(text);
  const service = createService({
    baseUrl: SIMULATOR_URL.replace("http:", "https:"),
    secret: on.simulator.apiKey,
    profile: readProfile(secret, "secret.profile.yaml"),
    transport: on.simulator.transport,
    clock: { now: () => on.clock.now(), sleep: (ms, signal) => on.clock.sleep(ms, signal) },
  });
  return { ...on, keeper: { ...on.keeper, service } };
}

describe("connection details that the profile calls secret", () => {
  it("are an output of their own, and in no ledger", async () => {
    const on = await stageWithSecret();
    const desk = deskOn(on);
    const { machine: made } = await on.clock.run(createMachine(desk, await slotOf(desk)));
    expect(made?.outs.connection).toMatchObject({ port: "22" });
    expect(made?.outs.connection).not.toHaveProperty("user");
    expect(made?.outs.secretConnection).toEqual({ user: "root" });
    expect(JSON.stringify(await on.keeper.ledger.read(on.keeper.account))).not.toContain('"root"');
    expect(desk.lines.join("\n")).not.toContain("root");
  });

  it("that come after the machine is called running are read by the next run, and announced only then", async () => {
    const on = await stageWithSecret();
    let shows = false;
    const { deployment, deployments } = on.keeper.service;
    const asShown = <T extends Partial<Deployment> | undefined>(each: T): T =>
      shows || each === undefined ? each : { ...each, connection: undefined, secretConnection: undefined };
    Object.assign(on.keeper.service, {
      deployment: async (...args: Parameters<typeof deployment>) => asShown(await deployment(...args)),
      deployments: async (...args: Parameters<typeof deployments>) =>
        (await deployments(...args))?.map(asShown),
    });
    const made = await on.clock.run(createMachine(deskOn(on), await slotOf(deskOn(on))));
    const { id, outs } = made.machine!;
    expect(outs).not.toHaveProperty("connection");
    const news = machineInputsOf(made);
    const diff = (olds: Properties) => on.clock.run(machine.diff(deskOn(on), id, olds, news));
    expect(await diff(outs)).toMatchObject({ changes: false });
    shows = true;
    expect(await diff(outs)).toEqual({ changes: true, replaces: [] });
    const updated = await on.clock.run(machine.update(deskOn(on), id, outs, news));
    expect(updated).toMatchObject({ connection: { port: "22" }, secretConnection: { user: "root" } });
    // Each of the two alone is worth an update.
    expect(await diff({ ...updated, secretConnection: {} })).toMatchObject({ changes: true });
    expect(await diff({ ...updated, connection: undefined })).toMatchObject({ changes: true });
    expect(await diff(updated)).toMatchObject({ changes: false });
  });

  it("that could not be read are read by the next run", async () => {
    const on = await stageWithSecret();
    const desk = deskOn(on);
    const state = await slotOf(desk);
    on.simulator.control.faults.next("deployment", { kind: "errorBefore", status: 500 }, { times: 100 });
    const made = await on.clock.run(createMachine(desk, state));
    expect(made.machine?.outs).not.toHaveProperty("secretConnection");
    expect(desk.lines.join("\n")).toContain("its secret connection details cannot be read just now");
    on.simulator.control.faults.clear();
    const { id, outs } = made.machine!;
    const news = machineInputsOf(made);
    expect(await on.clock.run(machine.diff(deskOn(on), id, outs, news))).toEqual({
      changes: true,
      replaces: [],
    });
    const updated = await on.clock.run(machine.update(deskOn(on), id, outs, news));
    expect(updated.secretConnection).toEqual({ user: "root" });
    expect(await on.clock.run(machine.diff(deskOn(on), id, updated, news))).toEqual({
      changes: false,
      replaces: [],
    });
  });
});
