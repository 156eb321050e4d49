/** Shortens every id to its first 8 letters: they are enough to follow it through the story. */
export function short(text: string): string {
  return text.replace(/([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "$1");
}
