import { z } from "zod";
import { resume } from "../../launch/people/operator.ts";
import { stopEverything } from "../status/emergency-stop.ts";
import { putAway } from "../status/seen.ts";
import { type Order, order } from "./order.ts";

/** So many ids are in an answer, which stands in the account's row if it has a key. */
const MOST_NAMED = 50;
const nothing = z.strictObject({});

/** What may be ordered about the whole account. */
export const ACCOUNT_ORDERS: readonly Order[] = [
  order({
    name: "resume",
    about: "account",
    needs: "operate",
    says: "Lets launches go on that a refused decision, a profile, what vanished or came back, or a refusal that made a machine had halted.",
    input: nothing,
    give: (draft, _account, _, context) => ({ ...resume(draft, context) }),
  }),
  order({
    name: "seen",
    about: "account",
    needs: "operate",
    says: "Puts away all failed launches that are for the service's support. They stay in the history.",
    input: nothing,
    give: (draft, _account, _, context) => ({
      seen: putAway(draft, undefined, context).slice(0, MOST_NAMED),
    }),
  }),
  order({
    name: "stop",
    about: "account",
    needs: "admin",
    says:
      "Stops every machine that certainly is ours, and drains every fleet until a person resumes it. " +
      "No Pulumi Deployment launches before its next update.",
    input: nothing,
    goesOn: true,
    give: (draft, _account, _, context) => {
      // Counts: the answer to an order with a key stands in the account's row.
      const { machines, launches, doubtful } = stopEverything(draft, context);
      return { machines: machines.length, launches: launches.length, doubtful: doubtful.length };
    },
  }),
];
