import { Config, dynamic, type Input } from "@pulumi/pulumi";

interface Inputs {
  readonly offer: Input<string>;
  readonly provider: Input<string>;
  readonly location: Input<string>;
}

/** What a person would write who wants a machine in Pulumi, but for all that it would do. */
const provider: dynamic.ResourceProvider = {
  async check(_olds, news) {
    return { inputs: news };
  },
  async diff(_id, olds, news) {
    return { changes: ["offer", "provider", "location"].some((key) => olds[key] !== news[key]) };
  },
  async create(inputs) {
    return { id: "an-id", outs: { ...inputs, status: "running" } };
  },
  async read(id, props) {
    return { id, props };
  },
  async update(_id, _olds, news) {
    return { outs: { ...news, status: "running" } };
  },
  async delete() {},
};

class Nothing extends dynamic.Resource {
  constructor(name: string, inputs: Inputs) {
    super(provider, name, { ...inputs, status: undefined });
  }
}

/** As many as the configuration says. */
for (let number = 0; number < new Config().requireNumber("count"); number++)
  new Nothing(`m${number}`, { offer: "h100-80gb-x1", provider: "aurora", location: "fi-hel" });
