import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import type { Standardization } from '../../core/observations.ts';
import { type Random, seededRandom } from '../../core/random.ts';
import { firstRows, paddedRows } from '../../core/rowMatrices.ts';
import { matchedNormals } from '../../engine/special/randomDraws.ts';
import { doublesOf, matrixTensor, tensorMatrix } from '../../engine/tensors/doubles.ts';
import { valueAndGradients } from '../../engine/tensors/gradients.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { equalMixture } from '../equalMixture.ts';
import { jointDraw } from '../jointDraw.ts';
import type { Prediction } from '../posterior.ts';
import type { RowModel, RowsByName } from '../rowModel.ts';
import { type Conditional, checkedRowTerms, type RowMoments } from './density.ts';
import type { Fitted, FittedGraph } from './fittedGraph.ts';
import type { Node, PlacedDensity } from './graph.ts';
import { lastRows } from './lastRows.ts';
import { isEncoded } from './variable.ts';

/** Quantities of new rows, all derived from the fitted densities. */
export type OfNewRows = Required<Pick<RowModel, 'density' | 'predict' | 'sample'>> &
  Pick<RowModel, 'latents' | 'computed' | 'computedVariances' | 'ahead'>;

/** Number of draws used to integrate over random variables between the known and the observed ones. */
const DRAWS = 128;
/** Seed of these draws, so that predictions are the same each time. */
const DRAWS_SEED = 20_080_613;

