import type { Matrix } from '../core/matrix.ts';
import { standardized } from '../core/observations.ts';
import { firstRows, paddedRows } from '../core/paddedRows.ts';
import { latentsOf } from '../latents/latents.ts';
import type { ParameterValues, TensorMap } from '../model/model.ts';
import type { MappedPosterior, PlacedPosterior, SequencePosterior, ViewedPosterior } from '../model/posterior.ts';
import { valueTensors } from '../model/valueTensors.ts';
import { withLayers } from '../model/withLayers.ts';
import { withFloat64 } from '../tensors/float64/scope.ts';
import { matrixTensor, tensorMatrix } from '../tensors/matrixTensor.ts';
import * as op from '../tensors/ops.ts';
import type { Tensor1D, Tensor2D } from '../tensors/tensorflow.ts';
import { type ModelParts, type PlacedPrior, pathOf } from './assembly.ts';
import { sideBySideMapping, sideBySideStandardization, viewMapping } from './viewMapping.ts';

/** What a Gaussian-process latent variable model can do at these values. The factor of its covariance is made when first needed. */
export function posteriorOf(parts: ModelParts, values: ParameterValues): MappedPosterior {
  const { observations, priors } = parts;
  const latents = latentsOf(parts.latents, values, observations, observations);
  const pointwise = priors.filter(({ prior }) => prior.pointLogDensity !== undefined);
  const sequential = priors.find(({ prior }) => prior.transition !== undefined);
  const encodes = parts.latents.mapsObservations;
  const standardization = sideBySideStandardization(parts.views);
  const prior = pointwise.length === 0 ? undefined : (X: Tensor2D) => rowDensities(pointwise, valueTensors(values), X);
  const views = parts.views.map((view) => viewMapping(view, latents, values, prior));
  const mapping = sideBySideMapping(views, prior);
  const posterior: MappedPosterior & Partial<ViewedPosterior & PlacedPosterior & SequencePosterior> = {
    latents,
    mapping,
    ...(parts.views[0]!.name !== undefined && {
      views: Object.fromEntries(parts.views.map(({ name }, i) => [name, views[i]!])),
    }),
    ...(encodes && {
      placement: {
        acceptsMissing: true,
        searchesMissing: true,
        observedColumns: observations.columns,
        place: (Y: Matrix) => {
          const rows = standardized(paddedRows(Y), standardization);
          const X = firstRows(latentsOf(parts.latents, values, rows, observations), Y.rows);
          return { latents: X, logDensity: mapping.predictiveDensity(X, Y).density };
        },
      },
    }),
    ...(sequential !== undefined && { next: (X: Matrix) => nextMeans(parts, sequential, values, latents, X) }),
  };
  const layers = priors.flatMap((placed) => {
    const { prior } = placed;
    return prior.field === undefined
      ? []
      : [() => prior.field!(ownValues(placed, values), latents, prior.prepare(observations))];
  });
  return withLayers(posterior, layers);
}

function contextOf(parts: ModelParts, { prior }: PlacedPrior) {
  return { observations: matrixTensor(parts.observations), constants: prior.prepare(parts.observations) };
}

function ownValues<T>(placed: PlacedPrior, values: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(
    Object.keys(placed.prior.parameters).map((key) => [key, values[`${pathOf(placed)}.${key}`]!]),
  );
}

/** Σ log p(x_i) by priors under which points are independent, for every row of X. */
function rowDensities(priors: readonly PlacedPrior[], values: TensorMap, X: Tensor2D): Tensor1D {
  return priors
    .map((placed) => placed.prior.pointLogDensity!(ownValues(placed, values), X))
    .reduce((sum, part) => op.add(sum, part) as Tensor1D);
}

/** The mean of the latents one step after each row of X, by a prior on sequences. */
function nextMeans(
  parts: ModelParts,
  placed: PlacedPrior,
  values: ParameterValues,
  latents: Matrix,
  X: Matrix,
): Matrix {
  return withFloat64(() => {
    const step = placed.prior.transition!(
      ownValues(placed, valueTensors(values)),
      matrixTensor(latents),
      contextOf(parts, placed),
    );
    return tensorMatrix(step(matrixTensor(X)));
  });
}
