import * as tf from '@tensorflow/tfjs-core';
import { Matrix } from '../../core/matrix.ts';
import { certainExpectations, closedExpectations, drawnNodes } from '../../kernels/expectations/index.ts';
import type { Batch, ParameterValues, TensorMap } from '../../model/model.ts';
import { type Parameter, real } from '../../model/parameter.ts';
import { valueTensors } from '../../model/valueTensors.ts';
import { withFloat64 } from '../../tensors/float64/scope.ts';
import { matrixTensor, tensorMatrix } from '../../tensors/matrixTensor.ts';
import * as op from '../../tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../tensors/tensorflow.ts';
import { functionsOf } from '../likelihoods/likelihood.ts';
import { observedPatterns } from '../observedPatterns.ts';
import { collapsedData } from './collapsedData.ts';
import { inducingFactor } from './inducingFactor.ts';
import { inducingStart } from './inducingInputs.ts';
import type { InducingPosterior } from './inducingMoments.ts';
import { inducingDivergence, inducingVariables, Q_MEAN, Q_ROOT, variablesFrom } from './inducingVariables.ts';
import { densityNodes, observedDensity } from './observedDensity.ts';
import { optimalPosterior } from './optimalPosterior.ts';
import { isInBlocks, isSameForAllRows, summedDensity } from './shards.ts';
import {
  INDUCING,
  kernelParameters,
  kernelValues,
  likelihoodParameters,
  likelihoodValues,
  type OpenVariationalModel,
  startMeans,
  type VariationalModel,
  type VariationalParts,
} from './variationalParts.ts';

/** Draws of each latent when all rows count; with batches one, as every step draws anew. */
export const DRAWS = 4;

/**
 * The model with q(u) as variables, for any likelihood, any kernel and some of the rows at a time: the expected log density of the
 * observations (`mapping`), less the divergences of the latents and of q(u) (`divergence`).
 *
 * @see Hensman, Fusi & Lawrence 2013; Lalchand et al. 2022
 */
export const uncollapsedModel: VariationalModel = {
  parameters: uncollapsedParameters,
  constants: opened,
  posterior: posteriorOfValues,
};

function uncollapsedParameters(parts: VariationalParts, seed: number): Readonly<Record<string, Parameter>> {
  const { observations, seen, latents, kernel, likelihood, latentDim } = parts;
  const own = latents.parameters(observations, latentDim, seed);
  const parameters = {
    ...own,
    [INDUCING]: real(inducingStart(parts.inducing, startMeans(parts, own))),
    ...kernelParameters(kernel),
    ...likelihoodParameters(likelihood),
  };
  const initial = Object.fromEntries(Object.entries(parameters).map(([path, { initial }]) => [path, initial]));
  return { ...parameters, ...inducingVariables(startPosterior(parts, initial), seen.columns, likelihood) };
}

function opened(parts: VariationalParts): OpenVariationalModel {
  const { observations, seen, latents, kernel, likelihood, latentDim, jitter } = parts;
  const data = collapsedData(seen, parts.patterns);
  const isWhole = data.weights === undefined;
  const seenByLatents = latents.features(observations, observations);
  // Most latents see the observations themselves: one tensor does for both.
  const isObserved = isWhole && seenByLatents === observations;
  const features = isObserved ? data.observations : tf.keep(matrixTensor(seenByLatents));
  const present = isWhole ? undefined : tf.keep(presence(seen));
  const open = parts.shards?.open(seen, kernel, likelihood);
  const inBlocks = isWhole && isInBlocks(seen.rows);
  return {
    features,
    bound: (values, context) => {
      const { batch, onJitter } = context;
      const scale = batch?.scale ?? 1;
      const rows = <T extends op.Tensor>(x: T): T => (batch === undefined ? x : op.gather<T>(x, batch.rows));
      const p = kernelValues(kernel, values);
      const read = batch?.observations;
      const y = read === undefined ? rows(data.observations) : matrixTensor(read);
      const seenHere = () => (read === undefined ? rows(features) : matrixTensor(latents.features(read, observations)));
      const Z = values[INDUCING] as Tensor2D;
      const factor = inducingFactor(kernel, p, Z, { jitter, onJitter });
      const x = latents.apply(values, isObserved ? y : seenHere());
      const variables = variablesFrom(values[Q_MEAN] as Tensor2D, values[Q_ROOT] as Tensor2D);
      const given = likelihoodValues(likelihood, values);
      const at = { kernel: p, likelihood: rowsOfNoise(parts, given, batch), Z, factor, variables, x };
      const density = () => {
        if (open !== undefined) return summedDensity(open, parts, at);
        if (inBlocks && batch === undefined && isSameForAllRows(parts, at)) return summedDensity(y, parts, at);
        const own = { observations: y, groups: data.groups, weights: data.weights && rows(data.weights) };
        const draws = () => drawnNodes(y.shape[0], latentDim, batch === undefined ? DRAWS : 1, context.random);
        const nodes = () => densityNodes(latentDim, draws);
        return observedDensity(parts, at, { ...own, present: present && rows(present) }, nodes);
      };
      return { mapping: op.mul<Scalar>(scale, density()), inducing: inducingDivergence(variables), x };
    },
    dispose: () => {
      open?.close();
      data.dispose();
      if (!isObserved) features.dispose();
      present?.dispose();
    },
  };
}

