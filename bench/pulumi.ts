import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Figure, ms } from "./figure.ts";

/*
 * CPU of a `pulumi up` of Deployments that did not change, beside as many dynamic resources of a user's own that do
 * nothing: one for each Deployment, though a Deployment has three. The same of the plugin, beside a plugin that does nothing. On the real engine, against the simulator.
 * Needs dist/: npm run build.
 */

const SIZES = [1, 50, 200];
const ROUNDS = 3;
const PROGRAMS = ["deployments", "nothing", "plugin-deployments", "plugin-nothing"] as const;
type Program = (typeof PROGRAMS)[number];
/** By the classes and by the plugin, each beside a rival of its own kind. */
const HOSTS = [
  { of: "", ours: "deployments", theirs: "nothing", rival: "dynamic resource" },
  { of: " of the plugin", ours: "plugin-deployments", theirs: "plugin-nothing", rival: "plugin's resource" },
] as const satisfies readonly { ours: Program; theirs: Program; of: string; rival: string }[];

const { FLEETKEEPER_PULUMI: engine } = process.env;
if (engine === undefined) {
  process.stderr.write("skipped: there is no Pulumi engine; see what the set-up says\n");
  process.stdout.write("[]");
  process.exit();
}
// Within the clone, where Node finds the program's imports.
const parent = join(resolve(import.meta.dirname, ".."), ".fleetkeeper", "bench");
mkdirSync(parent, { recursive: true });
const folder = mkdtempSync(join(parent, "pulumi-"));
// About as long as the path of a user's ledger, which stands in the state.
const ledgers = mkdtempSync(join(tmpdir(), "fleetkeeper-bench-"));
try {
  const figures: Figure[] = [];
  for (const host of HOSTS) figures.push(...(await figuresOf(host)));
  process.stdout.write(JSON.stringify(figures));
} finally {
  for (const made of [folder, ledgers]) rmSync(made, { recursive: true });
}

/** At a service of its own: each list has the machines of this program alone. */
async function figuresOf(host: (typeof HOSTS)[number]): Promise<readonly Figure[]> {
  const simulation = spawn(process.execPath, [join(import.meta.dirname, "simulation.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  try {
    const [line] = (await once(simulation.stdout, "data")) as [Buffer];
    const { url, apiKey, profilePath } = JSON.parse(String(line)) as Readonly<
      Record<"url" | "apiKey" | "profilePath", string>
    >;
    for (const program of [host.ours, host.theirs]) make(program);
    pulumi(
      host.ours,
      ...["config", "set-all"],
      ...["--plaintext", `fleetkeeper:baseUrl=${url}`],
      ...["--plaintext", `fleetkeeper:profile=${profilePath}`],
      ...["--plaintext", `fleetkeeper:ledger=${join(ledgers, `${host.ours}.db`)}`],
      ...["--plaintext", "fleetkeeper:account=exclusive"],
      ...["--secret", `fleetkeeper:apiKey=${apiKey}`],
    );
    return SIZES.flatMap((size) => measured(host, size));
  } finally {
    simulation.stdin.end();
  }
}

function measured({ of, ours, theirs, rival }: (typeof HOSTS)[number], size: number): readonly Figure[] {
  for (const program of [ours, theirs]) {
    pulumi(program, "config", "set", "count", String(size));
    up(program);
  }
  const least = { ours: Infinity, theirs: Infinity };
  // The least of several runs in turn: a neighbour only ever adds.
  for (let round = 0; round < ROUNDS; round++) {
    least.ours = Math.min(least.ours, up(ours, "--expect-no-changes"));
    least.theirs = Math.min(least.theirs, up(theirs, "--expect-no-changes"));
  }
  const [kept, rivals] = [stateOf(ours) / size, stateOf(theirs) / size];
  return [
    {
      what: `pulumi up of ${size} Deployments${of}, unchanged`,
      measured: ms(least.ours),
      against: `${size} times a ${rival} that does nothing: ${ms(least.theirs)}`,
      ratio: least.ours / least.theirs,
      toReach: "<= 1.15",
    },
    {
      what: `state of a Deployment${of}, of ${size}`,
      measured: `${(kept / 1000).toFixed(2)} kB`,
      against: `a ${rival} that does nothing: ${(rivals / 1000).toFixed(2)} kB`,
      ratio: kept / rivals,
      toReach: "<= 4 kB",
    },
  ];
}

/** Bytes of all resources in the state's file, but for the stack itself. */
function stateOf(program: Program): number {
  const file = join(folder, program, ".state/.pulumi/stacks", program, "dev.json");
  const { checkpoint } = JSON.parse(readFileSync(file, "utf8")) as {
    readonly checkpoint: { readonly latest: { readonly resources: readonly { readonly type: string }[] } };
  };
  const own = checkpoint.latest.resources.filter(({ type }) => !type.startsWith("pulumi:"));
  return JSON.stringify(own).length;
}

/** A stack with a state and a Pulumi home of its own. */
function make(program: Program): void {
  cpSync(join(import.meta.dirname, "programs", program), join(folder, program), { recursive: true });
  mkdirSync(join(folder, program, ".state"));
  pulumi(program, "stack", "init", "dev");
}

function up(program: Program, ...flags: readonly string[]): number {
  return pulumi(program, "up", "--yes", "--skip-preview", "--suppress-outputs", "--parallel", "64", ...flags);
}

/** The CPU of all its processes, in ms: on a busy machine their time by the clock says nothing. */
function pulumi(program: Program, ...args: readonly string[]): number {
  const cwd = join(folder, program);
  const command = [engine as string, ...args, "--non-interactive", "--color=never"];
  // What `times` prints in its second line: user and system time of all that the shell has waited for.
  const printed = execFileSync("sh", ["-c", '"$0" "$@" > /dev/null && times', ...command], {
    cwd,
    encoding: "utf8",
    env: {
      ...process.env,
      PULUMI_BACKEND_URL: pathToFileURL(join(cwd, ".state")).href,
      PULUMI_CONFIG_PASSPHRASE: "not a secret",
      PULUMI_HOME: join(cwd, ".home"),
      PULUMI_SKIP_UPDATE_CHECK: "1",
      FLEETKEEPER_PROTOCOL: JSON.stringify({ poll: 200, settle: 1_000, postTimeout: 20_000, gone: 500 }),
    },
  });
  const times = [...printed.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds),
  );
  return times.slice(2).reduce((sum, each) => sum + each, 0) * 1000;
}
