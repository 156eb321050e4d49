import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseAllDocuments } from "yaml";
import { stackCommands, whyNotRun } from "../../agent/ask/programs.ts";
import { describeWith, found, output, read, root, run } from "./tool.ts";

const CHART = "deploy/helm/fleetkeeper";
const MANIFESTS = "deploy/kubernetes/fleetkeeper.yaml";
const HEADER = `# What the chart in deploy/helm makes of its own values, for those who use no Helm. Put your files into the ConfigMap, and your
# image into the Deployment. \`npm run vitest -- test/deploy/kubernetes --update\` writes this anew.
`;

interface Rendered {
  readonly lint: {
    readonly errors: readonly string[];
    readonly messages: readonly { readonly severity: number }[];
  };
  readonly files: Readonly<Record<string, string>>;
}

/** By Helm's own engine. The Python that has it stands beside the other tools. */
function render(values: Readonly<Record<string, unknown>> = {}): Rendered {
  const python = join(dirname(found("kubernetes-validate") ?? ""), "python");
  const args = [
    join(import.meta.dirname, "render-chart.py"),
    join(root, CHART),
    "default",
    JSON.stringify(values),
  ];
  return JSON.parse(output(python, args)) as Rendered;
}

function joined({ files }: Rendered): string {
  return Object.keys(files)
    .sort()
    .map((name) => (files[name] ?? "").trim())
    .filter((text) => text !== "")
    .map((text) => `---\n${text}\n`)
    .join("");
}

function validate(manifests: string): ReturnType<typeof run> {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-kubernetes-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "manifests.yaml");
  writeFileSync(file, manifests);
  return run("kubernetes-validate", ["--strict", file]);
}

describeWith("kubernetes-validate", "the chart", () => {
  it("passes Helm's lint, and is what the manifests are made of", async () => {
    const rendered = render();
    expect(rendered.lint.errors).toEqual([]);
    expect(rendered.lint.messages.filter(({ severity }) => severity > 1)).toEqual([]);
    await expect(HEADER + joined(rendered)).toMatchFileSnapshot(join(root, MANIFESTS));
  });

  it("is valid by the schemas of Kubernetes, with other values too", () => {
    const values = {
      replicas: 1,
      imagePullSecrets: [{ name: "registry" }],
      nodeSelector: { "kubernetes.io/arch": "amd64" },
      tolerations: [{ key: "only", operator: "Exists" }],
      podAnnotations: { note: "1" },
      env: [{ name: "NODE_EXTRA_CA_CERTS", value: "/etc/fleetkeeper/ca.pem" }],
      affinity: { nodeAffinity: {} },
      image: { repository: "registry.example.com/fleetkeeper", tag: "0.2.0" },
    };
    for (const manifests of [joined(render()), joined(render(values))])
      expect(validate(manifests)).toMatchObject({ code: 0 });
  });

  it("is not valid with a word that Kubernetes does not know: so the schemas are asked", () => {
    const wrong = joined(render()).replace("readinessProbe:", "readynessProbe:");
    expect(validate(wrong)).toMatchObject({ code: 1, said: expect.stringContaining("readynessProbe") });
  });

  it("refuses values that it does not know", () => {
    expect(() => render({ replicaCount: 3 })).toThrow(/replicaCount/);
  });

  it("has commands that may be executed, and not what no program may be called", () => {
    const join_sh = '#!/bin/sh\n\necho "$1 joins"\n';
    const manifests = joined(render({ commands: { "join.sh": join_sh } }));
    expect(validate(manifests)).toMatchObject({ code: 0 });
    const { deployment, container, ...all } = partsOf(manifests);
    const [map] = all.documents.filter(({ metadata }) => metadata.name === "fleetkeeper-commands");
    const { configMap } = volumeOf(deployment, "commands");
    expect(configMap.name).toBe(map.metadata.name);
    const folder = mounted(map.data, configMap.defaultMode);
    expect(stackCommands({ FLEETKEEPER_COMMANDS: folder })).toEqual(["join.sh"]);
    const program = join(folder, "join.sh");
    expect(whyNotRun(program, "/")).toBeUndefined();
    expect(output(program, ["m1"])).toBe("m1 joins\n");
    expect(mountOf(container, "commands")).toMatchObject({
      mountPath: "/etc/fleetkeeper-commands",
      readOnly: true,
    });
    for (const name of ["../join.sh", ".join.sh", "join us.sh"])
      expect(() => render({ commands: { [name]: join_sh } })).toThrow(/commands/);
  });

  it("has files that may not be executed: so commands have a folder of their own", () => {
    const { deployment, documents } = partsOf(joined(render({ files: { "fleet.yaml": "#!/bin/sh\n" } })));
    const [map] = documents.filter(({ kind }) => kind === "ConfigMap");
    const { configMap } = volumeOf(deployment, "files");
    const folder = mounted(map.data, configMap.defaultMode ?? 0o644);
    expect(whyNotRun(join(folder, "fleet.yaml"), "/")?.why).toContain("may not be executed");
  });

  it("has a monitor for the Prometheus operator, if it is asked for", () => {
    expect(joined(render())).not.toContain("PodMonitor");
    expect(joined(render({ podMonitor: true }))).toContain("kind: PodMonitor");
  });

  it("serves node groups to an autoscaler, if it is asked for, by a command that exists and files that are mounted", () => {
    expect(joined(render())).not.toContain("autoscaler");
    const autoscaler = {
      ...{ enabled: true, agent: "https://keeper.example.com", service: "north" },
      groups: "groups:\n  - { fleet: training, gpusPerNode: 8 }\n",
    };
    const manifests = joined(render({ autoscaler, imagePullSecrets: [{ name: "registry" }] }));
    expect(validate(manifests)).toMatchObject({ code: 0 });
    const { documents } = partsOf(manifests);
    const named = (kind: string, name: string) =>
      documents.find((each) => each.kind === kind && each.metadata.name === name);
    const { spec } = named("Deployment", "fleetkeeper-autoscaler");
    const pod = spec.template.spec;
    const [container] = pod.containers;
    // What it has said last is in its memory.
    expect([spec.replicas, spec.strategy.type]).toEqual([1, "Recreate"]);
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true },
    });
    // It is no agent: neither has the other one's calls.
    const labels = spec.template.metadata.labels;
    const isLedTo = (name: string) =>
      Object.entries(named("Service", name).spec.selector).every(([key, value]) => labels[key] === value);
    expect([isLedTo("fleetkeeper-autoscaler"), isLedTo("fleetkeeper")]).toEqual([true, false]);

    const mounts: readonly { readonly name: string; readonly mountPath: string }[] = container.volumeMounts;
    const [command, ...flags] = container.args as readonly string[];
    const files = flags.flatMap((flag) => flag.match(/^--(?:groups|cert|key|client-ca)=(.*)$/)?.[1] ?? []);
    const variables: readonly { readonly name: string; readonly value: string }[] = container.env;
    const token = variables.find(({ name }) => name === "FLEETKEEPER_TOKEN_FILE")?.value ?? "";
    expect(files).toHaveLength(4);
    for (const file of [...files, token])
      expect(mounts.filter(({ mountPath }) => dirname(file) === mountPath)).toHaveLength(1);
    expect(pod.volumes.map(({ secret, configMap }: Named) => secret ?? configMap)).toEqual([
      { name: "fleetkeeper-autoscaler" },
      { secretName: "fleetkeeper-autoscaler-token", defaultMode: 0o440 },
      { secretName: "fleetkeeper-autoscaler-tls", defaultMode: 0o440 },
    ]);

    // The program itself takes these flags, and the file of groups.
    const folder = mounted(named("ConfigMap", "fleetkeeper-autoscaler").data, 0o644);
    const args = [command ?? "", ...flags.map((flag) => flag.replace("/etc/fleetkeeper", folder))];
    const env = { ...process.env, FLEETKEEPER_AGENT: "http://127.0.0.1:9", FLEETKEEPER_TOKEN: "t" };
    expect(run(process.execPath, ["--no-warnings", "agent/cli/entry.ts", ...args], { env })).toMatchObject({
      ...{ code: 1, said: expect.stringContaining("The agent at http://127.0.0.1:9 cannot be reached") },
    });
  });

  it("has an autoscaler give its token to no agent without TLS", () => {
    const agents = ["", "http://fleetkeeper:9470"];
    for (const agent of agents)
      expect(() => render({ autoscaler: { enabled: true, agent } })).toThrow(/agent/);
  });
});

