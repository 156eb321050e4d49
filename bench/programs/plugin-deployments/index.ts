import { ComponentResource, Config } from "@pulumi/pulumi";

/** As many machines as the configuration says, by the token of the plugin. */
for (let number = 0; number < new Config().requireNumber("count"); number++)
  new ComponentResource(
    "fleetkeeper:index:Deployment",
    `m${number}`,
    { offer: "h100-80gb-x1", provider: "aurora", location: "fi-hel" },
    {},
    true,
  );
