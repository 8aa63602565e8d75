import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix } from '../../core/matrix.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { tensorMatrix } from '../../engine/tensors/doubles.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { drawnNodes, type LatentNodes } from '../../kernels/expectations/index.ts';
import { isApart } from '../../model/entrywise/gaussian.ts';
import type { Likelihood } from '../../model/entrywise/likelihood.ts';
import type { DensityContext, DensityStart, Rows } from '../../model/language/density.ts';
import type { TensorMap } from '../../model/model.ts';
import { parentsAndOffset } from '../processDensity.ts';
import { type BoundOptions, isCollapsed } from './boundPosterior.ts';
import { collapsedBound, collapsedData, collapsedStatistics, columnGroups, NODES } from './collapsedBound.ts';
import { densityNodes, hasExpectations, isClosed, nodesPerDimension, observedDensity } from './expectedDensity.ts';
import {
  inducingFactor,
  inputsOf,
  isSpread,
  ofKernel,
  ofLikelihood,
  uncertainColumns,
  variablesFrom,
} from './inducingVariables.ts';
import { isInBlocks, isSameForAllRows, summedDensity, summedStatistics } from './shards.ts';

/** A bound with its constants as tensors, until `dispose`. */
export interface OpenBound {
  /** The observations' term at points or Gaussian rows. */
  bound(p: TensorMap, rows: Rows<Tensor2D | op.GaussianRows>, context: DensityContext): Scalar;
  dispose(): void;
}

/** Draws of each latent if all rows are used; batches use one, since every step draws again. */
const DRAWS = 4;

/** Called inside `withFloat64`. */
export function openBound(options: BoundOptions, start: DensityStart): OpenBound {
  const { data, weights } = start;
  if (data === undefined) {
    throw new InvalidInputError(
      `A process through inducing inputs has a bound for observed variables, but '${start.variable}' is latent.`,
    );
  }
  return isCollapsed(options, start) ? openCollapsed(options, data, weights) : openUncollapsed(options, data);
}

function openCollapsed(
  { kernel, likelihood, jitter, shards }: BoundOptions,
  Y: Matrix,
  counts: Float64Array | undefined,
): OpenBound {
  const data = collapsedData(Y, { forBound: true, counts, apart: isApart(likelihood) });
  const open = shards?.open(tensorMatrix(data.observations), kernel);
  const inBlocks = open !== undefined || (data.weights === undefined && isInBlocks(Y.rows));
  return {
    bound: (p, { given }, { onJitter, onApproximation }) => {
      const own = ofKernel(kernel, p);
      const Z = p.inducing as Tensor2D;
      onApproximation?.({ name: 'inducingInputs', count: Z.shape[0] });
      const nodes =
        onApproximation === undefined || hasExpectations(kernel, own, Z.shape[1]) ? undefined : NODES[Z.shape[1]];
      if (nodes !== undefined) onApproximation?.({ name: 'quadrature', count: nodes });
      const x = inputsOf(given);
      const factor = inducingFactor(kernel, own, Z, { jitter, onJitter });
      const found = inBlocks
        ? summedStatistics(open, kernel, own, { x, Z }, data)
        : { expectations: collapsedStatistics(kernel, own, { x, Z }, data), data };
      return collapsedBound(factor, found.expectations, p.noise!, found.data, { onJitter });
    },
    dispose: () => {
      open?.close();
      data.dispose();
    },
  };
}

/** Largest number of evenly spaced rows on which the error of an expectation is measured: all of many would take as long as hundreds of evaluations. */
const MOST_MEASURED = 500;

function openUncollapsed({ kernel, likelihood, jitter, shards, hasOffset }: BoundOptions, Y: Matrix): OpenBound {
  const data = columnGroups(Y);
  const isWhole = data.weights === undefined;
  const open = shards?.open(Y, kernel, likelihood);
  const inBlocks = isWhole && !hasOffset && isInBlocks(Y.rows);
  return {
    bound: (p, { value, given, present, weights: counts }, context) => {
      const { batch, onJitter, onApproximation } = context;
      const Z = p.inducing as Tensor2D;
      onApproximation?.({ name: 'inducingInputs', count: Z.shape[0] });
      const own = ofKernel(kernel, p);
      const factor = inducingFactor(kernel, own, Z, { jitter, onJitter });
      const { parents, offset } = parentsAndOffset(given, hasOffset);
      const x = inputsOf(parents);
      const parts = { kernel, likelihood, latentDim: x.mean.shape[1] };
      const at = {
        ...{ kernel: own, likelihood: ofRows(likelihood, p, batch), Z, factor, variables: variablesFrom(p), x },
        offset: offset as Tensor2D | undefined,
      };
      const isPoint = !parents.some(isSpread);
      const sampled = batch === undefined ? DRAWS : 1;
      const uncertain = uncertainColumns(parents);
      const y = value as Tensor2D;
      const n = y.shape[0];
      if (onApproximation !== undefined && !isPoint && !isClosed(parts, at)) {
        const nodes = nodesPerDimension(uncertain, n);
        onApproximation({ name: nodes === undefined ? 'draws' : 'quadrature', count: nodes ?? sampled });
      }
      const weights =
        data.weights && batch !== undefined ? op.gather<Tensor2D>(data.weights, batch.rows) : data.weights;
      const { latentDim } = parts;
      const nodesOf = (rows: number): LatentNodes =>
        isPoint
          ? { moves: op.zeros<Tensor2D>([1, latentDim]), weights: [1] }
          : densityNodes(uncertain, () => drawnNodes(rows, latentDim, sampled, context.random), latentDim, rows);
      const densityOf = (likelihood: Likelihood, nodes: () => LatentNodes, rows?: Int32Array) => {
        const some = <T extends Tensor2D | undefined>(own: T) => (own && rows ? op.gather(own, rows) : own) as T;
        return observedDensity(
          { ...parts, likelihood },
          { ...at, x: { mean: some(x.mean), variance: some(x.variance) }, offset: some(at.offset) },
          {
            observations: some(y),
            groups: data.groups,
            weights: some(weights),
            present: some(present),
            counts: some(counts),
          },
          nodes,
        );
      };
      const isSummed = !(isPoint || counts || batch) && inBlocks && isSameForAllRows(parts, at);
      const density = open || isSummed ? summedDensity(open ?? y, parts, at) : densityOf(likelihood, () => nodesOf(n));
      const { exactExpectation: expectation } = likelihood;
      if (expectation !== undefined) {
        const measure = () => {
          const count = Math.min(n, MOST_MEASURED);
          const rows = Int32Array.from({ length: count }, (_, k) => Math.floor((k * n) / count));
          const nodes = lazily(() => nodesOf(count));
          const of = (likelihood: Likelihood) => op.valueOf(densityOf(likelihood, nodes, rows));
          return { error: ((of(likelihood) - of({ ...likelihood, expectation })) * n) / count };
        };
        // Shards sum under the likelihood that they were opened with.
        onApproximation?.({ name: 'expectationBound', count: y.shape[1] }, open === undefined ? measure : undefined);
      }
      return density;
    },
    dispose: () => {
      open?.close();
      data.dispose();
    },
  };
}

/** The likelihood's values, with the variances per row of this batch. */
function ofRows(likelihood: BoundOptions['likelihood'], p: TensorMap, batch: DensityContext['batch']): TensorMap {
  const own = ofLikelihood(likelihood, p);
  if (batch === undefined || likelihood.conjugate?.(own).per !== 'row') return own;
  return { ...own, noise: op.gather(own.noise!, batch.rows) };
}