/** Derives the quantities of new rows from a fitted graph. */
export function ofNewRows(of: FittedGraph): OfNewRows {
  const { model, pointwise, latents, sequential, at, seenRows, newValues, isGiven, givenRows, mapInputs, withSources } =
    of;
  const { graph, owner, seen } = model;
  const { nodes } = graph;

  const density: OfNewRows['density'] = (X, rows, accuracy, isValue = false) =>
    at((fitted) => {
      const joint = matrixTensor(paddedRows(X));
      const [n] = joint.shape;
      const given = withSources(mapValues(rows, paddedRows));
      const start = new Map<string, Tensor2D>();
      const presence = new Map<string, Tensor2D>();
      let scales: Float64Array | undefined;
      for (const [name, matrix] of Object.entries(given)) {
        const { value, present, scale } = seenRows(name, matrix);
        start.set(name, value);
        if (present !== undefined) presence.set(name, present);
        if (of.nodeOf(name).variable.role === 'observed') {
          scales = scales === undefined ? scale : scales.map((entry, i) => entry + scale[i]!);
        }
      }
      let ofObservations = new Float64Array(n);
      let ofAll = ofObservations;
      const sum = () => {
        let from = 0;
        const searched = new Map(start);
        for (const { name, columns: width } of units) {
          searched.set(name, op.slice<Tensor2D>(joint, [0, from], [n, width]));
          from += width;
        }
        const current = newValues(fitted, searched, given);
        let seenPart: Tensor1D | undefined;
        let rest: Tensor1D | undefined;
        for (const node of pointwise) {
          if (!current.has(node.name) || !isGiven(node, current, given)) continue;
          for (const placed of node.densities) {
            const { logPredictive } = fitted.conditional(placed, node, accuracy);
            if (logPredictive === undefined) continue;
            const present = presence.get(node.name);
            if (present !== undefined && !placed.density.takesMissing) throw missingEntries(owner, node.name, placed);
            const value = current.get(node.name)!;
            const rows = { value, given: givenRows(node, current, given), ...(present && { present }) };
            const term = checkedRowTerms(logPredictive(rows), n, `new rows of '${node.name}' of ${owner}`);
            if (node.variable.role === 'observed' && !placed.isFactor) {
              seenPart = seenPart === undefined ? term : op.add<Tensor1D>(seenPart, term);
            } else rest = rest === undefined ? term : op.add<Tensor1D>(rest, term);
          }
        }
        const observations = seenPart === undefined ? op.zeros<Tensor1D>([n]) : seenPart;
        const scaled = scales?.some((entry) => entry !== 0)
          ? op.add<Tensor1D>(observations, op.tensor(scales))
          : observations;
        const both = rest === undefined ? scaled : op.add<Tensor1D>(scaled, rest);
        ofObservations = new Float64Array(doublesOf(scaled));
        ofAll = new Float64Array(doublesOf(both));
        return op.sum<Scalar>(both);
      };
      const gradients = isValue ? void sum() : valueAndGradients(sum, [joint]).gradients;
      const gradient = new Matrix(gradients?.[0] ?? new Float64Array(n * X.columns), n, X.columns);
      return {
        density: ofObservations.slice(0, X.rows),
        posterior: ofAll.slice(0, X.rows),
        gradient: firstRows(gradient, X.rows),
      };
    });

  // The variables searched for new rows: latent variables or, without any, variables mapped from rows that may have missing entries.
  const units = latents.length > 0 ? of.widths(latents) : of.widths([graph.shown]);

  /** Moments or draws of the variables that follow from known values. */
  function follow(
    fitted: Fitted,
    given: RowsByName,
    visit: (
      node: Node,
      moments: () => RowMoments | undefined,
      conditional: Conditional,
      rows: readonly Tensor2D[],
    ) => Tensor2D | undefined,
  ): Map<string, Tensor2D> {
    const current = new Map<string, Tensor2D>();
    for (const node of nodes) {
      const { name, variable, given: needs, isPointwise } = node;
      const there = given[name];
      if (there !== undefined) current.set(name, matrixTensor(there));
      else if (!isPointwise) current.set(name, fitted.values.get(name)!);
      else if (!isGiven(node, current, given)) continue;
      else if (variable.role === 'mapped') {
        current.set(name, model.mapped(node, fitted.tensors, mapInputs(node, current, given)));
      } else if (variable.role === 'latent' || variable.role === 'observed') {
        if (needs.length === 0 && variable.role === 'latent') continue;
        const [placed] = node.densities;
        if (placed === undefined || placed.isFactor) continue;
        const conditional = fitted.conditional(placed, node);
        const rows = givenRows(node, current, given);
        const value = visit(node, () => conditional.moments?.(rows), conditional, rows);
        if (value !== undefined) current.set(name, value);
      }
    }
    return current;
  }

  const inUnits = (name: string, found: Prediction): Prediction => {
    const standardization = seen.get(name)?.standardization;
    if (standardization === undefined) return found;
    const { mean, variance, meanError } = found;
    return {
      mean: unscaled(mean, standardization),
      variance: squareUnscaled(variance, standardization),
      ...(meanError && {
        meanError: unscaled(meanError, { ...standardization, mean: new Float64Array(mean.columns) }),
      }),
    };
  };

  /** True if a variable between the known values and an observed variable is random. */
  function isIndirect(given: RowsByName): boolean {
    return latents.some(({ name, given: needs }) => given[name] === undefined && needs.length > 0);
  }

  /** @throws InvalidInputError if no observed variable follows from these values, naming the missing variable */
  function checkFollowed(fitted: Fitted, given: RowsByName, found: object, caller: 'predict' | 'sample'): void {
    if (of.observed.length === 0 || of.observed.some(({ name }) => name in found)) return;
    const silent = latents.find(({ name, given: needs, densities: [placed] }, l) => {
      if (given[name] !== undefined || needs.length === 0 || placed === undefined) return false;
      const { moments, sample } = fitted.conditional(placed, latents[l]!);
      return moments === undefined && (caller === 'predict' || sample === undefined);
    });
    const lacking = silent ?? latents.find(({ name }) => given[name] === undefined);
    if (lacking === undefined) return;
    const why =
      silent === undefined
        ? ''
        : `: its density '${silent.densities[0]!.density.name}' gives no ${caller === 'predict' ? 'moments' : 'draws'} of new rows`;
    throw new InvalidInputError(
      `Nothing observed of ${owner} follows from ${listed(Object.keys(given))}, since '${lacking.name}' is not known there${why}. ` +
        `Give its rows too: ${caller}({ ${[...Object.keys(given), lacking.name].join(', ')} }).`,
      { code: 'missingVariable' },
    );
  }

  const predict: OfNewRows['predict'] = (given, noise, variances = {}) =>
    at((fitted) => {
      const all = withSources(mapValues(given, paddedRows));
      const spreads = mapValues(variances, paddedRows);
      const [{ rows: count }] = Object.values(given) as [Matrix, ...Matrix[]];
      const random = seededRandom(DRAWS_SEED);
      const normals = matchedNormals(DRAWS, seededRandom(DRAWS_SEED));
      const found: Record<string, Prediction> = {};
      const copies = isIndirect(all) ? DRAWS : 1;
      const repeated = copies === 1 ? all : mapValues(all, (rows) => copied(rows, copies));
      follow(fitted, repeated, (node, certain, conditional, rows) => {
        const isSpread = node.given.some((each) => spreads[each] !== undefined);
        const around = (mean: Tensor2D, i: number) => {
          const spread = spreads[node.given[i]!];
          return { mean, variance: spread === undefined ? op.zeros<Tensor2D>(mean.shape) : matrixTensor(spread) };
        };
        const moments =
          isSpread && conditional.uncertainMoments !== undefined
            ? conditional.uncertainMoments(rows.map(around))
            : certain();
        if (moments === undefined) return undefined;
        const { mean, variance, added } = wide(owner, node.name, moments);
        const isObserved = node.variable.role === 'observed';
        const ofFunction = op.relu<Tensor2D>(variance);
        const noisy = () => moments.observed?.() ?? { mean, variance: op.add<Tensor2D>(ofFunction, added) };
        const shown = noise ? noisy() : { mean, variance: ofFunction };
        found[node.name] = inUnits(
          node.name,
          equalMixture(tensorMatrix(shown.mean), tensorMatrix(shown.variance), copies),
        );
        if (isObserved) return undefined;
        // Intermediate latent rows include the noise of their density. Each row is predicted separately, so covariances between rows are omitted.
        if (moments.covariances === undefined)
          return drawn(owner, node, () => moments, conditional, rows, random, true);
        const whole = op.sqrt(op.add<Tensor2D>(ofFunction, added));
        // The same draws for all rows, so that predictions of a row do not depend on the others.
        const draws = repeatedEach(normals(mean.shape[1]), mean.shape[0] / DRAWS);
        return op.add<Tensor2D>(mean, op.mul(whole, matrixTensor(draws)));
      });
      checkFollowed(fitted, all, found, 'predict');
      return Object.fromEntries(
        Object.entries(found).map(([name, { mean, variance, meanError }]) => [
          name,
          {
            mean: firstRows(mean, count),
            variance: firstRows(variance, count),
            ...(meanError && { meanError: firstRows(meanError, count) }),
          },
        ]),
      );
    });

  const sample: OfNewRows['sample'] = (given, random, noise) =>
    at((fitted) => {
      const all = withSources(given);
      const found: Record<string, Matrix> = {};
      follow(fitted, all, (node, moments, conditional, rows) => {
        const isObserved = node.variable.role === 'observed';
        const value = drawn(owner, node, moments, conditional, rows, random, noise || !isObserved);
        if (value === undefined) return undefined;
        const { standardization } = seen.get(node.name) ?? {};
        found[node.name] = standardization ? unscaled(tensorMatrix(value), standardization) : tensorMatrix(value);
        return value;
      });
      checkFollowed(fitted, all, found, 'sample');
      return found;
    });

  return {
    latents: units,
    density,
    predict,
    sample,
    computed: (given) =>
      at((fitted) => {
        const raw = withSources(mapValues(given, paddedRows));
        const count = Object.values(given)[0]?.rows ?? 0;
        const start = new Map(Object.entries(raw).map(([name, rows]) => [name, seenRows(name, rows).value]));
        for (const [name, { mean }] of of.encodedRows(mapValues(given, paddedRows)))
          if (!start.has(name)) start.set(name, matrixTensor(mean));
        const current = newValues(fitted, start, raw);
        const isComputed = (name: string) => isEncoded(of.nodeOf(name).variable) && given[name] === undefined;
        const mapped = [...current].filter(([name]) => {
          const { variable, isPointwise } = of.nodeOf(name);
          return isComputed(name) || (variable.role === 'mapped' && isPointwise);
        });
        return Object.fromEntries(mapped.map(([name, tensor]) => [name, firstRows(tensorMatrix(tensor), count)]));
      }),
    computedVariances: (given) =>
      at(() =>
        Object.fromEntries(
          of
            .encodedRows(mapValues(given, paddedRows))
            .flatMap(([name, { variance }]) =>
              variance === undefined ? [] : [[name, firstRows(variance, Object.values(given)[0]!.rows)]],
            ),
        ),
      ),
    ahead:
      sequential === undefined
        ? undefined
        : (steps, normals) =>
            at((fitted) => {
              const { next } = fitted.conditional(sequential, graph.shown);
              const mean = of.values[graph.shown.name]!;
              const variance = of.variances[graph.shown.name];
              const factor = variance === undefined ? lastRows(of) : undefined;
              const paths = pathsAhead(next!, { mean, variance, factor }, steps, normals);
              return { paths, start: variance ? 'gaussian' : factor ? 'laplace' : 'fixed' };
            }),
  };
}

