import { Config } from "@pulumi/pulumi";
import { Deployment } from "fleetkeeper";

const config = new Config();

/** One GPU machine, launched once, whatever happens on the way. */
const trainer = new Deployment("trainer", {
  offer: config.get("offer") ?? "h100-80gb-x1",
  provider: config.get("provider") ?? "aurora",
  location: config.get("location") ?? "fi-hel",
});

export const deploymentId = trainer.deploymentId;
export const status = trainer.status;
export const pricePerHour = trainer.pricePerHour;
export const connection = trainer.connection;
