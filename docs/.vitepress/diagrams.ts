import { renderMermaidSVG } from "beautiful-mermaid";
import type { MarkdownRenderer } from "vitepress";

/**
 * Draws each `mermaid` block while the site is built, so that no page needs a script or the network for it. The colours
 * are those of the page, light or dark. Repositories draw the same text by themselves.
 */
export function drawDiagrams(markdown: MarkdownRenderer): void {
  const fence = markdown.renderer.rules.fence!;
  markdown.renderer.rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index];
    if (token?.info.trim() !== "mermaid") return fence(tokens, index, options, env, self);
    // As a value: a template of Vue may hold no <style>, and the drawing has one.
    const drawing = markdown.utils.escapeHtml(JSON.stringify(svg(token.content)));
    return `<figure class="diagram" v-html="${drawing}"></figure>\n`;
  };
}

function svg(text: string): string {
  const drawn = renderMermaidSVG(text, {
    bg: "var(--vp-c-bg)",
    fg: "var(--vp-c-text-1)",
    line: "var(--vp-c-text-2)",
    border: "var(--vp-c-border)",
    surface: "var(--vp-c-bg-soft)",
    muted: "var(--vp-c-text-2)",
    accent: "var(--vp-c-text-2)",
    font: "sans-serif",
    padding: 8,
    transparent: true,
  });
  // It names a font of another host, which would be asked for.
  return drawn.replace(/@import url\([^)]*\);?/g, "").replaceAll("\n\n", "\n");
}
