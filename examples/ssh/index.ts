import { Deployment } from "fleetkeeper";

/** One GPU machine. Its wire profile maps how to reach it. */
const worker = new Deployment("worker", {
  offer: "h100-80gb-x1",
  provider: "aurora",
  location: "fi-hel",
});

export const deploymentId = worker.deploymentId;
/** Secret, if the profile calls one of its details secret. */
export const connection = worker.connection;
