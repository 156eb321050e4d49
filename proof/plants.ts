export interface Plant {
  readonly name: string;
  readonly rule: string;
  readonly edits: readonly { readonly file: string; readonly text: string; readonly instead: string }[];
}
export const PLANTS: readonly Plant[] = [];