/** 1 where observed. */
function presence(Y: Matrix): Tensor2D {
  return matrixTensor(
    new Matrix(
      Y.data.map((entry) => (Number.isNaN(entry) ? 0 : 1)),
      Y.rows,
      Y.columns,
    ),
  );
}

/** The likelihood's values with those variances of rows that belong to the batch. */
function rowsOfNoise({ likelihood }: VariationalParts, given: TensorMap, batch: Batch | undefined): TensorMap {
  if (batch === undefined || likelihood.conjugate?.(given).per !== 'row') return given;
  return { ...given, noise: op.gather(given.noise!, batch.rows) };
}

/** Rows by which q(u) starts, at most. */
const MOST_START_ROWS = 4096;

/** All rows, or evenly spaced ones where there are many; columns that would be without an observation keep their first one. */
function someRows(Y: Matrix): { Y: Matrix; rows: Int32Array } {
  const every = Math.ceil(Y.rows / MOST_START_ROWS);
  const chosen = new Set(Array.from({ length: Math.ceil(Y.rows / every) }, (_, k) => k * every));
  for (let j = 0; every > 1 && j < Y.columns; j++) {
    if ([...chosen].some((i) => !Number.isNaN(Y.at(i, j)))) continue;
    chosen.add(Y.column(j).findIndex((entry) => !Number.isNaN(entry)));
  }
  const rows = Int32Array.from(chosen).sort();
  return { Y: rowsOf(Y, rows), rows };
}

function rowsOf(Y: Matrix, rows: Int32Array): Matrix {
  const result = Matrix.zeros(rows.length, Y.columns);
  rows.forEach((i, k) => {
    result.data.set(Y.row(i), k * Y.columns);
  });
  return result;
}

/** Where q(u) starts: its optimum for what the observations say of the functions, with unit noise where the likelihood has none. */
function startPosterior(parts: VariationalParts, initial: ParameterValues): InducingPosterior {
  const { likelihood, kernel, latents, observations, jitter } = parts;
  const seen = someRows(parts.seen);
  const functions = functionsOf(likelihood, seen.Y);
  return withFloat64(() => {
    const data = collapsedData(functions, observedPatterns(functions));
    const values = valueTensors(initial);
    const p = kernelValues(kernel, values);
    const Z = values[INDUCING] as Tensor2D;
    const chosen = (path: string, value: op.Tensor) =>
      latents.pointwise.includes(path) ? op.gather(value, seen.rows) : value;
    const own = Object.fromEntries(Object.entries(values).map(([path, value]) => [path, chosen(path, value)]));
    const features = matrixTensor(latents.features(rowsOf(observations, seen.rows), observations));
    const x = latents.apply(own, features);
    const { weights } = data;
    const expectations =
      closedExpectations(kernel, p, { x, Z, ...(weights && { weights }) }) ??
      certainExpectations(kernel, p, x.mean, Z, weights);
    const noise = likelihood.conjugate?.(likelihoodValues(likelihood, values)).variance;
    // Each of the rows stands for as many as were left out.
    const share = seen.Y.rows / (parts.points ?? parts.seen.rows);
    const variance = op.mul(share, noise === undefined ? op.scalar(1) : op.mean(noise));
    const factor = inducingFactor(kernel, p, Z, { jitter });
    const result = optimalPosterior(Z, factor, expectations, variance, data);
    data.dispose();
    return result;
  });
}

function posteriorOfValues({ kernel, jitter, seen }: VariationalParts, values: ParameterValues): InducingPosterior {
  return withFloat64(() => {
    const tensors = valueTensors(values);
    const Z = tensors[INDUCING] as Tensor2D;
    const { mean, roots } = variablesFrom(tensors[Q_MEAN] as Tensor2D, tensors[Q_ROOT] as Tensor2D);
    const columns = Int32Array.from({ length: seen.columns }, (_, j) => j);
    return {
      inducing: tensorMatrix(Z),
      factor: tensorMatrix(inducingFactor(kernel, kernelValues(kernel, tensors), Z, { jitter })),
      groups: [{ columns, mean: tensorMatrix(mean), roots: tensorMatrix(roots) }],
    };
  });
}
