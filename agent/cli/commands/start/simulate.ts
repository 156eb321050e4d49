import { once } from "node:events";
import { readFileSync } from "node:fs";
import { isShipped } from "../../../../service/profile/shipped.ts";
import { DIALECT_NAMES, type DialectName, dialectProfilePath } from "../../../../simulator/index.ts";
import { startSimulation } from "../../../../simulator/simulation.ts";
import { cloudOf } from "../../clouds/cloud.ts";
import { type CliContext, mistake, programName } from "../shared/cli-context.ts";
import { closing } from "../shared/closing.ts";

export interface SimulateFlags {
  readonly port?: number;
  readonly controlPort?: number;
  readonly dialect?: string;
  readonly profile?: string;
  readonly speed?: number;
  readonly seed?: string;
  readonly balance?: string;
  readonly profileOut?: boolean;
  readonly float?: boolean;
}

/** `fleetkeeper simulate`: the simulated service, until it is stopped. Nothing that it rents costs money. */
export async function simulateCommand(flags: SimulateFlags, cli: CliContext): Promise<number> {
  const { dialect = "plain", profile, profileOut, float, ...rest } = flags;
  if (profile !== undefined && flags.dialect !== undefined)
    throw mistake("--profile says which wire it speaks, and so does --dialect: give one of them.");
  if (!(DIALECT_NAMES as readonly string[]).includes(dialect)) {
    throw mistake(`--dialect ${dialect}: expected one of ${DIALECT_NAMES.join(", ")}.`);
  }
  if (profileOut) {
    if (profile !== undefined)
      throw mistake("--profile-out prints the wire profile of a dialect, not of --profile.");
    cli.print(readFileSync(dialectProfilePath(dialect as DialectName), "utf8").trimEnd());
    return 0;
  }
  const simulation = await startSimulation({
    ...rest,
    dialect: dialect as DialectName,
    ...(profile === undefined ? {} : { profile }),
    ...(float ? { settings: { runningPrices: "float" as const } } : {}),
  }).catch(portTaken);
  const program = programName(cli);
  const { url, apiKey } = simulation;
  const next =
    profile !== undefined && isShipped(profile)
      ? [
          `  export ${cloudOf(profile).apiKey}=${apiKey}`,
          `  ${program} init --cloud ${profile} --base-url ${url}`,
          `  ${program} agent`,
        ]
      : [
          `  export FLEETKEEPER_BASE_URL=${url}`,
          `  export FLEETKEEPER_API_KEY=${apiKey}`,
          `  export FLEETKEEPER_PROFILE=${simulation.profilePath}`,
          "  export FLEETKEEPER_ACCOUNT=exclusive",
          `  ${program} init --yes --fleet training --gpus 16 --gpu-model h100-80gb`,
          `  ${program} doctor`,
        ];
  return closing(simulation, async () => {
    cli.print(
      [
        `The GPU deployment service, simulated, at ${url} (${profile === undefined ? `dialect ${dialect}` : `by ${profile}`})`,
        `  controls and ground truth at ${simulation.controlUrl}`,
        "In another terminal:",
        ...next,
        "Ctrl-C ends it.",
      ].join("\n"),
    );
    if (!cli.signal.aborted) await once(cli.signal, "abort");
    return 0;
  });
}

function portTaken(error: unknown): never {
  const { code, port } = error as NodeJS.ErrnoException & { readonly port?: number };
  if (code !== "EADDRINUSE" && code !== "EACCES") throw error;
  const why = code === "EACCES" ? "this user may not listen there" : "another process listens there";
  throw mistake(`Port ${port} cannot be had: ${why}. Name another one, or none.`, {
    cause: error,
  });
}
