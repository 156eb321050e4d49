import { registerHooks } from "node:module";
import { PLANTS } from "./plants.ts";

/**
 * Plants one bug into the product's source as it is loaded. Given to node with --import, before anything of the product
 * is: FLEETKEEPER_PLANT names the bug. A text that does not stand there exactly once is an error: a bug that is not
 * planted would be a test that proves nothing.
 */
const plant = PLANTS.find(({ name }) => name === process.env.FLEETKEEPER_PLANT);
if (plant === undefined) throw new Error(`no such planted bug: ${process.env.FLEETKEEPER_PLANT}`);
const target = new URL(`../../${plant.file}`, import.meta.url).href;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (url !== target) return loaded;
    const source = String(loaded.source);
    const parts = source.split(plant.text);
    if (parts.length !== 2) {
      throw new Error(
        `${plant.file}: the text of "${plant.name}" stands there ${parts.length - 1} times, not once`,
      );
    }
    return { ...loaded, source: parts.join(plant.instead) };
  },
});
