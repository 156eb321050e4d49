import type { EventKind } from "../../ledger/event-kind.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";
import { deploymentAsFound } from "../support/as-found.ts";
import type { Scene } from "./scene.ts";

/** Each would mark the page, or the document's title, if it ever ran. */
export const HOSTILE: readonly string[] = [
  `<script>document.title="owned"</script>`,
  `"><img src=x onerror="document.title='owned'">`,
  `'><svg onload=document.title='owned'>`,
  `</title></p></main><style>*{display:none}</style>`,
  `javascript:document.title='owned'`,
  "\u001b[2J\u0000\u202e\u2066 turned \u2028 around",
  "&lt;script&gt;",
];
const HUGE = "M".repeat(10_000_000);

/** A ledger into which a hostile service has written whatever it likes, wherever it can. */
export async function befoul(on: Scene): Promise<void> {
  await on.ledger.decide(on.keeper.account, (draft) => {
    const now = on.keeper.clock.now();
    const rows = [...draft.deployments.values()];
    const ended = rows.find(({ end }) => end === "failed") as DeploymentRow;
    const alive = rows.find(({ end, owner }) => end === null && owner !== null) as DeploymentRow;
    // Megabytes once: each field of it is read again at every look at the ledger.
    deploymentAsFound(draft, {
      ...ended,
      id: HUGE.slice(0, 1_000_000),
      sequence: 499,
      failureReason: HUGE,
      ended: now,
    });
    for (const [index, text] of HOSTILE.entries()) {
      const everywhere = {
        sequence: 500 + index,
        status: text,
        offer: text,
        provider: text,
        location: text,
        failureCode: text,
        failureReason: text,
        suggestedAction: text,
        stopReason: text,
      };
      deploymentAsFound(draft, { ...ended, ...everywhere, id: `${index}${text}`, ended: now });
      deploymentAsFound(draft, {
        ...ended,
        ...everywhere,
        id: `i${index}${text}`,
        ended: now,
        end: "interrupted",
      });
      deploymentAsFound(draft, { ...alive, ...everywhere, id: `a${index}${text}`, sequence: 600 + index });
      deploymentAsFound(draft, {
        ...alive,
        ...everywhere,
        id: `u${index}${text}`,
        sequence: 700 + index,
        claim: null,
        owner: null,
      });
      draft.putCooldown({ offer: text, provider: text, location: `${index}`, since: now, seconds: 500 });
      draft.note({ at: now.wall, kind: text as EventKind, owner: `fleet:${text}`, deployment: text, text });
    }
    const all = HOSTILE.join(" ");
    for (const fleet of draft.fleets.values()) draft.putFleet({ ...fleet, reasons: [...HOSTILE, HUGE] });
    const halted = { reason: all, id: all };
    draft.putAccount({
      ...draft.account,
      email: all,
      profiles: { [on.keeper.service.profileHash]: { proven: false, shown: [], ends: [], halted } },
    });
  });
}
