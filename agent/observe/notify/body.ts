import type { Message } from "./message.ts";
import { linesOf } from "./message.ts";

/** The body of a webhook: the type first, as Standard Webhooks has it. */
export function webhookBody(message: Message): string {
  const { at, id: _id, ...data } = message;
  return JSON.stringify({
    type: "fleetkeeper.alerts",
    timestamp: new Date(at).toISOString(),
    data: { text: linesOf(message).join("\n"), ...data },
  });
}

/**
 * Text for Slack, and for what understands the same. Texts of the service may neither format, nor link, nor
 * call anybody: `&`, `<` and `>` are escaped as Slack asks for, and what some others read as a mention is
 * broken by an invisible space.
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
