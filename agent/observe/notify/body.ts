import type { Message } from "./message.ts";
import { linesOf } from "./message.ts";

/** The body of a webhook. Its type stands first, as Standard Webhooks wants it. */
export function webhookBody(message: Message): string {
  const { at, id: _id, ...data } = message;
  return JSON.stringify({
    type: "fleetkeeper.alerts",
    timestamp: new Date(at).toISOString(),
    data: { text: linesOf(message).join("\n"), ...data },
  });
}

/**
 * Text for Slack and compatible services. Texts of the service must not format, link or mention anybody. `&`,
 * `<` and `>` are escaped as Slack wants it. An invisible space breaks what others read as a mention.
 */
export function slackBody(message: Message): string {
  const plain = (text: string): string =>
    text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll("@", "@\u200b")
      .replaceAll("://", ":\u200b//");
  const text = ["fleetkeeper", ...linesOf(message).map((line) => `• ${plain(line)}`)].join("\n");
  return JSON.stringify({ text, mrkdwn: false, unfurl_links: false, unfurl_media: false });
}
