import type { Offer } from "../../../service/contract/service.ts";
import { nearest } from "../../../service/text/nearest.ts";
import { andMore } from "../../fleet/text/text.ts";
import { isModel, modelsOf, type Wish } from "../../fleet/wish/wish.ts";

type Select = Wish["select"];

/** The models that are offered, the one first that is most likely meant. */
export function offeredModels(select: Select, offers: readonly Offer[]): readonly string[] {
  const models = [...new Set(offers.flatMap(({ gpuModel }) => gpuModel ?? []))].sort();
  const near = modelsOf(select?.gpuModel).map((each) => likelyMeant(each, models));
  return models.toSorted((one, other) => Number(near.includes(other)) - Number(near.includes(one)));
}

/** The model that a mistyped or shortened name most likely means: people write h100 where the service says h100-80gb. */
export function likelyMeant(asked: string, models: readonly string[]): string | undefined {
  const isWithin = (model: string): boolean =>
    asked.length >= 2 && model.toLowerCase().includes(asked.toLowerCase());
  return nearest(asked, models) ?? models.find(isWithin);
}

/** The models of a list that no offer has, though others of it are offered: they may be mistyped. */
export function unofferedTexts(select: Select, offers: readonly Offer[] | undefined): readonly string[] {
  const asked = modelsOf(select?.gpuModel);
  const isOffered = (model: string): boolean => offers?.some((each) => isModel(each.gpuModel, model)) ?? true;
  if (asked.length < 2 || !asked.some(isOffered)) return [];
  return asked
    .filter((model) => !isOffered(model))
    .map((model) => {
      const there = offeredModels({ gpuModel: model }, offers ?? []);
      return `no offer has gpuModel ${model}: there are ${andMore(there)}`;
    });
}
