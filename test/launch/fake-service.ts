import type { Keeper } from "../../launch/keeper.ts";
import type { Clock } from "../../ledger/instant.ts";
import type {
  Abilities,
  Deployment,
  LaunchAnswer,
  LaunchRequest,
  Service,
  StopAnswer,
  StopRequest,
} from "../../service/contract/service.ts";
import { BASE_URL, LaunchBench } from "./bench.ts";

/** A service of which the test says every answer; it writes down what reached it. */
class FakeService implements Service {
  readonly baseUrl = BASE_URL;
  readonly abilities: { -readonly [K in keyof Abilities]: Abilities[K] } = {
    marker: false,
    combination: false,
    launch: true,
    stop: true,
    get: true,
    offers: false,
  };
  readonly profileHash = "profile-1";
  readonly shown = new Map<string, Deployment>();
  readonly posts: LaunchRequest[] = [];
  readonly stops: string[] = [];
  money = "1000.0000";
  onLaunch: (request: LaunchRequest) => LaunchAnswer | Promise<LaunchAnswer> = () => this.make();
  onStop: (request: StopRequest, signal: AbortSignal) => StopAnswer | Promise<StopAnswer> = () => ({
    kind: "accepted",
    said: "the service answered 200",
  });
  onGet: (id: string) => Deployment | undefined = (id) => this.shown.get(id);
  onList: () => readonly Deployment[] | null = () => [...this.shown.values()];
  #made = 0;

  make(): LaunchAnswer {
    const id = `m${++this.#made}`;
    this.shown.set(id, { id, status: "running" });
    return { kind: "accepted", id, deployment: {} };
  }

  isTerminal(status: string): boolean {
    return status === "failed" || status === "interrupted";
  }

  isUnserving(): boolean {
    return false;
  }

  isRetryable(): boolean | undefined {
    return undefined;
  }

  async account() {
    return { id: "acc", email: "a@b.c", display_name: "A", created_at: "2026-01-01T00:00:00Z" };
  }

  async balance() {
    return { balance: this.money, currency: "USD" as const };
  }

  async deployments(): Promise<readonly Deployment[] | null> {
    return this.onList();
  }

  deployment: Service["deployment"] = async (id) => this.onGet(id);

  async offers() {
    return [];
  }

  async turn(): Promise<void> {}

  async launch(request: LaunchRequest): Promise<LaunchAnswer> {
    this.posts.push(request);
    return this.onLaunch(request);
  }

  async stop(request: StopRequest, signal: AbortSignal): Promise<StopAnswer> {
    this.stops.push(request.id);
    return this.onStop(request, signal);
  }
}

/** A keeper over a bench's ledger and clock, and a service that answers as the test says: one process of this pid. */
export function keeperOn(
  bench: LaunchBench = new LaunchBench(),
  service: FakeService = new FakeService(),
  pid = 1,
): { bench: LaunchBench; service: FakeService; keeper: Keeper } {
  let ids = 0;
  const clock: Clock = {
    self: { boot: bench.now.boot, pid, started: "0" },
    now: () => bench.now,
    sleep: async (ms) => bench.advance(ms),
    isAlive: (process) => bench.context.isAlive(process),
  };
  const { ledger, account, settings } = bench;
  const newId = (): string => `keeper${pid}x${String(++ids).padStart(6, "0")}`;
  return { bench, service, keeper: { ledger, account, service, clock, settings, newId } };
}

export const SIGNAL: AbortSignal = new AbortController().signal;
