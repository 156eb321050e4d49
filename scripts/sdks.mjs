// node scripts/sdks.mjs: writes sdk/ from provider/plugin/schema.json, with the engine's own generators. It needs Go.
import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { main } from "./setup/main.mjs";
import { handwritten, sdkFolder, sdks, writeSdk } from "./setup/sdks.mjs";

await main(async () => {
  for (const language of sdks) {
    const folder = sdkFolder(language);
    for (const name of readdirSync(folder)) {
      if (!handwritten.includes(name)) rmSync(path.join(folder, name), { recursive: true });
    }
    await writeSdk(language, folder, process.env);
  }
  return 0;
});
