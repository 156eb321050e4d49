/** What an answer or a request is about. Each may be said: `--from launch=FILE`. */
export const KINDS = [
  "account",
  "balance",
  "deployments",
  "deployment",
  "offers",
  "launch",
  "stop",
  "error",
] as const;
export type Kind = (typeof KINDS)[number];
