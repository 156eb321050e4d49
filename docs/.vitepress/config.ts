import { join } from "node:path";
import Slugger from "github-slugger";
import { defineConfig } from "vitepress";
import { drawDiagrams } from "./diagrams.ts";
import { writeLlms } from "./llms.ts";
import { unlinkWhatIsOutside } from "./outside-links.ts";
import { DOCS, menu } from "./pages.ts";

const SITE = join(DOCS, "..", ".fleetkeeper", "site");

// biome-ignore lint/style/noDefaultExport: VitePress takes its configuration from the default export.
export default defineConfig({
  title: "fleetkeeper",
  description: "The GPUs you asked for, and nothing you did not ask to pay for.",
  lang: "en",
  outDir: SITE,
  cacheDir: join(DOCS, "..", "node_modules", ".cache", "fleetkeeper", "vitepress"),
  cleanUrls: true,
  buildEnd: writeLlms,
  // They are for the registry of Pulumi, in its own form.
  srcExclude: ["_index.md", "installation-configuration.md"],
  markdown: {
    // The same anchors as in a repository, so that one link serves both.
    anchor: { slugify: (heading) => new Slugger().slug(heading) },
    config: (markdown) => {
      drawDiagrams(markdown);
      unlinkWhatIsOutside(markdown);
    },
  },
  themeConfig: {
    search: { provider: "local" },
    sidebar: menu().map(({ text, items }) => ({ text, items: [...items] })),
    outline: [2, 3],
  },
});
