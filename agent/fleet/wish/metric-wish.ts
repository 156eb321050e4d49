import { z } from "zod";
import type { DocumentProblem, Path } from "../../../service/document/document-problem.ts";
import { durationSchema, milliseconds } from "../../../service/text/duration.ts";
import { whole } from "../text/whole-number.ts";
import { fromVariable } from "./from-variable.ts";
import { command, oneWay } from "./machine-question.ts";
import { addressProblem } from "./outside-address.ts";
import { rangeShape } from "./size-range.ts";

/*
 * A size that follows a number: where it is read, and how many GPUs it asks for. What it asks for is a function of the
 * answers (metric-size.ts); who asks is agent/ask/metric.ts.
 */

const text = z.string().min(1);
const LEAST_MS = 10_000;

/** What is asked by HTTP. Only where no secret is sent may it go unencrypted: many a Prometheus speaks no TLS. */
const asked = {
  url: text,
  // `writeOnly`: a secret that is written here all the same stands in no message.
  secret: fromVariable.optional().meta({
    description:
      'the variable that holds the header Authorization, such as "Bearer ..."; for fleets of a file only',
    writeOnly: true,
  }),
};

const POINTER = 'expected a JSON Pointer such as /queue/length, or "" for the whole answer';

const WAYS = ["prometheus", "http", "command"] as const;

function step(which: "more" | "less") {
  return z.strictObject({
    most: whole(1).optional().describe(`so many GPUs ${which} a step; without it all at once`),
    stabilization: durationSchema
      .optional()
      .describe(`how long ${which} has to be asked for without a break before a step, and between two`),
  });
}

/** How long less has to be asked for, where nothing is said: as Kubernetes' HorizontalPodAutoscaler does. */
const DOWN_AFTER = "5m";

const shape = {
  prometheus: z
    .strictObject({
      ...asked,
      query: text.describe("PromQL with one series as its answer, such as sum(queue_length)"),
    })
    .optional()
    .describe("a query to Prometheus' HTTP API that has one number as its answer"),
  http: z
    .strictObject({
      ...asked,
      pointer: z.string({ error: POINTER }).regex(/^(\/([^~]|~0|~1)*)*$/, POINTER),
    })
    .optional()
    .describe("a GET whose JSON answer holds the number at a JSON Pointer"),
  command: command.optional().describe("a program that prints the number and ends with 0"),
  target: z
    .number({ error: "expected a number above 0: how much of the metric one GPU is for" })
    .positive("expected a number above 0: how much of the metric one GPU is for")
    .optional()
    .describe(
      "a value a GPU: the size is the metric divided by it, rounded up. Without it the metric is the size",
    ),
  every: durationSchema
    .refine((duration) => milliseconds(duration) >= LEAST_MS, "expected at least 10s")
    .default("30s")
    .describe("how often it is asked"),
  up: step("more").optional().describe("how it becomes more: at once where nothing is said"),
  down: step("less")
    .optional()
    .describe(`how it becomes less: after ${DOWN_AFTER} of asking for less where nothing is said`),
};

/** As people write it, beside `gpus: { min, max, at }`. */
export const metricInput = z.strictObject(shape).superRefine(oneWay(WAYS));

/** As a wish holds it. */
export const metricSchema = z.strictObject({ ...shape, ...rangeShape });
export type Metric = z.output<typeof metricSchema>;

/** What is wrong with the address that is asked. No message of a schema: the address may hold a password. */
export function metricProblems(
  { prometheus, http }: Pick<z.output<typeof metricInput>, "prometheus" | "http">,
  path: Path,
  instead = "write secret: { env: NAME }",
): readonly DocumentProblem[] {
  return Object.entries({ prometheus, http }).flatMap(([way, asked]) => {
    const message =
      asked &&
      addressProblem(asked.url, {
        example: "http://prometheus:9090",
        isSecret: asked.secret !== undefined,
        instead,
      });
    return message === undefined ? [] : [{ path: [...path, way, "url"], message }];
  });
}

/** How it goes one way: GPUs a step at most, and how long that way has to be asked for, in ms. */
export function stepOf(
  metric: Metric,
  way: "up" | "down",
): { readonly most: number; readonly afterMs: number } {
  const { most = Number.POSITIVE_INFINITY, stabilization = way === "down" ? DOWN_AFTER : undefined } =
    metric[way] ?? {};
  return { most, afterMs: stabilization === undefined ? 0 : milliseconds(stabilization) };
}
