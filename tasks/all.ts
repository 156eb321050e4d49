import { FLEET_FILE_TASKS } from "./fleet-file-tasks.ts";
import { PROFILE_TASKS } from "./profile-tasks.ts";
import type { Task } from "./task.ts";
import { TROUBLE_TASKS } from "./trouble-tasks.ts";

export const TASKS: readonly Task[] = [...PROFILE_TASKS, ...FLEET_FILE_TASKS, ...TROUBLE_TASKS];
