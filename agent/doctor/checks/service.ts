import { ENVIRONMENT } from "../../../account/configuration.ts";
import { amountText, parseUsd, ZERO_USD } from "../../../service/contract/money.ts";
import { carrierOf } from "../../../service/http/credential.ts";
import { schemeLines, wantedCredential } from "../../propose/shape/credential.ts";
import type { DoctorInput } from "../doctor-input.ts";
import { proposed } from "../remedy.ts";
import { type Check, finding } from "../report.ts";
import type { Seen, SeenRest } from "../survey.ts";
import { authRemedy } from "./configuration.ts";
import { costOf } from "./fleet-words.ts";

/** Whether the service can be reached and read, whose account it is, its balance and its clock. */
export function serviceChecks(input: DoctorInput): readonly Check[] {
  const { seen } = input;
  const { skipped } = finding("service", "service");
  if (seen === undefined) return [skipped("The service was not asked: the configuration above comes first.")];
  const rest =
    seen.rest === undefined
      ? skipped("Nothing else was asked of the service, since it would fail in the same way.")
      : balanceCheck(seen.rest, seen);
  return [accountCheck(input, seen), ...clockCheck(seen), rest];
}

function accountCheck(
  { loaded, redact, configuration }: DoctorInput,
  { account, accountAnswer, failedByTls }: Seen,
): Check {
  const check = finding("service", "account");
  const { error } = account;
  if (error === undefined) {
    const { id, email, display_name } = account.value;
    if (loaded.profile.account && "none" in loaded.profile.account)
      return check.ok(
        `No call shows the account: it is known by its address and a digest of the key, ${id}. Whether the key is right shows below.`,
      );
    const name = redact.text(display_name, 60);
    const whose = `${redact.text(email, 80)}${name === "" || display_name === email ? "" : ` (${name})`}`;
    return check.ok(`The account can be read: ${whose}, ${id}.`);
  }
  if (error.code === "UNREACHABLE" && !failedByTls) {
    const text =
      "Check the base URL, and whether this machine can reach it (name, network, proxy, certificate)";
    return check.problem(error.message, { text });
  }
  if (error.code !== "CREDENTIAL") return check.problem(error.message);
  const wants = accountAnswer && wantedCredential(accountAnswer.headers);
  const hint = wants === undefined ? "" : ` It asks for: ${redact.text(wants.text, 120)}.`;
  const wrong = { configuration: true } as const;
  const { auth } = loaded.profile;
  if (auth === undefined) {
    const lines = schemeLines(wants?.scheme);
    const remedy = lines ? proposed(authRemedy(loaded, lines)) : authRemedy(loaded);
    return check.problem(
      `The service wants a credential (it answered ${error.status ?? 401}).${hint}`,
      remedy,
      wrong,
    );
  }
  const text =
    `Check that the key in ${ENVIRONMENT.apiKey} is one of this service (${configuration.baseUrl}) and still valid, and that ` +
    `the profile sends it as the service wants it: now it goes into ${carrierOf(auth)}`;
  return check.problem(`${error.message}${hint}`, { text, at: loaded.locate(["auth"]) }, wrong);
}

/** In seconds. A Date header has whole seconds only, and the answer took a while to arrive. */
const SKEW_THAT_MATTERS_S = 5;

function clockCheck({ accountAnswer }: Seen): readonly Check[] {
  const check = finding("service", "clock");
  const date = accountAnswer?.headers.date;
  const theirs = date === undefined ? Number.NaN : Date.parse(date);
  if (accountAnswer === undefined || Number.isNaN(theirs)) return [];
  const seconds = Math.round((accountAnswer.at - theirs) / 1000);
  if (Math.abs(seconds) <= SKEW_THAT_MATTERS_S)
    return [check.ok("This machine's clock agrees with the service's.")];
  const ahead = `${Math.abs(seconds)} s ${seconds > 0 ? "ahead of" : "behind"} the service's`;
  const says =
    `This machine's clock is ${ahead}. Waits and settle times do not depend on it, but the times in history and ` +
    "status do not match those of the service's dashboard.";
  return [check.warning(says, { text: "Let the clock be set by NTP" })];
}

function balanceCheck({ balance, deployments }: SeenRest, { service }: Seen): Check {
  const check = finding("service", "balance");
  if (service.abilities.balance === false)
    return check.ok(
      "By the profile the service shows no balance: how long it lasts is not known, and a budget has no floor.",
    );
  if (balance.error !== undefined) return check.problem(balance.error.message);
  const amount = parseUsd(balance.value.balance) ?? ZERO_USD;
  const says = `The balance is ${amountText(balance.value.balance, service.abilities.currency)}`;
  if (amount.lte(0)) {
    const text = "Add credits in the service's dashboard: there is no API for that";
    const none = "no first hour can be reserved from it, so every launch would be refused";
    return check.problem(`${says}: ${none}.`, { text });
  }
  const active = (deployments.read?.value ?? []).filter(({ status }) => !service.isTerminal(status));
  const burn = costOf(active);
  if (burn === undefined || burn.lte(0)) return check.ok(`${says}.`);
  const hours = Number(amount.div(burn));
  return check[hours < 24 ? "warning" : "ok"](
    `${says}; what is active now costs ${amountText(burn, service.abilities.currency)} an hour, so it lasts for ${hours.toFixed(1)} h.`,
  );
}
