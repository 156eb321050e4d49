import { expect, test } from "vitest";
import { wireOf } from "../../agent/cli/demo/wire.ts";
import { parseFleetFile } from "../../agent/fleet/file/fleet-file.ts";
import { abilitiesOf } from "../../service/profile/abilities.ts";
import { loadProfile } from "../../service/profile/profile-file.ts";
import { demandSettings, type Settings } from "../../service/profile/settings.ts";
import { shippedNames } from "../../service/profile/shipped.ts";
import { startSimulation } from "../../simulator/simulation.ts";
import { place } from "../cli/cli.ts";
import { REPEATS } from "../support/repeats.ts";

test.each(shippedNames())(
  "%s: the demo asks for 16 GPUs with what its profile wants to know",
  async (name) => {
    const simulation = await startSimulation({ profile: name });
    const wire = wireOf(simulation);
    await simulation.close();
    const text = [...wire.serviceLines, "fleets:", ...wire.fleetLines(16)].join("\n");
    const { configuration, fleets } = parseFleetFile(text, "/fleet.yaml");
    const loaded = loadProfile(name);
    demandSettings(loaded, (configuration.settings ?? {}) as Settings);
    const asked = [...JSON.stringify(loaded.profile.launch).matchAll(/\{parameters\.(\w+)\}/g)];
    const { parameters = {}, budget } = fleets[0]?.wish ?? {};
    expect(Object.keys(parameters)).toEqual(expect.arrayContaining(asked.map(([, parameter]) => parameter)));
    expect(budget?.floor === undefined).toBe(abilitiesOf(loaded.profile).balance === false);
  },
);

test(
  "the demo is played to its end by a service without a marker, offers and a balance",
  REPEATS,
  async () => {
    const { code, stdout } = await (await place()).start(["demo", "--profile", "thunder"]).ended;
    expect(stdout).toContain("left out: the budget's floor");
    expect(stdout).toMatch(/machines rented, two of them as a replacement +6$/m);
    expect(stdout).toMatch(/machines paid for twice +0$/m);
    expect(stdout).toMatch(/machines still running +0$/m);
    expect(code).toBe(0);
  },
);
