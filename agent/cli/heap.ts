import { setFlagsFromString } from "node:v8";

/**
 * Has V8 collect once the heap has grown by a half, and not only at up to four times what lives: a process that reads
 * the same list again and again has nothing of the room in between. docs/how/performance.md has what it saves. What
 * V8 reads at its start, `--max-semi-space-size`, stands in Dockerfile and deploy/.
 */
export function keepHeapSmall(): void {
  setFlagsFromString("--heap-growing-percent=50");
}
