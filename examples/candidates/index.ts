import { Deployment } from "fleetkeeper";

/** One H100, from the first of these that can be had. */
const trainer = new Deployment("trainer", {
  candidates: [
    { offer: "h100-80gb-x1", provider: "basalt", location: "is-rey" },
    { offer: "h100-80gb-x1", provider: "aurora", location: "fi-hel" },
    { offer: "h100-80gb-x1", provider: "aurora", location: "se-sto" },
  ],
  budget: { perHour: "2.60" },
});

export const deploymentId = trainer.deploymentId;
export const provider = trainer.provider;
export const location = trainer.location;
export const pricePerHour = trainer.pricePerHour;
