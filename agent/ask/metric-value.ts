import { Big } from "big.js";
import { jsonOr } from "../../service/text/json.ts";
import { valueAt } from "../../service/text/pointer.ts";
import type { Measured } from "../fleet/size/metric.ts";

/*
 * The number in an answer. What is none says nothing: never 0.
 */

/** A longer text is no number that anybody measured, and would be kept and shown whole. */
const LONGEST = 60;

/** A text as programs and Prometheus write numbers. */
export function numberIn(text: string): Measured {
  const number = text.trim();
  const shown = number.length > LONGEST ? `${number.slice(0, LONGEST)}…` : number;
  const unknown = (why: string): Measured => ({
    kind: "unknown",
    why: `it says ${JSON.stringify(shown)}, ${why}`,
  });
  if (/^[-+]?(nan|inf(inity)?)$/i.test(number)) return unknown("which is no finite number");
  if (number.length > LONGEST || !/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d{1,3})?$/i.test(number))
    return unknown("which is no number");
  if (!Number.isFinite(Number(number))) return unknown("which is no finite number");
  const value = new Big(number.replace(/^\+/, "").replace(/\.(?=e|$)/i, ""));
  return value.lt(0) ? unknown("which is less than 0") : { kind: "value", value: value.toFixed() };
}

/** The number at a JSON Pointer. */
export function valueIn(body: string, pointer: string): Measured {
  const document = jsonOr(body);
  if (document === undefined) return { kind: "unknown", why: "the answer is no JSON" };
  const found = valueAt(document, pointer);
  if (typeof found === "number" || typeof found === "string") return numberIn(String(found));
  const there = found === undefined ? "nothing" : found === null ? "null" : "no number";
  return { kind: "unknown", why: `there is ${there} at ${pointer === "" ? "its top" : pointer}` };
}

/** The one number in an answer of Prometheus' HTTP API. */
export function valueOfQuery(body: string): Measured {
  const document = jsonOr(body);
  if (document === undefined) return { kind: "unknown", why: "the answer is no JSON" };
  const [kind, result] = [valueAt(document, "/data/resultType"), valueAt(document, "/data/result")];
  if (kind === "scalar") return valueIn(body, "/data/result/1");
  if (kind !== "vector" || !Array.isArray(result))
    return {
      kind: "unknown",
      why: `expected a vector or a scalar as Prometheus' /api/v1/query answers it, and it is ${typeof kind === "string" ? kind.slice(0, LONGEST) : "none"}`,
    };
  if (result.length === 1) return valueIn(body, "/data/result/0/value/1");
  const why =
    result.length === 0
      ? "the query has no series as its answer: nothing of that name was scraped of late"
      : `the query has ${result.length} series as its answer, and one number is needed: write sum(...) or max(...) around it`;
  return { kind: "unknown", why };
}
