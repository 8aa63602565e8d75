import type { Matrix } from '../../core/matrix.ts';
import type { Scalar, Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { SparsePrecision } from '../../model/language/density.ts';
import type { LearnedByLayer } from '../../model/posterior.ts';
import type { Curvature } from '../../model/solver.ts';

/** A family of fields with precision Q(w) = λI + Σ_k w_k·A_k, for all multipliers w. */
export interface FieldForm {
  /** Number of points. */
  readonly size: number;
  /** s_k = tr(XᵀA_kX) of rows. Missing entries (NaN) are assumed to behave like the others. */
  statisticsOf(X: Matrix): Float64Array;
  /** The same for rows that move. */
  statistics(X: Tensor2D): Tensor1D;
  /** Σ_k w_k·A_k + base·I. */
  precision(w: Tensor1D, base: number): SparsePrecision;
  /** The field with these multipliers. */
  learned(w: Float64Array): LearnedByLayer;
  /**
   * Opens evaluations of the family.
   *
   * @param keeps - whether factors may be cached between evaluations, until `dispose`
   */
  open(keeps: boolean): OpenForm;
}

/** Evaluations of a family of fields. */
export interface OpenForm {
  /** c/2·log|Q(w)| − ½·Σ_k w_k·s_k. */
  dual(w: Tensor1D, statistics: Tensor1D | Float64Array, copies: number): Scalar;
  /** tr(A_k·Q(w)⁻¹) for each constraint. */
  expected(w: Float64Array): Float64Array;
  /** Second derivatives of −c/2·log|Q(w)|; undefined if searches do not use them. */
  curvature(w: Float64Array, copies: number): Curvature | Float64Array | undefined;
  dispose(): void;
}
