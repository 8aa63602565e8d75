import { log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix } from '../../core/matrix.ts';
import { lazily } from '../../core/progressiveWork.ts';
import type { Random } from '../../core/random.ts';
import { matrixTensor, tensorMatrix } from '../../engine/tensors/doubles.ts';
import { withFloat64 } from '../../engine/tensors/float64/scope.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { ParameterValues, TensorMap } from '../model.ts';
import { valueTensors } from '../part.ts';
import type { CompiledGraph } from './compiled.ts';
import type { Density, DensityContext, RowsShape, SparsePrecision } from './density.ts';
import type { Node } from './graph.ts';
import type { KnownVariable } from './variable.ts';

/** Gaussian rows whose columns are N(m_d, S_d), with covariances between the rows; `variance` is diag S_d. */
export interface CorrelatedRows extends op.GaussianRows {
  /** F_d for each column, n×n: S_d = F_dF_dᵀ. Computed on demand if the precision is sparse. */
  readonly factors: readonly Tensor2D[];
  /** Σ_d tr(QS_d) for the rows' precision, or for the precision of another density of the rows. */
  form(Q?: Tensor2D | SparsePrecision): Scalar;
  /** Joint entropy of all rows, ½·Σ_d log|2πe·S_d|. */
  readonly entropy: Scalar;
}

export const isCorrelated = (rows: op.GaussianRows): rows is CorrelatedRows => 'factors' in rows;

/** Members of a variable's density used by correlated rows. */
export interface PriorPrecision {
  /** Q, n×n. */
  readonly precision: Tensor2D | SparsePrecision;
  onJitter(jitter: number): void;
}

/**
 * Gaussian rows with S_d = (Q + diag λ_d)⁻¹: the form of the optimal q for any likelihood that factorizes over rows, with 2n numbers per column. With
 * Q + diag λ_d = LLᵀ, F_d = L⁻ᵀ and log|S_d| = −2·Σ log L_ii. For a sparse Q, closed-form bounds need only the diagonal of S_d, which is computed by
 * selected inversion.
 *
 * @param mean - m, n×q
 * @param lambda - λ, n×q, above 0
 * @see Opper & Archambeau 2009; Damianou, Titsias & Lawrence 2011, eq. 14
 */
export function correlatedRows(
  mean: Tensor2D,
  lambda: Tensor2D,
  { precision, onJitter }: PriorPrecision,
): CorrelatedRows {
  const [n, q] = mean.shape;
  const columns = Array.from({ length: q }, (_, d) => op.reshape<Tensor1D>(op.slice(lambda, [0, d], [n, 1]), [n]));
  const lowers = lazily(() => {
    if (n > MOST_DENSE) throw tooMany('Covariances between correlated rows are computed for', n);
    const Q = denseOf(precision);
    return columns.map((own) =>
      op.cholesky(op.add<Tensor2D>(Q, op.diag(own)), { name: 'The precision of correlated latents', onJitter }),
    );
  });
  const factors = lazily(() => {
    const identity = op.eye(n);
    return lowers().map((L) => op.triangularSolve(L, identity, { transpose: true }));
  });
  const marginals = isSparsePrecision(precision) ? precision.marginals : undefined;
  // The diagonal of S_d, n×1, and −½·log|S_d|.
  const known =
    marginals === undefined
      ? factors().map((F, d) => ({
          variance: op.sum<Tensor2D>(op.square(F), 1, true),
          half: op.sum<Scalar>(op.log(op.diagPart(lowers()[d]!))),
        }))
      : columns.map((own) => {
          const { variances, logDeterminant } = marginals(own);
          return { variance: op.reshape<Tensor2D>(variances, [n, 1]), half: op.mul<Scalar>(0.5, logDeterminant) };
        });
  const variance = op.concat(
    known.map((own) => own.variance),
    1,
  ) as Tensor2D;
  return {
    mean,
    variance,
    form: (Q) => {
      // (Q + diag λ)S = I
      if (Q === undefined) return op.sub<Scalar>(n * q, op.sum(op.mul(lambda, variance)));
      const dense = denseOf(Q);
      return factors()
        .map((F) => op.sum<Scalar>(op.mul(op.matMul<Tensor2D>(dense, F), F)))
        .reduce((sum, own) => op.add<Scalar>(sum, own));
    },
    entropy: known.reduce(
      (sum, { half }) => op.sub<Scalar>(sum, half),
      op.scalar((n * q * (1 + log(2 * Math.PI))) / 2),
    ),
    get factors() {
      return factors();
    },
  };
}

