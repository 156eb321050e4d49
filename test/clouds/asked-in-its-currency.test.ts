import { expect, test } from "vitest";
import { cloudOf } from "../../agent/cli/clouds/cloud.ts";
import { modelsOf, questionsOf } from "../../agent/cli/clouds/questions.ts";
import { readingText } from "../../agent/propose/shape/price-unit.ts";
import { loadProfile } from "../../service/profile/profile-file.ts";

test("what init and doctor ask of money is in the currency of the service", () => {
  const profile = { ...loadProfile("verda").profile, currency: "EUR" };
  const asked = questionsOf(cloudOf("verda"), profile).map(({ question }) => question);
  expect(asked).toContain("What one such machine costs an hour, in EUR:");
  expect(asked).toContain("At most how many EUR an hour for all of them?");
  const offer = {
    offer: "a",
    provider: "b",
    location: "c",
    gpus: 8,
    gpuModel: "h100",
    pricePerHour: "16.00",
  };
  expect(modelsOf([offer], "EUR")[0]?.name).toBe("h100: from 2.00 EUR a GPU and hour, 8 in a machine");
  expect(modelsOf([offer])[0]?.name).toContain("2.00 USD");
  const reading = { field: "pricePerHour", inCents: true } as const;
  expect(readingText(reading, "EUR")).toBe("cents of EUR an hour of the whole machine");
  expect(readingText(reading)).toBe("US cents an hour of the whole machine");
});
