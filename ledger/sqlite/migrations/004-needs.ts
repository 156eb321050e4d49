/** The ledger version that a program must know to use this file. Later steps may only have added to it. */
export const needs = `ALTER TABLE ledger ADD COLUMN needs INTEGER;`;
