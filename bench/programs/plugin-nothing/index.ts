import { Config, CustomResource } from "@pulumi/pulumi";

class Nothing extends CustomResource {}

/** As many as the configuration says. */
for (let number = 0; number < new Config().requireNumber("count"); number++)
  new Nothing("nothing:index:Nothing", `m${number}`, {
    offer: "h100-80gb-x1",
    provider: "aurora",
    location: "fi-hel",
    status: undefined,
  });
