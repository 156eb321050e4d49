// @module-tag repeats
import { languageContract } from "./language-contract.ts";
import { GO } from "./languages.ts";

languageContract(GO);
