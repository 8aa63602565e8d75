import type { Matrix } from '../../core/matrix.ts';
import type { Scalar, Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { SparsePrecision } from '../../model/language/density.ts';
import type { LearnedByLayer } from '../../model/posterior.ts';
import type { Curvature } from '../../model/solver.ts';

/** A family of fields of precision Q(w) = λI + Σ_k w_k·A_k, one for all multipliers w. */
export interface FieldForm {
  /** Number of points. */
  readonly size: number;
  /** s_k = tr(XᵀA_kX) of rows, whose missing entries (NaN) count as the others do. */
  statisticsOf(X: Matrix): Float64Array;
  /** The same of rows that move. */
  statistics(X: Tensor2D): Tensor1D;
  /** Σ_k w_k·A_k + base·I. */
  precision(w: Tensor1D, base: number): SparsePrecision;
  /** The field at these multipliers. */
  learned(w: Float64Array): LearnedByLayer;
  /**
   * Evaluates it.
   *
   * @param keeps - whether factors may be kept from one evaluation to the next, until it is disposed of
   */
  open(keeps: boolean): OpenForm;
}

/** Evaluations of a family of fields. */
export interface OpenForm {
  /** c/2·log|Q(w)| − ½·Σ_k w_k·s_k. */
  dual(w: Tensor1D, statistics: Tensor1D | Float64Array, copies: number): Scalar;
  /** tr(A_k·Q(w)⁻¹), one for each constraint. */
  expected(w: Float64Array): Float64Array;
  /** Second derivatives of −c/2·log|Q(w)|; undefined where searches do without. */
  curvature(w: Float64Array, copies: number): Curvature | Float64Array | undefined;
  dispose(): void;
}
