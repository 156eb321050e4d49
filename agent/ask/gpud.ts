import { z } from "zod";
import { jsonOr } from "../../service/text/json.ts";
import type { Answer } from "../fleet/wish/machine-question.ts";

/*
 * gpud watches the hardware of a machine, and serves GET /v1/states: its components, each with states. A state says
 * how well it is, and what gpud would do about it. Its certificate is one that it made itself.
 */
const stateSchema = z.object({
  health: z.string().optional(),
  reason: z.string().optional(),
  suggested_actions: z.object({ repair_actions: z.array(z.string()).nullish() }).nullish(),
});
const statesSchema = z.array(z.object({ component: z.string(), states: z.array(stateSchema).nullish() }));

/** What gpud suggests of a machine that is to be given away. The other actions are about the user's program, or nothing. */
const FATAL: readonly string[] = ["REBOOT_SYSTEM", "HARDWARE_INSPECTION"];

/** `Initializing` and words of another version say nothing. `Degraded`: by gpud, it does not affect what runs. */
const KNOWN: readonly string[] = ["Healthy", "Degraded", "Unhealthy"];

/** What gpud says of a machine. Unknown: it does not answer, answers something else, or watches no GPU there. */
export async function askGpud(answer: Promise<string>): Promise<Answer> {
  const text = await answer.catch((error: Error) => error);
  if (text instanceof Error) return { kind: "unknown", why: `gpud: ${text.message}` };
  const states = statesOf(text);
  if (!states) return { kind: "unknown", why: "gpud: its answer is not what GET /v1/states gives" };
  const sick = states.find(({ health, actions }) => health === "Unhealthy" && actions.length > 0);
  if (sick)
    return { kind: "bad", why: `gpud: ${sick.component}: ${sick.reason} (${sick.actions.join(", ")})` };
  const isWatched = states.some(
    ({ component, health }) => component.startsWith("accelerator-") && KNOWN.includes(health),
  );
  return isWatched ? { kind: "good" } : { kind: "unknown", why: "gpud: it shows the state of no GPU" };
}

interface State {
  readonly component: string;
  readonly health: string;
  readonly reason: string;
  /** Those of them that are fatal. */
  readonly actions: readonly string[];
}

function statesOf(text: string): readonly State[] | undefined {
  return statesSchema.safeParse(jsonOr(text)).data?.flatMap(({ component, states }) =>
    (states ?? []).map(({ health = "", reason = "it gives no reason", suggested_actions: suggested }) => ({
      ...{ component, health, reason },
      actions: (suggested?.repair_actions ?? []).filter((action) => FATAL.includes(action)),
    })),
  );
}
