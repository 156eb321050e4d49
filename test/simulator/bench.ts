import type { HttpRequest, HttpResponse } from "../../service/contract/transport.ts";
import {
  createSimulator,
  SIMULATOR_URL,
  type Simulator,
  type SimulatorOptions,
} from "../../simulator/index.ts";
import { VirtualClock } from "../../simulator/virtual-clock.ts";

export const HERE = { offer: "box", provider: "acme", location: "mars" } as const;
export const THERE = { offer: "box", provider: "acme", location: "moon" } as const;
export const ELSEWHERE = { offer: "crate", provider: "zeta", location: "mars" } as const;

/** 3.6 USD an hour: a second costs 0.001, so that every sum can be reckoned in the head. */
const OFFERS = [
  { ...HERE, gpus: 1, gpuModel: "g1", pricePerHour: "3.60", capacity: 1000 },
  { ...THERE, gpus: 2, gpuModel: "g1", pricePerHour: "7.20", capacity: 1000 },
  { ...ELSEWHERE, gpus: 4, gpuModel: "g4", pricePerHour: "36", capacity: 2 },
] as const;

/** Initializing until 10 s, provisioning until 30 s, connecting until 60 s, then running; a stop takes 5 s. */
const SETTINGS = {
  initializingSeconds: [10, 10],
  provisioningSeconds: [20, 20],
  connectingSeconds: [30, 30],
  stoppingSeconds: [5, 5],
} satisfies SimulatorOptions["settings"];

/** What the plain dialect answers; a test reads of it what it needs. */
export type PlainDeployment = Readonly<Record<string, string | number | null>> & {
  readonly id: string;
  readonly status: string;
};

/** A simulator under a virtual clock, spoken to in the plain dialect by hand. */
export class SimulatorBench {
  readonly clock = new VirtualClock();
  readonly simulator: Simulator;

  constructor(options: SimulatorOptions = {}) {
    this.simulator = createSimulator({
      clock: this.clock,
      offers: OFFERS,
      balance: "100.0000",
      ...options,
      settings: { ...SETTINGS, ...options.settings },
    });
  }

  get control(): Simulator["control"] {
    return this.simulator.control;
  }

  get truth(): ReturnType<Simulator["truth"]> {
    return this.simulator.truth();
  }

  async send(
    method: HttpRequest["method"],
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = { "x-api-key": this.simulator.apiKey },
  ): Promise<HttpResponse> {
    const request = { method, url: `${SIMULATOR_URL}${path}`, headers };
    return this.simulator.transport(
      body === undefined ? request : { ...request, body: JSON.stringify(body) },
      new AbortController().signal,
    );
  }

  async launch(combination: object = HERE, label = "label-1"): Promise<HttpResponse> {
    return this.send("POST", "/api/v1/deployments", { ...combination, label });
  }

  /** Launches, and gives the id. */
  async launched(combination: object = HERE): Promise<string> {
    const response = await this.launch(combination);
    if (response.status !== 201) throw new Error(`${response.status} ${response.body}`);
    return JSON.parse(response.body).id;
  }

  async list(): Promise<readonly PlainDeployment[]> {
    return JSON.parse((await this.send("GET", "/api/v1/deployments")).body).deployments;
  }

  async get(id: string): Promise<PlainDeployment> {
    return JSON.parse((await this.send("GET", `/api/v1/deployments/${id}`)).body);
  }

  async stop(id: string): Promise<HttpResponse> {
    return this.send("POST", `/api/v1/deployments/${id}/stop`);
  }

  async balance(): Promise<string> {
    return JSON.parse((await this.send("GET", "/api/v1/account/balance")).body).balance;
  }

  async seconds(seconds: number): Promise<void> {
    await this.clock.advance(seconds * 1000);
  }
}
