// @module-tag repeats
import { languageContract } from "./language-contract.ts";
import { PYTHON } from "./languages.ts";

languageContract(PYTHON);
