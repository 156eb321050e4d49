import { main } from "./main.ts";

// The single file that `npm run binary` makes begins here: it brings its own Node, and is all that starts it.
void main([process.execPath]);
