import type { Combination } from "../../service/contract/contract.ts";
import type { Case, Fault } from "./case.ts";

const OSLO: Combination = { offer: "h100", provider: "north", location: "oslo" };
const ROME: Combination = { offer: "h100", provider: "south", location: "rome" };

const COMMON: readonly Fault[] = ["adrift", "lag", "rejected", "crash", "pause"];

const BASE: Omit<Case, "name"> = {
  slots: [OSLO, OSLO],
  faults: 2,
  kinds: COMMON,
  processes: 1,
  hosts: 1,
  tenure: "exclusive",
  shows: "nothing",
  proven: true,
  prompt: true,
  strangers: 0,
  destroys: 0,
  replaces: 0,
  person: false,
};

function make(name: string, differs: Partial<Case>): Case {
  return { ...BASE, name, ...differs };
}

/** Faults of several processes: one may stand still while another goes on. */
const LATE: readonly Fault[] = ["adrift", "lag", "crash", "pauseAnywhere"];

const THREE = [OSLO, OSLO, OSLO];
const PULUMI: readonly Fault[] = [...COMMON, "stop", "fail"];

/** Small enough for each test run. */
export const STANDARD: readonly Case[] = [
  make("exclusive, 2 slots", { faults: 4 }),
  make("exclusive, 3 slots", { slots: THREE, faults: 3 }),
  make("exclusive, first launches", { faults: 3, proven: false }),
  make("exclusive, late", { kinds: LATE, prompt: false, slots: [OSLO], faults: 3 }),
  make("exclusive, late, 2 slots", { kinds: ["adrift", "crash"], prompt: false }),
  make("exclusive, answers of all kinds", {
    faults: 3,
    kinds: ["adrift", "notSent", "cooling", "fail", "slowList"],
  }),
  make("exclusive, booted anew", { faults: 3, kinds: ["adrift", "crash", "reboot"] }),
  make("exclusive, two processes", { processes: 2 }),
  make("exclusive, two hosts", { processes: 2, hosts: 2, slots: [OSLO], faults: 3 }),
  make("exclusive, cut lists", {
    slots: [OSLO],
    kinds: ["cutList", "crash", "fail"],
    prompt: false,
    faults: 3,
  }),
  make("combination, two processes", { processes: 2, slots: [OSLO, ROME], shows: "combination", faults: 1 }),
  make("combination, 3 slots", { slots: [OSLO, OSLO, ROME], shows: "combination", faults: 1 }),
  make("marker, 2 slots", { shows: "marker", faults: 2 }),
  make("marker, stranger", { shows: "marker", tenure: "shared", faults: 1, strangers: 1 }),
  make("shared, stranger", { tenure: "shared", strangers: 1, person: true }),
  make("shared, two strangers", { tenure: "shared", faults: 1, strangers: 2, person: true }),
  make("shared, late", {
    tenure: "shared",
    kinds: LATE,
    prompt: false,
    slots: [OSLO],
    strangers: 1,
    person: true,
  }),
  make("pulumi, exclusive", { kinds: PULUMI, slots: [OSLO], destroys: 1, replaces: 1 }),
  make("pulumi, two processes", { slots: [OSLO], processes: 2, faults: 1, destroys: 1, replaces: 1 }),
  make("pulumi, shared", { slots: [OSLO], tenure: "shared", strangers: 1, destroys: 1, person: true }),
];

/** For runs of their own. */
export const LARGE: readonly Case[] = [
  make("exclusive, 3 slots", { slots: THREE, faults: 4 }),
  make("exclusive, first launches", { faults: 4, proven: false }),
  make("exclusive, late, 2 slots", { kinds: LATE, prompt: false }),
  make("exclusive, two processes", { processes: 2, faults: 3 }),
  make("combination, two processes", { processes: 2, slots: [OSLO, ROME], shows: "combination", faults: 2 }),
  make("combination, 3 slots", { slots: [OSLO, OSLO, ROME], shows: "combination", faults: 2 }),
  make("marker, 2 slots", { shows: "marker", faults: 4 }),
  make("marker, stranger", { shows: "marker", tenure: "shared", faults: 2, strangers: 1 }),
  make("shared, two strangers", { tenure: "shared", faults: 2, strangers: 2, person: true }),
  make("pulumi, exclusive", { kinds: PULUMI, faults: 1, destroys: 1, replaces: 1 }),
  make("pulumi, two processes", { slots: [OSLO], processes: 2, faults: 2, destroys: 1, replaces: 1 }),
];