/** As Kubernetes reads them: with octal numbers. */
function partsOf(manifests: string) {
  const documents = parseAllDocuments(manifests, { version: "1.1" }).map((each) => each.toJS());
  const deployment = documents.find(({ kind }) => kind === "Deployment");
  return { documents, deployment, container: deployment.spec.template.spec.containers[0] };
}

type Named = Readonly<Record<string, unknown>> & { readonly name: string };

function volumeOf({ spec }: ReturnType<typeof partsOf>["deployment"], wanted: string) {
  return spec.template.spec.volumes.find(({ name }: Named) => name === wanted);
}

function mountOf({ volumeMounts }: ReturnType<typeof partsOf>["container"], wanted: string) {
  return volumeMounts.find(({ name }: Named) => name === wanted);
}

/** A folder as a kubelet lays it: the files are in a folder of their own, and names lead to them. */
function mounted(data: Readonly<Record<string, string>>, mode: number): string {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-mounted-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "..2026_01_01"));
  symlinkSync("..2026_01_01", join(folder, "..data"));
  for (const [name, content] of Object.entries(data)) {
    writeFileSync(join(folder, "..2026_01_01", name), content, { mode });
    symlinkSync(join("..data", name), join(folder, name));
  }
  return folder;
}

describe("the manifests", () => {
  const { deployment, container } = partsOf(read(MANIFESTS));
  const pod = deployment.spec.template.spec;

  it("start a new agent before an old one ends, and ask it what a standby can answer", () => {
    expect(deployment.spec.replicas).toBe(2);
    expect(deployment.spec.strategy.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    expect(container.readinessProbe.httpGet.path).toBe("/readyz");
    for (const probe of [container.livenessProbe, container.startupProbe])
      expect(probe.httpGet.path).toBe("/healthz");
  });

  it("give the agent no right that it does not need", () => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    for (const { name, readOnly, subPath } of container.volumeMounts) {
      expect(readOnly).toBe(name === "tmp" ? undefined : true);
      expect(subPath).toBeUndefined();
    }
    expect(volumeOf(deployment, "tmp").emptyDir).toBeDefined();
  });

  it("have a folder for programs that whoever uses no Helm fills", () => {
    expect(volumeOf(deployment, "commands").configMap).toEqual({
      ...{ name: "fleetkeeper-commands", defaultMode: 0o555, optional: true },
    });
  });

  it("give credentials as files, and in no variable", () => {
    for (const { name, value } of container.env)
      if (/KEY|TOKEN|LEDGER|PASSWORD/.test(name)) {
        expect(name).toMatch(/_FILE$/);
        expect(value).toMatch(/^\/run\/secrets\//);
      }
  });
});
