import { readText } from "../../../service/json.ts";
import { formatPointer } from "../../../service/pointer.ts";
import type { Json } from "../../../service/service.ts";
import { isDeployment, isObject, isToken, MAX_DEPTH } from "./lists.ts";

/** The JSON Pointer to the deployment with this id; undefined if it is not there. */
export function deploymentIn(json: Json, id: string): string | undefined {
  let level: readonly { readonly value: Json; readonly tokens: readonly string[] }[] = [
    { value: json, tokens: [] },
  ];
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const found = level.find(
      ({ value }) => isDeployment(value) && isObject(value) && readText(value.id) === id,
    );
    if (found !== undefined) return formatPointer(found.tokens);
    level = level.flatMap(({ value, tokens }) =>
      isObject(value)
        ? Object.entries(value)
            .filter(([key]) => isToken(key))
            .map(([key, inner]) => ({ value: inner, tokens: [...tokens, key] }))
        : [],
    );
  }
  return undefined;
}