/** Fitted rows: Gaussian rows, or points with the Cholesky factor of the precision of the last ones, if it is known. */
interface FittedRows {
  readonly mean: Matrix;
  readonly variance: Matrix | undefined;
  readonly factor: Matrix | undefined;
}

/** Paths after the last of some rows. */
function pathsAhead(
  next: NonNullable<Conditional['next']>,
  { mean, variance, factor }: FittedRows,
  steps: number,
  normals: (columns: number) => Matrix,
): Matrix[] {
  const { rows: N, columns: D } = mean;
  const paths: Tensor2D[] = [];
  const draw = (center: Tensor, spread: Tensor) =>
    op.add<Tensor2D>(center, op.mul(op.sqrt(spread), matrixTensor(normals(D))));
  const fitted = new Map<number, Tensor2D>();
  // Deviations of the last rows side by side, L⁻ᵀz.
  const last =
    factor &&
    op.transpose<Tensor2D>(
      op.triangularSolve(matrixTensor(factor), op.transpose(matrixTensor(normals(factor.rows))), { transpose: true }),
    );
  const fixed = N - (factor?.rows ?? 0) / D;
  const before = (lag: number): Tensor2D => {
    const i = N + paths.length - lag;
    if (!Number.isInteger(lag) || lag < 1 || i < 0) {
      throw new InvalidInputError(
        `before(1) to before(${N + paths.length}) are the rows so far, but before(${lag}) was requested.`,
      );
    }
    if (i >= N) return paths[i - N]!;
    const row = (of: ArrayLike<number>) => op.tensor<Tensor2D>(Float64Array.from(of), [1, D]);
    const start =
      fitted.get(i) ??
      (last && i >= fixed
        ? op.add<Tensor2D>(row(mean.row(i)), op.slice(last, [0, (i - fixed) * D], [-1, D]))
        : draw(row(mean.row(i)), row(variance?.row(i) ?? new Float64Array(D))));
    fitted.set(i, start);
    return start;
  };
  for (let k = 0; k < steps; k++) {
    const { mean, variance } = next(before, k);
    paths.push(draw(mean, variance));
  }
  return paths.map(tensorMatrix);
}

