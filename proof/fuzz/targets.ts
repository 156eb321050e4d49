import { answerTarget } from "./answers.ts";
import { apiTarget } from "./api.ts";
import { documentTargets } from "./documents.ts";
import { ledgerTarget } from "./ledger-files.ts";
import { outsideTarget } from "./outside.ts";
import { receiverTarget } from "./receivers.ts";
import type { Target } from "./target.ts";
import { worldTarget } from "./worlds.ts";

export const TARGETS: readonly Target[] = [
  ...documentTargets,
  ...[answerTarget, worldTarget, outsideTarget, receiverTarget, ledgerTarget, apiTarget],
];
