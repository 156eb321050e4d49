import { enterSlot } from "../../launch/people/slot.ts";
import type { Case } from "./case.ts";
import { decide } from "./decide.ts";
import type { State } from "./state.ts";

/** Slots that Pulumi has just created, an empty account, and processes that have done nothing. */
export function initial(world: Case): State {
  const wanted = { wish: "wanted", successor: null } as const;
  const slots = world.slots.map((place, at) => ({ id: `slot${at + 1}`, place, ...wanted }));
  const places = world.slots
    .flatMap((place) => Object.entries(place))
    .map(([field, value]) => `${field}=${value}`);
  const shown = { marker: ["marker"], combination: [...new Set(places)], nothing: [] }[world.shows];
  const profiles: State["rows"]["account"]["profiles"] = world.proven
    ? { profile: { proven: true, shown, ends: [], halted: null } }
    : {};
  const { faults, strangers, destroys, replaces } = world;
  const state: State = {
    now: 0,
    boot: 0,
    rows: {
      account: {
        key: "account",
        baseUrl: "https://gpus.example.com",
        accountId: "account",
        email: "someone@example.com",
        tenure: world.tenure,
        sequence: 0,
        profiles,
        list: null,
        doubt: null,
        balance: null,
        agent: null,
      },
      intents: [],
      deployments: [],
      slots: [],
      fleets: [],
      cooldowns: [],
    },
    machines: [],
    requests: [],
    tasks: [],
    lists: [],
    processes: Array.from({ length: world.processes }, (_, at) => ({ pid: at + 1, paused: false })),
    slots,
    budget: { faults, strangers, destroys, replaces },
    wrong: null,
  };
  const { rows } = decide(world, state, (draft, context) => {
    for (const { id } of slots) enterSlot(draft, id, id, context);
  });
  return { ...state, rows };
}
