import { html } from "./html.ts";
import { shell } from "./shell.ts";

/** What a share link opens. It tells nothing of the account: everybody may read it. */
export function sharePage(): string {
  return shell({
    title: "Share link",
    script: "share.js",
    main: html`<section aria-labelledby="share"><h2 id="share">Share link</h2>
<p id="share-says" role="status">The page is opened.</p>
<noscript><p>Without JavaScript: copy what stands behind the # of the link. <a href="./">Open the page</a>, and give it as the password, with any name.</p></noscript></section>`,
  });
}