/** Moments n×D with noise, or zero noise if there is none. */
function wide(owner: string, name: string, { mean, variance, noise }: RowMoments) {
  if (mean?.rank !== 2 || variance?.rank !== 2 || mean.shape[0] !== variance.shape[0]) {
    throw new InvalidInputError(
      `The moments of '${name}' of ${owner} are a mean and a variance with one row per point, but they have shapes [${mean?.shape}] and [${variance?.shape}].`,
    );
  }
  const all = variance.shape[1] === mean.shape[1] ? variance : op.mul<Tensor2D>(variance, op.ones([1, mean.shape[1]]));
  return { mean, variance: all, added: noise ?? op.scalar(0) };
}

/**
 * A draw of new rows: by the density's `sample`, or from jointly normal functions if their covariances are known.
 *
 * @throws InvalidInputError for a density that defines the moments of its rows but not their distribution
 */
function drawn(
  owner: string,
  node: Node,
  momentsOf: () => RowMoments | undefined,
  conditional: Conditional,
  given: readonly Tensor2D[],
  random: Random,
  noise: boolean,
): Tensor2D | undefined {
  if (conditional.sample !== undefined && noise) return conditional.sample(given, random);
  const moments = momentsOf();
  if (moments === undefined) return undefined;
  const { mean, variance, added } = wide(owner, node.name, moments);
  const asked = noise ? added : op.scalar(0);
  if (moments.covariances === undefined) {
    const isRandom = (tensor: Tensor) => doublesOf(tensor).some((entry) => entry !== 0);
    if (!isRandom(variance) && !isRandom(asked)) return mean;
    const { density } = node.densities[0]!;
    const orFunctions = node.variable.role === 'observed' && !isRandom(variance) ? ', or ask for { noise: false }' : '';
    throw new InvalidInputError(
      `'${node.name}' of ${owner} cannot be drawn: the density '${density.name}' gives moments of new rows, but no sample of them. Give defineDensity its sample${orFunctions}.`,
    );
  }
  const all = moments.covariances();
  const isShared = all.length === 1;
  return jointDraw({ mean, covarianceOf: (column) => all[isShared ? 0 : column]!, isShared, noise: asked }, random);
}

const listed = (names: readonly string[]) => names.map((name) => `'${name}'`).join(' and ');

function missingEntries(owner: string, name: string, { density }: PlacedDensity): InvalidInputError {
  return new InvalidInputError(
    `New rows of '${name}' have missing entries (NaN), but the density '${density.name}' of ${owner} supports complete rows only. ` +
      'Fill them in, or let the density read rows.present and set takesMissing: true.',
    { code: 'missingEntry' },
  );
}

const unscaled = (Z: Matrix, { mean, deviation }: Standardization): Matrix =>
  Z.map((entry, _, j) => entry * deviation[j]! + mean[j]!);

const squareUnscaled = (V: Matrix, { deviation }: Standardization): Matrix =>
  V.map((entry, _, j) => entry * square(deviation[j]!));

const mapValues = (rows: RowsByName, change: (matrix: Matrix) => Matrix): RowsByName =>
  Object.fromEntries(Object.entries(rows).map(([name, matrix]) => [name, change(matrix)]));

/** A number of copies of rows, one below the other. */
const copied = (X: Matrix, copies: number): Matrix =>
  Matrix.zeros(X.rows * copies, X.columns).map((_, i, j) => X.at(i % X.rows, j));

/** Each row repeated a number of times, one below the other. */
const repeatedEach = (X: Matrix, times: number): Matrix =>
  Matrix.zeros(X.rows * times, X.columns).map((_, i, j) => X.at(Math.floor(i / times), j));
