/** A JSON Pointer or another text as a YAML value. */
export function yamlText(text: string): string {
  return /^\.{0,2}\/[\w./~-]*$|^[A-Za-z]([\w./:~-]*[\w./~-])?$/.test(text) &&
    !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text);
}

/** What an offer must show. */
export const OFFER_NEEDS = ["id", "provider", "location", "gpus"] as const;

/** A service with one provider or one location may not name it in each offer: the profile gives its value. */
export function gapLine(name: (typeof OFFER_NEEDS)[number]): string {
  return name === "id" || name === "gpus"
    ? `${name}: <JSON Pointer in one offer to its ${name}>`
    : `${name}: { value: "<the ${name}, if the service has only one; else a JSON Pointer in its place>" }  # no field looks like it`;
}
