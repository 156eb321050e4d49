import type { Json } from "../../../../service/contract/service.ts";
import { askableRange } from "../../../fleet/size/ask-for-count.ts";
import { askedNow, asWhole } from "../../../fleet/size/asked-size.ts";
import { parseWish } from "../../../fleet/wish/wish.ts";
import { fleetOfMachine } from "../../../orders/order.ts";
import { gpusOf } from "../../../planning/count/machine-gpus.ts";
import type { Act } from "../pages/acts.ts";
import type { Basics } from "../pages/basics.ts";
import { type Content, type Html, html, options } from "../pages/html.ts";
import { adopters } from "../pages/offered.ts";
import type { Chosen } from "./asked.ts";

interface Inputs {
  /** As the order takes it. Undefined: not all of it is chosen. */
  input(chosen: Chosen, basics: Basics, target: string): Readonly<Record<string, Json>> | undefined;
  fields(chosen: Chosen, basics: Basics, target: string): Content;
}

const NONE: Inputs = { input: () => ({}), fields: () => "" };

const HOURS = [
  ["30m", "30 minutes"],
  ["1h", "1 hour"],
  ["2h", "2 hours"],
  ["4h", "4 hours"],
  ["8h", "8 hours"],
  ["1d", "1 day"],
  ["3d", "3 days"],
  ["7d", "7 days"],
] as const;
const DEFAULT_HOLD = "4h";

const INPUTS: Readonly<Record<string, Inputs>> = {
  ask: {
    input: ({ gpus, for: lasts, why }) =>
      gpus === undefined ? undefined : { gpus: wholeNumber(gpus), ...given({ for: lasts, why }) },
    fields: (chosen, { draft, context }, target) => {
      const fleet = draft.fleets.get(target);
      const range = fleet && askableRange(fleet);
      if (!fleet || range === undefined || typeof range === "string") return "";
      const { min, max } = range;
      const { allOrNothing } = parseWish(asWhole(fleet).wish);
      const value = chosen.gpus ?? String(askedNow(asWhole(fleet), context));
      const help = allOrNothing ? `${max}, or 0` : `${min} to ${max}`;
      return [
        field(
          "gpus",
          `GPUs (${help})`,
          html`<input id="gpus" name="gpus" type="number" inputmode="numeric" required min="${min}" max="${max}" step="${allOrNothing ? Math.max(1, max) : 1}" value="${value}">`,
        ),
        select("for", "For", [["", "until it is taken back"], ...HOURS], chosen.for ?? ""),
        whyField(chosen),
      ];
    },
  },
  hold: {
    input: ({ for: lasts = DEFAULT_HOLD, why }) => ({ for: lasts, ...given({ why }) }),
    fields: (chosen) => [
      select("for", "For", [...HOURS, ["30d", "30 days"]], chosen.for ?? DEFAULT_HOLD),
      whyField(chosen),
    ],
  },
  stop: {
    input: ({ shrink, now }) => ({ ...(shrink && { shrink: true }), ...(now && { now: true }) }),
    fields: (chosen, { draft }, target) => {
      const fleet = fleetOfMachine(draft, target);
      const wish = fleet === undefined ? undefined : draft.fleets.get(fleet)?.wish;
      if (fleet === undefined || wish === undefined) return "";
      return [
        tick(
          "shrink",
          chosen,
          html`${fleet} wants so many GPUs less from then on: none is rented in its place`,
        ),
        parseWish(wish).beforeStop && tick("now", chosen, "At once: nothing of beforeStop runs before it"),
      ];
    },
  },
  adopt: {
    input: ({ by, gpus }, basics, target) => {
      const [only, ...others] = adopters(basics, target);
      const adopter = by ?? (others.length === 0 ? only?.[0] : undefined);
      if (adopter === undefined) return undefined;
      const count = gpus ? { gpus: wholeNumber(gpus) } : {};
      const fleet = adopter.startsWith(FLEET)
        ? { fleet: adopter.slice(FLEET.length) }
        : { deployment: adopter };
      return { ...fleet, ...count };
    },
    fields: (chosen, basics, target) => {
      const row = basics.draft.deployments.ever(target);
      const isUnknown = row !== undefined && gpusOf(basics.draft, row) === 0;
      return [
        select("by", "Whose is it?", adopters(basics, target).slice(0, MOST_ADOPTERS), chosen.by ?? ""),
        isUnknown &&
          field(
            "gpus",
            "GPUs that it has: the service does not show them",
            html`<input id="gpus" name="gpus" type="number" inputmode="numeric" min="1" step="1" value="${chosen.gpus}">`,
          ),
      ];
    },
  },
};
const FLEET = "fleet:";
const MOST_ADOPTERS = 200;

/** What an order on a page asks a person for. */
export function inputsOf({ order }: Act): Inputs {
  return (order.about !== "account" && INPUTS[order.name]) || NONE;
}

/** No number stays what it is, and the order's own schema says what is wrong. */
function wholeNumber(text: string): number | string {
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}

/** Without what was left empty. */
function given(fields: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
}

function field(name: string, title: Content, control: Html): Html {
  return html`<p><label for="${name}">${title}</label>${control}</p>`;
}

function whyField({ why }: Chosen): Html {
  return html`<p class="broad"><label for="why">Why</label><input id="why" name="why" maxlength="200" autocomplete="off" value="${why}" aria-describedby="why-help"><span class="quiet" id="why-help">Stands beside it, for others. It may be left out.</span></p>`;
}

function tick(name: string, chosen: Chosen, title: Content): Html {
  return html`<p class="tick broad"><input type="checkbox" id="${name}" name="${name}" value="yes"${chosen[name] && html` checked`}><label for="${name}">${title}</label></p>`;
}

function select(name: string, title: string, ...choices: Parameters<typeof options>): Html {
  return field(name, title, html`<select id="${name}" name="${name}">${options(...choices)}</select>`);
}
