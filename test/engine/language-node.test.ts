import { languageContract } from "./language-contract.ts";
import { NODE } from "./languages.ts";

languageContract(NODE, { whole: false });
