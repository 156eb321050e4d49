import Theme from "vitepress/theme-without-fonts";
import "./site.css";

// biome-ignore lint/style/noDefaultExport: VitePress takes its theme from the default export.
export default Theme;
