import { isEmpty } from "../../../service/no-such-deployment.ts";
import { readText } from "../../../service/text/json.ts";
import { valueAt } from "../../../service/text/pointer.ts";
import { yamlText } from "../../propose/shape/texts.ts";
import type { DoctorInput } from "../doctor-input.ts";
import { addition, proposed } from "../remedy.ts";
import { type Check, finding } from "../report.ts";

/** Statuses of a wrong key or of a service that has no time: they show nothing. */
const NO_SIGN: readonly number[] = [401, 403, 404, 408, 429];

/** How "no such deployment" is said, by the answer to an id that cannot exist. A 404 is no news. */
export function noSuchDeploymentCheck({ loaded, seen, redact }: DoctorInput): readonly Check[] {
  const { get } = loaded.profile.deployments ?? {};
  const { missing: answer, none } = seen?.rest ?? {};
  if (!get || !answer || !seen?.rest) return [];
  const check = finding("operations", "operation.missing");
  const { code: at } = loaded.profile.errors ?? {};
  const code = answer.json === undefined ? undefined : readText(valueAt(answer.json, at ?? "/"));
  const said = `${answer.status}${code === undefined ? "" : ` ${redact.text(code)}`}`;
  if (none?.error) {
    const says = `deployments.get.missing is not believed: ${none.error.message} A machine that vanishes counts until a person disowns it.`;
    return [
      check.problem(says, { text: "Correct it", at: loaded.locate(["deployments", "get", "missing"]) }),
    ];
  }
  if (none) {
    const beside = none.living
      ? `and ${redact.text(none.living)}, which is listed, is not`
      : "and none that lives is listed to hold against it: one that vanishes with no other beside it takes ten minutes more to be gone";
    return [check.ok(`How "no such deployment" is said: an id that cannot exist is answered so, ${beside}.`)];
  }
  const isNull = answer.status < 300 && isEmpty(answer.json && valueAt(answer.json, get.item));
  if (!isNull && (answer.status < 400 || answer.status >= 500 || NO_SIGN.includes(answer.status))) return [];
  const codes = code === undefined ? "" : `, codes: [${yamlText(code)}]`;
  const line = `missing: ${isNull ? "{ empty: true }" : `{ statuses: [${answer.status}]${codes} }`}`;
  const remedy = proposed(addition(loaded, ["deployments", "get"], [`${line}  # of a profile 2`]));
  return [
    check.warning(
      `An id that cannot exist is answered with ${isNull ? "an empty answer" : said}, and not with 404: a machine that vanishes counts until a person disowns it.`,
      remedy,
    ),
  ];
}
