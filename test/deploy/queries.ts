import { parser } from "@prometheus-io/lezer-promql";
import { parse } from "yaml";
import { read } from "./tool.ts";

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: {
    readonly summary: string;
    readonly description: string;
    readonly runbook_url: string;
  };
}

export function alerts(): readonly Alert[] {
  const { groups } = parse(read("deploy/prometheus/alerts.yml")) as {
    readonly groups: readonly { readonly rules: readonly Alert[] }[];
  };
  return groups.flatMap(({ rules }) => rules);
}

export interface Panel {
  readonly id: number;
  readonly title: string;
  readonly datasource: { readonly uid: string };
  readonly targets: readonly {
    readonly refId: string;
    readonly expr: string;
    readonly legendFormat: string;
  }[];
}

export interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly query: string | { query: string } }[];
  };
}

export function dashboard(): Dashboard {
  return JSON.parse(read("deploy/grafana/fleetkeeper.json")) as Dashboard;
}

/** An expression of PromQL, taken apart by Prometheus's own grammar. */
export interface Query {
  readonly metrics: readonly string[];
  /** Of all matchers: `outcome="ok"` is `outcome` and `ok`. */
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[];
  /** Labels that it groups by or takes away. */
  readonly grouped: readonly string[];
}

/** Throws for what is not PromQL, and says where. */
export function readQuery(text: string): Query {
  const metrics: string[] = [];
  const grouped: string[] = [];
  const matchers: { label: string; operator: string; value: string }[] = [];
  parser.parse(text).iterate({
    enter: ({ name, from, to, type, node }) => {
      const part = text.slice(from, to);
      if (type.isError) throw new Error(`not PromQL at ${from}: ${text}`);
      if (name === "VectorSelector") metrics.push(/^[\w:]+/.exec(part)?.[0] ?? part);
      if (name === "LabelName" && node.parent?.name === "GroupingLabels") grouped.push(part);
      if (name !== "UnquotedLabelMatcher") return;
      const [, label = "", operator = "", value = ""] = /^(\w+)\s*([=!~]+)\s*"(.*)"$/s.exec(part) ?? [];
      matchers.push({ label, operator, value });
    },
  });
  return { metrics, matchers, grouped };
}
