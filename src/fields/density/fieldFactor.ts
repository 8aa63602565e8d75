import { type LaplacianFactor, laplacianFactor } from '../../numerics/sparse/laplacianFactor.ts';
import { type Pairs, resistancesOf, withDenseField } from './denseField.ts';

/** log|L(w) + λI| and its gradient in w, R_e = U_ii + U_jj − 2U_ij. */
export interface FieldValue {
  readonly logDeterminant: number;
  readonly resistances: Float64Array;
}

/** The determinant of the precision L(w) + λI on one graph, for any weights. */
export interface FieldFactor {
  /** Whether no N×N array is made. */
  readonly sparse: boolean;
  evaluate(weights: Float64Array, base: number): FieldValue;
}

/** Below this many points a dense factor is faster whatever the graph is. */
const SMALL = 200;

/** Of the entries of a dense triangle: beyond this part, a sparse factor saves nothing. */
const SPARSE = 0.3;

/** Whether the graph has so few edges that its factor is sparse, as that of neighbours on a surface is. */
export function isSparse({ size: N, sources }: Pairs): boolean {
  return N >= SMALL && sources.length < (SPARSE * N * N) / 4;
}

/** Beyond this many points an N×N array is no choice, however much of it a sparse factor fills. */
const MOST_DENSE = 10_000;

/** The factor that suits the graph; a sparse one unless its fill makes a dense one faster. */
export function fieldFactor(pairs: Pairs): FieldFactor {
  const { size: N } = pairs;
  if (isSparse(pairs)) {
    const factor = laplacianFactor(pairs);
    if (N > MOST_DENSE || factor.storedEntries < (SPARSE * N * N) / 2) return sparseField(factor);
  }
  return {
    sparse: false,
    evaluate: (weights, base) =>
      withDenseField(pairs, weights, base, (logDeterminant, U) => ({
        logDeterminant,
        resistances: resistancesOf(pairs, U),
      })),
  };
}

/** A sparse factor as that of a field. */
export function sparseField(factor: LaplacianFactor): FieldFactor {
  return {
    sparse: true,
    evaluate: (weights, base) => {
      factor.update(weights, base);
      return { logDeterminant: factor.logDeterminant, resistances: factor.resistances() };
    },
  };
}
