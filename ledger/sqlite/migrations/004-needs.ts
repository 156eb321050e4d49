/** Which ledger version a program must know at least to use this file, though later steps may have added something to it. */
export const needs = `ALTER TABLE ledger ADD COLUMN needs INTEGER;`;
