import { FleetkeeperError } from "../service/contract/errors.ts";
import type { UnsoundRow } from "./rows.ts";

/** What must be so in every state that is stored: docs/how/assertions.md has them, with what each is for. @internal */
export const SOUND_RULES = [
  "lifecycle",
  "sentOnce",
  "baseline",
  "price",
  "certainty",
  "onlyOurs",
  "oneOpen",
  "oneMachine",
  "oneInSlot",
  "budget",
  "shares",
  "archive",
] as const;
export type SoundRule = (typeof SOUND_RULES)[number];

/** A decision would break a rule of money. It stores nothing, and ledger/halt.ts halts the account. */
export class Unsound extends FleetkeeperError {
  readonly rule: SoundRule;
  readonly what: string;

  constructor(rule: SoundRule, what: string) {
    super("UNSOUND", whyHalted({ rule, what }));
    this.rule = rule;
    this.what = what;
  }
}

export function unsound(rule: SoundRule, what: string): never {
  throw new Unsound(rule, what);
}

/** Why launches are halted, for people; undefined: nothing was refused since a person looked. */
export function unsoundText({ unsound: refused }: { readonly unsound?: UnsoundRow }): string | undefined {
  return refused && !refused.looked ? whyHalted(refused) : undefined;
}

function whyHalted({ rule, what }: Pick<UnsoundRow, "rule" | "what">): string {
  return (
    `${what}, against the rule ${rule} (docs/how/assertions.md). Nothing of this decision was stored, and nothing is launched in this ` +
    "account until somebody has looked. It is a mistake of fleetkeeper: please report it with what fleetkeeper ledger check says of " +
    "it. Then: fleetkeeper resume"
  );
}
