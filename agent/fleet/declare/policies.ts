import { z } from "zod";
import type { Draft } from "../../../ledger/draft.ts";
import type { PolicyRow } from "../../../ledger/rows.ts";
import { brokenBy, type Declared, type Policy } from "../../../policy/rules.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import type { DocumentProblem } from "../../../service/document/document-problem.ts";
import { labelSchema, labelsSchema } from "../wish/labels-wish.ts";
import { usd, type Wish } from "../wish/wish.ts";

const rule = <R extends Policy["rule"]>(name: R) => z.literal(name);

/** `policy` of a fleet file: what each fleet has to say that is declared in its account. */
export const policySchema = z
  .array(
    z.discriminatedUnion("rule", [
      z.strictObject({ rule: rule("end").describe("until, work or budget.total") }),
      z.strictObject({
        rule: rule("price").describe("a price ceiling"),
        most: usd.optional().describe("of one GPU and hour"),
      }),
      z.strictObject({
        rule: rule("label").describe("a label"),
        name: z
          .string()
          .refine((name) => labelsSchema.safeParse({ [name]: "x" }).success, "expected the name of a label"),
        values: z.array(labelSchema).nonempty().optional().describe("one of these"),
      }),
      z.strictObject({ rule: rule("floor").describe("no budget.floor of 0") }),
    ]),
  )
  .max(50, "expected at most 50")
  .default([])
  .describe("what each fleet has to say that is declared in its account; what runs is never stopped by it");

/** Of the fleets of the file itself. */
export function policyProblems(
  policies: readonly Policy[],
  fleets: readonly (Declared & { readonly name: string })[],
): readonly DocumentProblem[] {
  return fleets.flatMap((fleet, index) =>
    policies.flatMap((policy) => {
      const broken = brokenBy(policy, fleet, "Fleet");
      if (!broken) return [];
      // A key that is not there has no line.
      const isThere = valueAt(fleet, broken.key) !== undefined;
      const message = `${fleet.name} breaks the policy: ${isThere ? "" : `${broken.key.join(".")}: `}${broken.text}`;
      return [{ path: ["fleets", index, ...(isThere ? broken.key : [])], message }];
    }),
  );
}

function valueAt(value: unknown, key: readonly string[]): unknown {
  return key.reduce((at, name) => (at as Readonly<Record<string, unknown>> | undefined)?.[name], value);
}

/** Stores what one source demands, in the place of what it demanded before. */
export function declarePolicies(
  draft: Draft,
  source: string,
  policies: readonly Policy[],
  isGone: (source: string) => boolean,
): void {
  const { policies: before = [], ...account } = draft.account;
  const others = before.filter((each) => each.source !== source && !isGone(each.source));
  const now: readonly PolicyRow[] = [...others, ...policies.map((policy) => ({ source, policy }))];
  if (JSON.stringify(before) !== JSON.stringify(now))
    draft.putAccount({ ...account, ...(now.length > 0 && { policies: now }) });
}

/** Throws CONFIG for what another source's policy forbids. A file is held by its own when it is read. */
export function refuseByPolicy(draft: Draft, name: string, source: string, wish: Wish): void {
  for (const { policy, source: by } of draft.account.policies ?? []) {
    const broken = by === source ? undefined : brokenBy(policy, wish, "Fleet");
    if (broken)
      throw new FleetkeeperError(
        "CONFIG",
        `fleet ${name}: ${broken.key.join(".")}: ${broken.text}. The policy stands in ${by}.`,
      );
  }
}
