export { type DoctorOptions, runDoctor } from "./doctor.ts";
export { type FormatOptions, formatDoctor } from "./format.ts";
export type { Check, DoctorReport, Level, Remedy, Section } from "./report.ts";
