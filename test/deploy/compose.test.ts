import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { describeWith, read, root, run } from "./tool.ts";

const FILE = "deploy/compose/compose.yaml";
const compose = parse(read(FILE), { merge: true });
const services = Object.entries(compose.services) as [string, Record<string, unknown>][];

describe.each(services)("the service %s", (name, service) => {
  it("is an image of one version", () => {
    expect(service.image).toMatch(/:v?\d+\.\d+/);
  });

  it("is reached from this host alone, takes no new rights, and is started again", () => {
    for (const port of (service.ports as string[] | undefined) ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
    expect(service.security_opt).toContain("no-new-privileges:true");
    expect(service.restart).toBe("unless-stopped");
  });

  it("gets no secret by a variable", () => {
    for (const [variable, value] of Object.entries((service.environment as object | undefined) ?? {}))
      if (/KEY|TOKEN|PASSWORD/.test(variable))
        expect([name, variable, value]).toEqual([
          name,
          expect.stringMatching(/_FILE$/),
          expect.stringMatching(/^\/run\/secrets\//),
        ]);
  });
});

it("the agent cannot write but into its ledger's database, and its missing folder is an error", () => {
  const { agent } = compose.services;
  expect(agent).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
  expect(agent.volumes).toEqual([
    expect.objectContaining({ type: "bind", read_only: true, bind: { create_host_path: false } }),
  ]);
});

it("files that it mounts are there", () => {
  for (const file of ["prometheus/prometheus.yml", "prometheus/alerts.yml", "grafana/fleetkeeper.json"])
    expect(read(`deploy/${file}`)).not.toBe("");
  const { scrape_configs, rule_files } = parse(read("deploy/prometheus/prometheus.yml"));
  expect(rule_files).toEqual(["/etc/prometheus/alerts.yml"]);
  expect(scrape_configs[0].authorization.credentials_file).toBe("/run/secrets/http-token");
  expect(compose.services.prometheus.secrets).toContain("http-token");
});

describeWith("docker-compose", "Docker Compose", () => {
  it("takes the file", () => {
    expect(run("docker-compose", ["-f", FILE, "config", "--quiet"])).toEqual({ code: 0, said: "" });
  });

  it("does not take a word that it does not know: so the schema is asked", () => {
    const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-compose-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, "config"));
    const file = join(folder, "compose.yaml");
    copyFileSync(join(root, FILE), file);
    const wrong = run("docker-compose", ["-f", "-", "config", "--quiet"], {
      input: read(FILE).replace("stop_grace_period: 150s", "stop_grace: 150s"),
      cwd: folder,
    });
    expect(wrong.code).not.toBe(0);
    expect(wrong.said).toContain("stop_grace");
  });
});

describeWith("promtool", "Prometheus", () => {
  it("takes its configuration", () => {
    const args = ["check", "config", "--syntax-only", "deploy/prometheus/prometheus.yml"];
    expect(run("promtool", args)).toMatchObject({ code: 0 });
  });
});
