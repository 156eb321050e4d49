import { ACTIVE_STATES, TERMINAL_STATES } from "../../../service/contract/contract.ts";

/** The specification's words for states. */
export const NAMED: readonly string[] = [...ACTIVE_STATES, ...TERMINAL_STATES];

const HALTED = "a machine that is halted: replace, if it bills on; terminal, if it costs nothing any more";
const ENDED = "an end: terminal, if it costs nothing any more";

/** What a service may mean by a word. The first that fits counts. */
const LOOKS: readonly (readonly [RegExp, string])[] = [
  [/fail|error|broken|unhealthy|crash|no_?capacity/, "failed, if it costs nothing any more"],
  [/preempt|interrupt|evict|outbid|reclaim/, "interrupted, if it costs nothing any more"],
  [/^(stopp|terminat|delet|destroy|remov|clos|releas|cancell?|end)ing$|shutting/, "stopping"],
  [/terminated|delet|destroyed|removed|released|closed|gone|discontinued|expired|cancell?ed|ended/, ENDED],
  [/stop|off|exit|shut|halt|suspend|paus|hibernat|sleep|inactive|archiv|done|complete/, HALTED],
  [/boot|start|build|deploy|prepar|install|provision|creating|load/, "provisioning or connecting"],
  [/creat|new|order|queue|pend|schedul|request|valid|wait|init/, "initializing"],
  [/^(active|up|on|ok|ready|run\w*|online|healthy|live)$/, "running"],
];

/** Whether a machine in it may bill on without serving, by its look. */
export function seemsHalted(word: string): boolean {
  return likelyState(word) === HALTED;
}

/** A hint for people: it is never written as what the word means. */
export function likelyState(word: string): string {
  return LOOKS.find(([look]) => look.test(word.toLowerCase()))?.[1] ?? "any of them";
}
