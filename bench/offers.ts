import loadHighs from "highs";
import { cheapestMix, type Option } from "../agent/planning/mix/mix.ts";
import { Prng } from "../simulator/prng.ts";
import { offerOf } from "./drawn-offer.ts";
import { type Figure, inTurn, ms } from "./figure.ts";

/* The cheapest machines of 512 GPUs out of 300 offers, beside a solver of mixed integer programs. */

const GPUS = 512;
const OFFERS = 300;
const INSTANCES = 8;

// Its types are those of a CommonJS module, and what Node imports is none.
const highs = await (loadHighs as unknown as typeof loadHighs.default)();

function draw(seed: number): readonly Option[] {
  const random = new Prng(`bench ${seed}`);
  return Array.from({ length: OFFERS }, (_, index) => offerOf(random, index, random.pick([1, 2, 4, 8])));
}

const cents = ({ pricePerHour }: Option): number => Number(pricePerHour?.times(100));

function ours(options: readonly Option[]): number {
  const mix = cheapestMix(options, { gpus: GPUS, slack: 0 }) ?? [];
  return mix.reduce((sum, option) => sum + cents(option), 0);
}

function theirs(options: readonly Option[]): number {
  const sum = (factor: (option: Option) => number): string =>
    options.map((option, index) => `${factor(option)} x${index}`).join(" + ");
  const model = `Minimize
 obj: ${sum(cents)}
Subject To
 gpus: ${sum(({ gpus }) => gpus)} = ${GPUS}
Bounds
${options.map(({ stock }, index) => ` 0 <= x${index} <= ${stock}`).join("\n")}
Generals
 ${options.map((_, index) => `x${index}`).join(" ")}
End`;
  const { ObjectiveValue } = highs.solve(model, { output_flag: false, mip_rel_gap: 0, mip_abs_gap: 0 });
  return Math.round(ObjectiveValue);
}

const instances = Array.from({ length: INSTANCES }, (_, seed) => draw(seed));
const equal = instances.filter((options) => ours(options) === theirs(options)).length;
let [our, their] = [0, 0];
for (const options of instances) {
  const [one, other] = await inTurn(
    1,
    () => ours(options),
    () => theirs(options),
  );
  our += one;
  their += other;
}
const figures: Figure[] = [
  {
    what: `the cheapest ${GPUS} GPUs of ${OFFERS} offers, ${equal} of ${INSTANCES} at the same cost`,
    measured: ms(our / INSTANCES),
    against: `HiGHS: ${ms(their / INSTANCES)}`,
    ratio: our / their,
    toReach: "<= 0.1",
  },
];
process.stdout.write(JSON.stringify(figures));
