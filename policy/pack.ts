import { type PolicyConfigSchema, PolicyPack, type ResourceValidationPolicy } from "@pulumi/policy";
import { brokenBy, type Declared, type Kind, type Policy, saidBy } from "./rules.ts";

/*
 * The rules as a policy pack for Pulumi's engine: what a Fleet or a Deployment has to say before anything of it is rented. Each is
 * asked of the arguments that the component registers, in the classes and in the plugin alike.
 */

/** What a rule asks, as the configuration of the pack says it. */
interface Config {
  readonly most?: string;
  readonly names?: readonly string[];
  readonly values?: readonly string[];
}

const TYPE = /^fleetkeeper:index:(Fleet|Deployment)$/;

/** `asked`: a rule for each label that is demanded. */
function policyOf(
  rule: Policy["rule"],
  asked: (config: Config) => readonly Policy[],
  configSchema?: PolicyConfigSchema,
): ResourceValidationPolicy {
  return {
    name: rule,
    description: `Each fleetkeeper Fleet and Deployment ${saidBy(rule)}.`,
    enforcementLevel: "mandatory",
    ...(configSchema && { configSchema }),
    validateResource(args, report) {
      const kind = TYPE.exec(args.type)?.[1] as Kind | undefined;
      if (kind === undefined) return;
      for (const policy of asked(args.getConfig<Config>())) {
        const broken = brokenBy(policy, args.props as Declared, kind);
        if (broken) report(`${kind} ${args.name}: ${broken.key.join(".")}: ${broken.text}`);
      }
    },
  };
}

const texts = { type: "array", items: { type: "string" } } as const;

new PolicyPack("fleetkeeper", {
  policies: [
    policyOf("end", () => [{ rule: "end" }]),
    policyOf("price", ({ most }) => [{ rule: "price", most }], {
      properties: { most: { type: "string" } },
    }),
    policyOf(
      "label",
      ({ names = ["team"], values }) => names.map((name) => ({ rule: "label", name, values })),
      { properties: { names: texts, values: texts } },
    ),
    policyOf("floor", () => [{ rule: "floor" }]),
  ],
});
