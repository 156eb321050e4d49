import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { TestServer } from "../support/postgres.ts";
import { sharedServer } from "../support/postgres.ts";
import { REPEATS } from "../support/repeats.ts";
import { describeWithEngine } from "./engine.ts";
import { worldOnPostgres } from "./on-postgres.ts";
import { CANARY, H100, World } from "./world.ts";

const server = await sharedServer();
const SECRET = "parameter-canary-31";

const PROGRAM = `
  import { Config } from "@pulumi/pulumi";
  import { Deployment } from "fleetkeeper";
  const parameters = { image: new Config().requireSecret("image") };
  export const id = new Deployment("one", { ...${JSON.stringify(H100)}, parameters }).deploymentId;
`;

interface Kept {
  readonly world: World;
  /** All that the ledger holds. */
  content(): Promise<string>;
  close(): Promise<void>;
}

async function inFile(): Promise<Kept> {
  const world = await World.create("deployment", "link");
  const { folder } = world.project;
  const files = () => readdirSync(folder).filter((file) => file.startsWith("ledger.db"));
  return {
    world,
    content: async () =>
      files()
        .map((file) => readFileSync(path.join(folder, file), "latin1"))
        .join(),
    close: () => world.close(),
  };
}

async function inPostgres(on: TestServer): Promise<Kept> {
  const { world, rows, close } = await worldOnPostgres(on, "deployment", "link");
  return { world, content: rows, close };
}

describeWithEngine("a secret parameter of a Deployment", () => {
  const where = "reaches the service, and stands in no output, no state and no row of a ledger in ";
  const isNowhere = async (open: () => Promise<Kept>): Promise<void> => {
    const { world, content, close } = await open();
    try {
      world.write("index.ts", PROGRAM);
      const said: string[] = [];
      const tried = async (...args: readonly string[]): Promise<void> => {
        const { code, stdout, stderr } = await world.project.pulumi(...args);
        said.push(stdout, stderr);
        expect(code, stdout + stderr).toBe(0);
      };
      await tried("config", "set", "--secret", "image", SECRET);
      await tried("preview", "--diff");
      await tried("up", "--yes", "--skip-preview");
      await tried("refresh", "--yes", "--skip-preview");
      await tried("up", "--yes", "--skip-preview", "--diff");
      await tried("stack", "export");
      expect(world.machines()).toHaveLength(1);
      await tried("destroy", "--yes", "--skip-preview");
      expect(world.alive()).toEqual([]);
      const ledger = await content();
      expect(ledger).toContain(world.machines()[0]?.id);
      for (const secret of [SECRET, CANARY]) {
        expect(ledger).not.toContain(secret);
        expect(said.join("\n")).not.toContain(secret);
      }
    } finally {
      await close();
    }
  };
  it(`${where}a file`, () => isNowhere(inFile));
  // What a row of PostgreSQL has, shared-ledger.test.ts says of other secrets.
  it.skipIf(!server)(`${where}PostgreSQL`, REPEATS, () => isNowhere(() => inPostgres(server!)));
});
