import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import packageJson from "../../package.json" with { type: "json" };
import type { Declaration } from "./declarations.ts";
import { commentOf, declarations } from "./declarations.ts";
import { addressesOf, goModule, type Manifest } from "./published.ts";
import type { TypeSpec } from "./types.ts";
import { Types, textOr, token } from "./types.ts";

/** The plugin's answers to functions of the classes: what a list becomes a property of. */
const FUNCTIONS = {
  getAccount: { result: "AccountResult" },
  getBalance: { result: "BalanceResult" },
  getOffers: { list: "offers", of: "OfferResult" },
  getDeployment: { result: "DeploymentResult", input: "id" },
  getDeployments: { list: "deployments", of: "DeploymentResult" },
} as const;

/** An option of Pulumi's own, `customTimeouts`, does this in every language. */
const LEFT_OUT = ["timeouts"];

/** The schema of the plugin, from the interfaces and comments that TypeScript programs have. */
export function pluginSchema(manifest: Manifest = packageJson): Readonly<Record<string, unknown>> {
  const declared = declarations();
  const types = new Types(declared);
  const config = settings(declared, types);
  const resources = {
    [token("Deployment")]: {
      ...component(declared, types, "Deployment", IMPORT),
      // Machines that nobody has: `pulumi do fleetkeeper:index:Deployment list`.
      listInputs: { type: "object" },
    },
    [token("Fleet")]: component(declared, types, "Fleet"),
  };
  const functions = Object.fromEntries(
    Object.entries(FUNCTIONS).map(([name, what]) => [token(name), fn(declared, types, name, what)]),
  );
  return {
    name: "fleetkeeper",
    displayName: "fleetkeeper",
    description:
      "fleetkeeper rents GPU machines from a GPU deployment service and keeps them running: the GPUs you asked for, and nothing you " +
      "did not ask to pay for.",
    keywords: ["pulumi", "fleetkeeper", "gpu", "category/cloud", "kind/component"],
    license: "Apache-2.0",
    ...addressesOf(manifest),
    // The packages' version is the plugin's.
    language: {
      go: { importBasePath: `${goModule()}/fleetkeeper`, respectSchemaVersion: true },
      // `pip install` without running a setup.py.
      python: { pyproject: { enabled: true }, respectSchemaVersion: true },
    },
    config: { variables: config },
    provider: {
      description: "One account of one GPU deployment service. What is not set comes from the environment.",
      inputProperties: config,
      // An SDK leaves out what a provider gives back by two types.
      properties: {
        ...config,
        account: { $ref: `#/types/${token("AccountTenure")}`, description: config.account?.description },
      },
    },
    types: sorted(types.named),
    resources,
    functions,
  };
}

/** The settings `fleetkeeper:KEY`. The key and a token are secrets; a ledger's URL is marked when it is checked. */
function settings(declared: ReadonlyMap<string, Declaration>, types: Types): Record<string, TypeSpec> {
  const { properties } = types.properties(membersOf(declared, "Configuration"), "Configuration", [
    ...["account", "accountBy"],
  ]);
  const { agent, token: ofAgent } = types.properties(membersOf(declared, "ByAgent"), "ByAgent").properties;
  const account = { type: "string", enum: [{ value: "exclusive" }, { value: "shared" }] };
  types.named[token("AccountTenure")] = account;
  const [described] = membersOf(declared, "Configuration").filter(
    (each) => each.name?.getText() === "account",
  );
  return {
    ...properties,
    apiKey: {
      ...properties.apiKey,
      secret: true,
      description:
        "The credential. The profile says where it goes on the wire. The state of a provider has it encrypted; " +
        "FLEETKEEPER_API_KEY in the environment leaves it out of the state.",
    },
    account: {
      ...textOr("AccountTenure"),
      description: described && commentOf(described),
    },
    agent,
    token: { ...ofAgent, secret: true },
    labels: {
      type: "object",
      additionalProperties: { type: "string" },
      description: "Labels of each `Fleet` and `Deployment`, which may say another value of a name.",
    },
  } as Record<string, TypeSpec>;
}

/** As Pulumi's registry shows it, below a heading of its own. */
const IMPORT =
  "A machine that runs already is taken with the argument `adopt`: its id. `pulumi import` takes it by a file, which the error of " +
  "`pulumi import fleetkeeper:index:Deployment NAME ID` writes out. `pulumi do fleetkeeper:index:Deployment list` lists machines " +
  "that nobody has.";

/** Examples in the form that Pulumi's generators know: each language is shown its own. */
function examplesOf(name: string): string {
  const file = path.join(import.meta.dirname, "examples", `${name.toLowerCase()}.md`);
  const text = readFileSync(file, "utf8").trim();
  return `{{% examples %}}\n## Example Usage\n{{% example %}}\n${text}\n{{% /example %}}\n{{% /examples %}}`;
}

function component(
  declared: ReadonlyMap<string, Declaration>,
  types: Types,
  name: string,
  importing?: string,
): TypeSpec {
  const inputs = types.properties(membersOf(declared, `${name}Args`), name, LEFT_OUT);
  const outputs = types.properties(membersOf(declared, name), name);
  const texts = [commentOf(declared.get(name) as ts.Node), examplesOf(name)];
  return {
    description: [...texts, ...(importing === undefined ? [] : [`## Import\n\n${importing}`])].join("\n\n"),
    isComponent: true,
    inputProperties: inputs.properties,
    requiredInputs: inputs.required,
    properties: outputs.properties,
    required: outputs.required,
  };
}

function fn(
  declared: ReadonlyMap<string, Declaration>,
  types: Types,
  name: string,
  what: (typeof FUNCTIONS)[keyof typeof FUNCTIONS],
): TypeSpec {
  const outputs =
    "list" in what
      ? {
          properties: { [what.list]: { type: "array", items: types.of(reference(what.of), name) } },
          required: [what.list],
        }
      : types.properties(membersOf(declared, what.result), what.result);
  const input =
    "input" in what ? { properties: { [what.input]: { type: "string" } }, required: [what.input] } : {};
  return {
    description: commentOf(declared.get(name) as ts.Node),
    inputs: { type: "object", ...input },
    outputs: { type: "object", ...outputs },
  };
}

/** A type node with a text of its own: the tree of a one-line file. */
function reference(name: string): ts.TypeNode {
  const source = ts.createSourceFile("type.ts", `type T = ${name};`, ts.ScriptTarget.Latest, true);
  return (source.statements[0] as ts.TypeAliasDeclaration).type;
}

function membersOf(
  declared: ReadonlyMap<string, Declaration>,
  name: string,
): ts.NodeArray<ts.TypeElement | ts.ClassElement> {
  const found = declared.get(name);
  if (found && (ts.isInterfaceDeclaration(found) || ts.isClassDeclaration(found)))
    return found.members as ts.NodeArray<ts.TypeElement | ts.ClassElement>;
  throw new Error(`no interface or class ${name}`);
}

function sorted(named: Readonly<Record<string, TypeSpec>>): Readonly<Record<string, TypeSpec>> {
  return Object.fromEntries(Object.entries(named).sort(([one], [other]) => (one < other ? -1 : 1)));
}
