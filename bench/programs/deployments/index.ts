import { Config } from "@pulumi/pulumi";
import { Deployment } from "fleetkeeper";

/** As many machines as the configuration says. */
for (let number = 0; number < new Config().requireNumber("count"); number++)
  new Deployment(`m${number}`, { offer: "h100-80gb-x1", provider: "aurora", location: "fi-hel" });
