import { afterAll, beforeAll, expect, it } from "vitest";
import { REPEATS } from "../support/repeats.ts";
import { describeWithEngine, Project } from "./engine.ts";

describeWithEngine("plain `pulumi up` on the real engine", () => {
  let project: Project;

  beforeAll(async () => {
    project = new Project(new URL("./fixtures/one-resource/", import.meta.url));
    await project.succeed("stack", "init", "dev");
    await project.succeed("config", "set", "name", "fleet");
    await project.succeed("config", "set", "--secret", "secret", "keep me");
  });

  afterAll(() => project.remove());

  it("creates a dynamic resource by a TypeScript program, and destroys it", async () => {
    await project.succeed("up", "--yes", "--skip-preview");
    const outputs = JSON.parse(await project.succeed("stack", "output", "--json"));
    expect(outputs).toEqual({ words: "hello fleet", organization: "organization", secretKept: "[secret]" });

    await project.succeed("destroy", "--yes", "--skip-preview");
    const { deployment } = JSON.parse(await project.succeed("stack", "export"));
    expect(deployment.resources ?? []).toEqual([]);
  });

  // As inputs.test.ts says of a Deployment.
  it("does not create anything in a preview", REPEATS, async () => {
    const preview = await project.succeed("preview");
    expect(preview).toContain("+ 2 to create");
  });

  it("shows an error of the program once, and fails", async () => {
    await project.succeed("config", "rm", "name");
    const { code, stdout } = await project.pulumi("up", "--yes");
    expect(code).not.toBe(0);
    expect(stdout).toContain("Missing required configuration variable 'one-resource:name'");
    expect(stdout).not.toContain("non-zero exit code");
  });
});
