import Big from "big.js";
import { ENVIRONMENT } from "../../../launch/configuration.ts";
import { parseUsd, usdText, ZERO_USD } from "../../../service/money.ts";
import type { Deployment } from "../../../service/service.ts";
import type { DoctorInput } from "../doctor-input.ts";
import type { Seen, SeenRest } from "../look.ts";
import type { Check } from "../report.ts";
import { authRemedy } from "./configuration.ts";

/** Whether the service can be reached and read, whose account it is, its balance and its clock. */
export function serviceChecks(input: DoctorInput): readonly Check[] {
  const { seen } = input;
  if (seen === undefined) {
    return [skipped("The service was not asked: the configuration above comes first.")];
  }
  const checks = [accountCheck(input, seen), ...clockCheck(seen)];
  if (seen.rest === undefined) {
    return [
      ...checks,
      skipped("Nothing else was asked of the service, since it would fail in the same way."),
    ];
  }
  return [...checks, balanceCheck(seen.rest, seen)];
}

function skipped(says: string): Check {
  return { id: "service", section: "service", level: "skipped", says };
}

function accountCheck(
  { loaded, redact, configuration }: DoctorInput,
  { account, accountAnswer }: Seen,
): Check {
  const base = { id: "account", section: "service" } as const;
  if (account.error === undefined) {
    const { id, email, display_name } = account.value;
    const name = redact.text(display_name, 60);
    const whose = `${redact.text(email, 80)}${name === "" || display_name === email ? "" : ` (${name})`}`;
    return { ...base, level: "ok", says: `The account can be read: ${whose}, ${id}.` };
  }
  const { error } = account;
  if (error.code === "UNREACHABLE") {
    const text =
      "Check the base URL, and whether this machine can reach it (name, network, proxy, certificate)";
    return { ...base, level: "problem", says: error.message, remedy: { text } };
  }
  if (error.code !== "CREDENTIAL") return { ...base, level: "problem", says: error.message };
  const wants = accountAnswer?.headers["www-authenticate"];
  const hint = wants === undefined ? "" : ` It asks for: ${redact.text(wants, 120)}.`;
  const { auth } = loaded.profile;
  if (auth === undefined) {
    const scheme = /^\s*([A-Za-z][\w-]*)/.exec(wants ?? "")?.[1];
    const isPlain = scheme !== undefined && /^(bearer|token|apikey)$/i.test(scheme);
    const lines = ["header: Authorization", `value: "${scheme} {secret}"`];
    return {
      ...base,
      level: "problem",
      configuration: true,
      says: `The service wants a credential (it answered ${error.status ?? 401}).${hint}`,
      remedy: isPlain ? { ...authRemedy(loaded, lines), proposed: true } : authRemedy(loaded),
    };
  }
  return {
    ...base,
    level: "problem",
    configuration: true,
    says: `${error.message}${hint}`,
    remedy: {
      text:
        `Check that the key in ${ENVIRONMENT.apiKey} is one of this service (${configuration.baseUrl}) and still valid, and that ` +
        `the profile sends it as the service wants it: now it goes into the header ${auth.header}`,
      at: loaded.locate(["auth"]),
    },
  };
}

/** In seconds. A Date header has whole seconds only, and the answer took a while to arrive. */
const SKEW_THAT_MATTERS_S = 5;

function clockCheck({ accountAnswer }: Seen): readonly Check[] {
  const base = { id: "clock", section: "service" } as const;
  const date = accountAnswer?.headers.date;
  const theirs = date === undefined ? Number.NaN : Date.parse(date);
  if (accountAnswer === undefined || Number.isNaN(theirs)) return [];
  const seconds = Math.round((accountAnswer.at - theirs) / 1000);
  const ahead = `${Math.abs(seconds)} s ${seconds > 0 ? "ahead of" : "behind"} the service's`;
  if (Math.abs(seconds) <= SKEW_THAT_MATTERS_S) {
    return [{ ...base, level: "ok", says: "This machine's clock agrees with the service's." }];
  }
  return [
    {
      ...base,
      level: "warning",
      says:
        `This machine's clock is ${ahead}. Waits and settle times do not depend on it, but the times in history and ` +
        "status do not match those of the service's dashboard.",
      remedy: { text: "Let the clock be set by NTP" },
    },
  ];
}

function balanceCheck({ balance, deployments }: SeenRest, { service }: Seen): Check {
  const base = { id: "balance", section: "service" } as const;
  if (balance.error !== undefined) {
    return { ...base, level: "problem", says: balance.error.message };
  }
  const amount = parseUsd(balance.value.balance) ?? ZERO_USD;
  const says = `The balance is ${usdText(balance.value.balance)} USD`;
  if (amount.lte(0)) {
    return {
      ...base,
      level: "problem",
      says: `${says}: no first hour can be reserved from it, so every launch would be refused.`,
      remedy: { text: "Add credits in the service's dashboard: there is no API for that" },
    };
  }
  const burn = burnRate((deployments?.value ?? []).filter(({ status }) => !service.isTerminal(status)));
  if (burn === undefined || burn.lte(0)) return { ...base, level: "ok", says: `${says}.` };
  const hours = Number(amount.div(burn));
  const runway = `${says}; what is active now costs ${usdText(burn)} USD an hour, so it lasts for ${hours.toFixed(1)} h.`;
  return { ...base, level: hours < 24 ? "warning" : "ok", says: runway };
}

/** USD an hour of the active machines; undefined if one price is not known. */
function burnRate(active: readonly Deployment[]): Big | undefined {
  let sum = new Big(0);
  for (const { pricePerHour } of active) {
    const price = pricePerHour === undefined ? undefined : parseUsd(pricePerHour);
    if (price === undefined) return undefined;
    sum = sum.plus(price);
  }
  return sum;
}
