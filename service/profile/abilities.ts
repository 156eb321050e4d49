import { type Billing, UNITS_MS } from "../contract/billing.ts";
import { USD } from "../contract/money.ts";
import type { Abilities } from "../contract/service.ts";
import { milliseconds } from "../text/duration.ts";
import { callOf, placeholdersInCall } from "./calls.ts";
import { detailsIn } from "./connection.ts";
import { isConstant } from "./place.ts";
import type { WireProfile } from "./profile.ts";

/** Why no balance is read, where the profile says that none is shown. */
export const NO_BALANCE = "the profile says that the service shows no balance (balance: { none: true })";

/**
 * Whether an error that answers a launch surely made no machine. Where nothing is said of it and no marker could show
 * such a machine to be ours, a profile 2 is not sure.
 */
export function refusalsOf(profile: WireProfile): "certain" | "uncertain" {
  const isShown = profile.profile === 1 || abilitiesOf(profile).marker;
  return profile.launch?.refusals ?? (isShown ? "certain" : "uncertain");
}

/** The names in the {offer.NAME} or {parameters.NAME} of a launch. */
function namesIn(profile: WireProfile, part: "offer" | "parameters"): readonly string[] {
  if (profile.launch === undefined) return [];
  return placeholdersInCall(callOf(profile, "launch")).flatMap((name) =>
    name.startsWith(`${part}.`) ? [name.slice(part.length + 1)] : [],
  );
}

/** What a profile makes possible. */
export function abilitiesOf(profile: WireProfile): Abilities {
  const { launch, deployments, offers, balance, limits, currency, billing } = profile;
  const fields = deployments?.fields ?? {};
  const where = (["offer", "provider", "location"] as const).map((name) => [name, fields[name]] as const);
  const constants = where.flatMap(([name, place]) => (isConstant(place) ? [name] : []));
  const extra = namesIn(profile, "offer");
  const parameters = namesIn(profile, "parameters");
  return Object.freeze({
    marker:
      fields.marker !== undefined &&
      launch !== undefined &&
      placeholdersInCall(callOf(profile, "launch")).includes("marker"),
    // What is the same for all machines cannot tell them apart: at least one part must not be a constant.
    combination: where.every(([, place]) => place !== undefined) && constants.length < where.length,
    constants,
    launch: launch !== undefined,
    stop: callOf(profile, "stop") !== undefined,
    get: deployments?.get !== undefined,
    offers: offers !== undefined,
    offerPrice: [offers?.fields.pricePerHour, offers?.fields.pricePerGpuHour].some(
      (each) => each !== undefined,
    ),
    ...(extra.length > 0 ? { extra } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(balance && "none" in balance ? { balance: false } : {}),
    ...(limits?.launchEvery === undefined ? {} : { launchEvery: milliseconds(limits.launchEvery) }),
    ...(deployments?.get?.missing ? { missing: true } : {}),
    ...(deployments?.ended ? { endedUnlisted: true } : {}),
    ...(launch?.mayVanish ? { mayVanish: milliseconds(launch.mayVanish) } : {}),
    ...(currency === undefined || currency === USD ? {} : { currency }),
    ...(billing && { billing: billingIn(billing) }),
    details: detailsIn(fields.connection ?? {}),
  });
}

/** Without a minimum a machine costs the time that has begun. */
function billingIn({ by, minimum, reserved }: NonNullable<WireProfile["billing"]>): Billing {
  const unit = UNITS_MS[by];
  const ms = (duration: string | undefined, otherwise: number): number =>
    duration === undefined ? otherwise : milliseconds(duration);
  return { unit, minimum: ms(minimum, unit), reserved: ms(reserved, 0) };
}
