import { InvalidInputError } from '../../core/errors.ts';
import { isPart } from '../../core/given.ts';
import { describe, type Matrix } from '../../core/matrix.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { TensorMap } from '../model.ts';
import type { Parameter } from '../parameter.ts';

/** What the start of a map's parameters may depend on. */
export interface MapStart {
  /** Rows that the map is given, as the model sees them, N×D; those of several variables side by side. */
  readonly observations: Matrix;
  /** What `features` makes of them; the rows themselves without it. */
  readonly features: Matrix;
  /** Where the result is to start, N×q: a map's start is fitted to it. Formed when it is read. */
  readonly latents: Matrix;
  /** Number of columns of the result, q. */
  readonly latentDim: number;
  /** Seed of everything random. */
  readonly seed: number;
}

/** Coordinates of a manifold: what goes from one of its points to another without leaving it. */
export interface Chart {
  /** Point a part of the way from one point to another, 0 to 1, in the coordinates of the variable that the map is given. */
  between(from: Float64Array, to: Float64Array, part: number): Float64Array;
  /** Number of its coordinates. */
  readonly dim: number;
  /** What may be added to any coordinate without leaving the point; none where it is left out. */
  readonly period?: number;
  /** Coordinates at which points start, from principal components of the observations (N×c, as many as there are of `components`). */
  start?(components: Matrix): Matrix;
  /** Number of principal components that `start` reads. */
  readonly components?: number;
}

/** A function from the rows of variables to rows: a plain frozen description. */
export interface RowMap {
  readonly kind: 'map';
  readonly name: string;
  /** Its parameters by name, started. */
  readonly parameters: (start: MapStart) => Readonly<Record<string, Parameter>>;
  /** What `apply` needs of rows that are known (n×D), whatever the parameters, given those of the fit (N×D). */
  readonly features: (rows: Matrix, fitted: Matrix) => Matrix;
  /** Rows of the result, n×q. */
  readonly apply: (p: TensorMap, ...given: Tensor2D[]) => Tensor2D;
  /** Chart of the variable that it is given, for maps onto a manifold. */
  readonly chart?: Chart;
}

/** A map, or a function of tensors without parameters. */
export type MapLike = RowMap | ((...given: Tensor2D[]) => Tensor2D);

/**
 * The map that is meant.
 *
 * @throws InvalidInputError for what is not one
 */
export function mapOf(given: unknown): RowMap {
  if (typeof given === 'function') {
    const apply = given as (...rows: Tensor2D[]) => Tensor2D;
    return Object.freeze<RowMap>({
      kind: 'map',
      name: 'function',
      parameters: () => ({}),
      features: (rows) => rows,
      apply: (_, ...rows) => apply(...rows),
    });
  }
  if (isPart(given, 'map', ['parameters', 'features', 'apply'])) return given as RowMap;
  throw new InvalidInputError(
    `mapped takes a map, such as mlpMap() or (z) => op.cos(z), but ${describe(given)} was given.`,
  );
}
