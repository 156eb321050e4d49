import { isLoopback } from "../../../service/http/loopback.ts";

interface Use {
  /** An address as it should be. */
  readonly example: string;
  /** A secret is sent there, or stands in it: then it never goes over the network unencrypted. */
  readonly isSecret: boolean;
  /** Where a user name and a password belong. */
  readonly instead: string;
}

/** What is wrong with an address of the user's, in words for people; undefined: nothing. */
export function addressProblem(url: string, { example, isSecret, instead }: Use): string | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !["http:", "https:"].includes(parsed.protocol))
    return `expected a whole address, such as ${example}`;
  if (parsed.username !== "" || parsed.password !== "")
    return `carries a user name or password: it would stand in files and messages; ${instead}`;
  if (isSecret && parsed.protocol === "http:" && !isLoopback(parsed.hostname))
    return "would go over the network unencrypted: write https://; http:// is for this machine only";
  return undefined;
}
