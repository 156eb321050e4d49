// Node runs TypeScript as it is. What Pulumi's host compiles itself may not name a file with its ending.
import "./pack.ts";
