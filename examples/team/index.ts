import { Config, getStack } from "@pulumi/pulumi";
import { Fleet } from "fleetkeeper";

const config = new Config();

/** The GPUs of one team, in a stack of the team's name. A name of a fleet has one owner in a ledger, so each is another. */
const fleet = new Fleet("gpus", {
  name: getStack(),
  gpus: config.requireNumber("gpus"),
  select: { gpuModel: config.require("gpuModel") },
  budget: { perHour: config.require("perHour") },
});

export const runningGpus = fleet.runningGpus;
export const pricePerHour = fleet.pricePerHour;