const isSparsePrecision = (Q: Tensor2D | SparsePrecision): Q is SparsePrecision => 'matrix' in Q;
const denseOf = (Q: Tensor2D | SparsePrecision): Tensor2D => (isSparsePrecision(Q) ? Q.matrix() : Q);

/** Σ_d tr(QS_d) for the precision of a density of the rows. */
export const expectedForm = (Q: Tensor2D | SparsePrecision, rows: op.GaussianRows): Scalar =>
  isCorrelated(rows)
    ? rows.form(Q)
    : op.sum<Scalar>(op.mul(isSparsePrecision(Q) ? Q.diagonal : op.diagPart(Q), op.sum(rows.variance, 1)));

/** Largest number of rows whose precision is formed as an N×N matrix. */
const MOST_DENSE = 4000;

/** Precision Q of a density of this many rows, if it has one; not as an N×N matrix if there are too many. */
export function precisionBetween(
  density: Density,
  p: TensorMap,
  rows: RowsShape,
  context: DensityContext,
): Tensor2D | SparsePrecision | undefined {
  const { gaussian } = density;
  return gaussian?.isSparse || rows.rows <= MOST_DENSE ? gaussian?.precision?.(p, rows, context) : undefined;
}

const tooMany = (what: string, rows: number) =>
  new InvalidInputError(
    `${what} at most ${MOST_DENSE} rows, but there are ${rows}. Leave correlated out of gaussianLatents.`,
  );

/** The precision of a variable's correlated rows, from its density. */
export function precisionOf(
  { owner, graph, ownTensors, startOf }: CompiledGraph,
  node: Node,
  values: TensorMap,
  context: DensityContext,
): PriorPrecision {
  const { name, given, densities } = node;
  const said = `The rows of '${name}' of ${owner} are correlated under its density`;
  const placed = densities.find(({ isFactor }) => !isFactor);
  const parents = given.map((each) => graph.nodes.find((node) => node.name === each)!.variable);
  if (parents.some(({ role }) => role !== 'known')) {
    throw new InvalidInputError(`${said}, which is given variables that are inferred. Give it known variables only.`);
  }
  const { rows } = startOf(node);
  const known = parents.map((parent) => matrixTensor((parent as KnownVariable).data));
  const precision =
    placed && precisionBetween(placed.density, ownTensors(placed.path, values), { rows, given: known }, context);
  if (precision !== undefined) return { precision, onJitter: context.onJitter };
  if (rows > MOST_DENSE && placed?.density.gaussian?.precision !== undefined) throw tooMany(`${said} for`, rows);
  throw new InvalidInputError(
    `${said}, but ${placed === undefined ? 'it has none' : `'${placed.density.name}' has no precision between rows`}. Take laplacian, markov, maxEntropy({ expect }) or ` +
      'gaussianProcess for it, or leave correlated out of gaussianLatents.',
  );
}

/** Rows correlated as in their variable's density, at plain values, and F_d for each column on demand. */
export function correlatedRowsAt(model: CompiledGraph, node: Node, values: ParameterValues, random: Random) {
  const read = <T>(of: (rows: CorrelatedRows) => T): T =>
    withFloat64(() => {
      const constants = node.densities.find(({ isFactor }) => !isFactor)?.density.prepare?.(model.startOf(node));
      const { dispose } = (constants ?? {}) as { dispose?: unknown };
      try {
        const rows = model.gaussianRows(node, valueTensors(values), undefined, {
          constants,
          random,
          iteration: 0,
          remember: (_, make) => make(),
          onJitter: () => {},
        });
        return of(rows as CorrelatedRows);
      } finally {
        if (typeof dispose === 'function') dispose.call(constants);
      }
    });
  return {
    ...read(({ mean, variance }) => ({ mean: tensorMatrix(mean), variance: tensorMatrix(variance) })),
    factors: lazily((): readonly Matrix[] => read(({ factors }) => factors.map(tensorMatrix))),
  };
}
