// @module-tag repeats
import { languageContract } from "./language-contract.ts";
import { NODE } from "./languages.ts";

languageContract(NODE);
