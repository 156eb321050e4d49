import { z } from "zod";
import { accountSchema, balanceSchema } from "../../service/contract/contract.ts";
import { declaredSchema } from "./answers.ts";
import { deploymentShownSchema, deploymentsSchema, hostsSchema } from "./deployments.ts";
import { doctorSchema } from "./doctor.ts";
import { historySchema } from "./history.ts";
import { offersSchema } from "./offers.ts";
import { currency } from "./parts.ts";
import { placesSchema } from "./places.ts";
import { plansSchema } from "./plan.ts";
import { servicesSchema } from "./services.ts";
import { spendSchema } from "./spend.ts";
import { statusSchema } from "./status.ts";
import { whatifSchema } from "./whatif.ts";

const balance = balanceSchema.extend({ currency });

/**
 * What programs read, by command: whatever `--json` prints. `fleetkeeper schema` prints these, the types of what is
 * printed are inferred from them, and every run of a command in the tests is held to them. A field is added with a
 * line in CHANGELOG.md, and none is renamed or removed without a major version.
 */
export const JSON_SCHEMAS = {
  status: statusSchema,
  plan: plansSchema,
  declare: declaredSchema.extend({
    fleets: plansSchema.shape.fleets.optional().describe("of --dry-run: the plans after it"),
  }),
  offers: offersSchema,
  deployments: deploymentsSchema,
  deployment: deploymentShownSchema,
  hosts: hostsSchema,
  spend: spendSchema,
  places: placesSchema,
  whatif: whatifSchema,
  history: historySchema,
  account: accountSchema.extend(balance.shape),
  balance,
  doctor: doctorSchema,
  services: servicesSchema,
} as const;

/** It allows fields that it does not name: a later version may print more. */
export function jsonSchemaOf(name: keyof typeof JSON_SCHEMAS): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(JSON_SCHEMAS[name], { io: "input" });
}
