import type { Fit, FitJSON, Model, OwnParts } from 'latentfield';

export const own: OwnParts;
export const savedModels: Readonly<Record<string, () => Model>>;
export const savedOptions: { readonly seed: number; readonly maxIterations: number; readonly engine: 'wasm' };
export function answersOf(fit: Fit): Promise<unknown>;
/** Content of a file of test/saved. */
export interface SavedAnswers {
  readonly fit: FitJSON;
  readonly answers: unknown;
}
