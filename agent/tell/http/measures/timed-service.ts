import { FleetkeeperError } from "../../../../service/contract/errors.ts";
import type { Service } from "../../../../service/contract/service.ts";

/** Called once at the end of each operation. A list of several pages is one operation. */
export type Measure = (operation: Operation, outcome: string, seconds: number) => void;

export type Operation = "account" | "balance" | "list" | "look" | "offers" | "launch" | "stop";

/** A service that reports to `observe` how long each operation took, and is this one otherwise. */
export function timedService(service: Service, monotonicMs: () => number, observe: Measure): Service {
  async function timed<T>(
    operation: Operation,
    work: Promise<T>,
    outcomeOf: (result: T) => string,
  ): Promise<T> {
    const begun = monotonicMs();
    const told = (outcome: string): void => observe(operation, outcome, (monotonicMs() - begun) / 1000);
    try {
      const result = await work;
      told(outcomeOf(result));
      return result;
    } catch (error) {
      told(error instanceof FleetkeeperError ? error.code.toLowerCase() : "error");
      throw error;
    }
  }
  const ok = (): string => "ok";
  return {
    ...service,
    account: (signal) => timed("account", service.account(signal), ok),
    balance: (signal) => timed("balance", service.balance(signal), ok),
    deployments: (signal) => timed("list", service.deployments(signal), ok),
    deployment: (id, signal, living) => timed("look", service.deployment(id, signal, living), ok),
    offers: (signal) => timed("offers", service.offers(signal), ok),
    launch: (request, signal) => timed("launch", service.launch(request, signal), ({ kind }) => kind),
    stop: (request, signal) => timed("stop", service.stop(request, signal), ({ kind }) => kind),
  };
}
