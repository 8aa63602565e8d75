import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix } from '../../core/matrix.ts';
import { isPart, namedOptions } from '../../core/options.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { matrixTensor, tensorMatrix } from '../../engine/tensors/doubles.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { initialLatents } from '../initialization.ts';
import type { TensorMap } from '../model.ts';
import type { Parameter } from '../parameter.ts';
import { valueTensors } from '../part.ts';
import { imputed } from '../posterior.ts';
import { pickedMatrix } from './compiled.ts';
import { joinedColumns, type Node, type VariableGraph } from './graph.ts';
import type { Observations } from './observations.ts';
import {
  factorsOf,
  type Given,
  givenOf,
  type MappedOptions,
  type MappedStart,
  type MappedVariable,
} from './variable.ts';

/**
 * A variable that is computed from others: decoders, charts such as `circle()`, back-constraints.
 *
 * @param given - the variables that the map is applied to, in its order
 * @param map - `mlpMap()`, `circle()`, one made by `defineMap`, or a function of tensors n×q without parameters
 * @param options - see {@link MappedOptions}
 * @throws InvalidInputError for what is not a variable or not a map
 * @example
 * ```ts
 * const angle = latent({ dim: 1 });
 * const x = mapped(angle, circle());
 * ```
 */
export function mapped<const F = undefined>(
  given: Given,
  map: MapLike,
  options: MappedOptions & { readonly factors?: F } = {},
): MappedVariable<F> {
  const own = namedOptions<MappedOptions>(options, 'mapped', ['factors', 'dim']);
  const list = givenOf(given, 'mapped');
  if (list.length === 0) throw new InvalidInputError('mapped takes at least one variable, but none was given.');
  return Object.freeze<MappedVariable<F>>({
    kind: 'variable',
    role: 'mapped',
    map: mapOf(map),
    given: list,
    factors: factorsOf(own.factors, 'mapped'),
    dim: own.dim,
    '~starts': placeMapped,
  });
}

/** Rows of several variables side by side; of plates with other numbers of rows the first's alone. */
function sameRows(parts: readonly Matrix[]): Matrix {
  return joinedColumns(parts.filter(({ rows }) => rows === parts[0]!.rows));
}

/** Number of columns of a mapped variable, for maps whose parameters need it. */
function mappedColumns({ nodes }: VariableGraph, { name, variable }: Node<MappedVariable>): number {
  if (variable.dim !== undefined) return variable.dim;
  for (const { variable: other, given } of nodes) {
    if (other.role !== 'observed' || !given.includes(name) || other.density.functions === undefined) continue;
    return other.data.columns * other.density.functions;
  }
  return 2;
}

/** Where a mapped variable is to start: at the observations that a decoder is to give, or at principal components, and 0 in columns that these do not fill. */
function mappedTarget(
  { nodes }: VariableGraph,
  seen: ReadonlyMap<string, Observations>,
  { name }: Node,
  columns: number,
  observations: () => Matrix,
): Matrix {
  for (const { name: child, variable, given } of nodes) {
    if (variable.role !== 'observed' || !given.includes(name) || variable.density.functions === undefined) continue;
    const { density } = variable;
    const data = imputed(seen.get(child)!.data, Math.min(2, variable.data.columns));
    return density.functionStart?.(data) ?? data;
  }
  const rows = observations();
  const available = Math.min(columns, rows.columns, rows.rows - 1);
  return joinedColumns([initialLatents('pca', rows, available), Matrix.zeros(rows.rows, columns - available)]);
}

const placeMapped: MappedStart = (node, { model, seed, observations, starts, place, initialOf }) => {
  const { graph, seen } = model;
  const { name, variable } = node;
  const wide = mappedColumns(graph, node);
  const givenStarts = node.given.map((each, i) => pickedMatrix(model, node.picked[i], starts.get(each)!()));
  const known = node.given.every((each) => graph.nodes.find((other) => other.name === each)!.variable.role === 'known');
  const rows = givenStarts.length === 1 ? givenStarts[0]! : sameRows(givenStarts);
  const isKnown = known && node.given.length === 1;
  if (!isKnown && variable.map.features(rows, rows) !== rows) {
    const parents = node.given.map((each) => `'${each}'`).join(' and ');
    throw new InvalidInputError(
      `The map '${variable.map.name}' of '${name}' of ${model.owner} is a function of rows and of those of the fit, which one known variable has, but ${parents} ${node.given.length === 1 ? 'is inferred' : 'are given'}. ` +
        'Give it one known variable, with all columns side by side, or take a map without features, such as mlpMap().',
    );
  }
  const target = lazily(() => mappedTarget(graph, seen, node, wide, observations));
  const own = variable.map.parameters({
    observations: rows,
    get features() {
      return known ? variable.map.features(rows, rows) : rows;
    },
    get latents() {
      return target();
    },
    latentDim: wide,
    seed,
  });
  place(name, own);
  const inputs = givenStarts.map((own, i) => matrixTensor(model.features(node, i) ?? own));
  return tensorMatrix(model.mapped(node, valueTensors(initialOf(name)), inputs));
};

/** What the initial values of a map's parameters may depend on. */
export interface MapStart {
  /** Rows that the map is given, as the model sees them, N×D; those of several variables side by side. */
  readonly observations: Matrix;
  /** Result of `features`; the rows themselves without it. */
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
  /** Period of each coordinate; none where it is left out. */
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
  /** Input of `apply` for known rows (n×D), independent of the parameters, given those of the fit (N×D). */
  readonly features: (rows: Matrix, fitted: Matrix) => Matrix;
  /** Rows of the result, n×q. */
  readonly apply: (p: TensorMap, ...given: Tensor2D[]) => Tensor2D;
  /** True where its rows are linear in those that it is given, beside a constant. */
  readonly affine?: true;
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
