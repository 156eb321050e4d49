import { Config } from "@pulumi/pulumi";
import { Deployment } from "fleetkeeper";

const config = new Config();

/** One GPU machine, launched once, whatever happens on the way. */
const machine = new Deployment("machine", {
  offer: config.require("offer"),
  provider: config.require("provider"),
  location: config.require("location"),
});

export const deploymentId = machine.deploymentId;
export const status = machine.status;
export const connection = machine.connection;
