import { Config } from "@pulumi/pulumi";
import { Fleet } from "fleetkeeper";

const config = new Config();

/** 16 GPUs of one model, wherever they are cheapest, kept running by `fleetkeeper agent`. */
const training = new Fleet("training", {
  gpus: config.getNumber("gpus") ?? 16,
  select: { gpuModel: config.get("gpuModel") ?? "h100-80gb" },
  budget: { floor: "20.00", perHour: "60.00" },
});

export const runningGpus = training.runningGpus;
export const pricePerHour = training.pricePerHour;
export const deployments = training.deployments;
export const missing = training.reasons;
