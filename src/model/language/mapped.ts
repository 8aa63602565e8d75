import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix } from '../../core/matrix.ts';
import { checkOptions, isPart } from '../../core/options.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { joinedColumns } from '../../core/rowMatrices.ts';
import { matrixTensor, tensorMatrix } from '../../engine/tensors/doubles.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { initialLatents } from '../initialization.ts';
import type { TensorMap } from '../model.ts';
import type { Parameter } from '../parameter.ts';
import { valueTensors } from '../part.ts';
import { imputed } from '../posterior.ts';
import { pickedMatrix } from './compiled.ts';
import type { Node, VariableGraph } from './graph.ts';
import type { Observations } from './observations.ts';
import {
  factorsOf,
  type Given,
  givenOf,
  type MappedOptions,
  type MappedStart,
  type MappedVariable,
  mappedSchema,
} from './variable.ts';

/**
 * A variable computed from others: by a decoder, a chart such as `circle()`, or a back-constraint.
 *
 * @param given - the variables that the map is applied to, in order
 * @param map - `mlpMap()`, `circle()`, a custom map of `defineMap`, or a function of n×q tensors without parameters
 * @param options - see {@link MappedOptions}
 * @throws InvalidInputError for an invalid variable or map
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
  const own = checkOptions(mappedSchema, options, 'mapped');
  const list = givenOf(given, 'mapped');
  if (list.length === 0) throw new InvalidInputError('mapped takes at least one variable, but none was given.');
  return Object.freeze<MappedVariable<F>>({
    kind: 'variable',
    role: 'mapped',
    map: mapOf(map),
    given: list,
    factors: factorsOf(own.factors, 'mapped'),
    dim: own.dim,
    '~starts': startedMap,
  });
}

/** Rows of several variables side by side; only the first one's if plates have different numbers of rows. */
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

/** Target for the initialization of a mapped variable: the observations for a decoder, otherwise principal components, with 0 in columns beyond them. */
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

const startedMap: MappedStart = (node, { model, seed, observations, starts, register, initialOf }) => {
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
      `The map '${variable.map.name}' of '${name}' of ${model.owner} is a function of new rows and the fitted rows of one known variable, but ${parents} ${node.given.length === 1 ? 'is inferred' : 'are given'}. ` +
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
  register(name, own);
  const inputs = givenStarts.map((own, i) => matrixTensor(model.features(node, i) ?? own));
  return tensorMatrix(model.mapped(node, valueTensors(initialOf(name)), inputs));
};

/** Data that the initial values of a map's parameters may depend on. */
export interface MapStart {
  /** Input rows of the map in the model's units, N×D; rows of several variables side by side. */
  readonly observations: Matrix;
  /** Result of `features`, or else the rows themselves. */
  readonly features: Matrix;
  /** Target of the map's result, N×q: its initial parameters are fitted to it. Computed when it is read. */
  readonly latents: Matrix;
  /** Number of columns of the result, q. */
  readonly latentDim: number;
  /** Seed of everything random. */
  readonly seed: number;
}

/** Coordinates of a manifold, with paths between points that stay on it. */
export interface Chart {
  /** Point at a fraction (0 to 1) of the path from one point to another, in the coordinates of the map's input variable. */
  between(from: Float64Array, to: Float64Array, part: number): Float64Array;
  /** Number of its coordinates. */
  readonly dim: number;
  /** Period of each coordinate; undefined if they are not periodic. */
  readonly period?: number;
  /** Initial coordinates of points, computed from principal components of the observations (N×c with c = `components`). */
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
  /** Input of `apply` for known rows (n×D), independent of the parameters but dependent on the fitted rows (N×D). */
  readonly features: (rows: Matrix, fitted: Matrix) => Matrix;
  /** Rows of the result, n×q. */
  readonly apply: (p: TensorMap, ...given: Tensor2D[]) => Tensor2D;
  /** True if its rows are affine in the input rows. */
  readonly affine?: true;
  /** Chart of the input variable, for maps onto a manifold. */
  readonly chart?: Chart;
}

/** A map, or a function of tensors without parameters. */
export type MapLike = RowMap | ((...given: Tensor2D[]) => Tensor2D);

/**
 * The map of an argument.
 *
 * @throws InvalidInputError if it is not a map
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
