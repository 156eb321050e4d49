// @module-tag repeats
import { languageContract } from "./language-contract.ts";
import { YAML } from "./languages.ts";

languageContract(YAML);
