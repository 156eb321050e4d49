import { plantEdits } from "../plant.ts";
import { PLANTS } from "./plants.ts";

/** Given to node with --import, before anything of the product is: FLEETKEEPER_PLANT names the bug to plant. */
const plant = PLANTS.find(({ name }) => name === process.env.FLEETKEEPER_PLANT);
if (plant === undefined) throw new Error(`no such planted bug: ${process.env.FLEETKEEPER_PLANT}`);
plantEdits(plant.name, plant.edits);
