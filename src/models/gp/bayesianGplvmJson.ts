import * as v from 'valibot';
import { scaleOption } from '../../core/columnUnits.ts';
import { checkSaved } from '../../core/saved.ts';
import { kernelFromJSON } from '../../kernels/json.ts';
import { latentDistributionFromJSON } from '../../latents/json.ts';
import type { LatentsJSON } from '../../latents/latents.ts';
import type { Model, ModelJSON } from '../../model/model.ts';
import { likelihoodFromJSON } from '../../processes/likelihoods/json.ts';
import type { OwnParts } from '../ownParts.ts';
import { anyStart, savedLatents, savedRows } from '../savedObservations.ts';
import { type BayesianGplvmOptions, bayesianGplvm, restoredFromRows } from './bayesianGplvm.ts';
import { sampledSchema } from './sampledRows.ts';

const schema = v.strictObject({
  model: v.literal('bayesianGplvm'),
  observations: savedRows,
  latentDim: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1e6)),
  latents: savedLatents,
  inducing: v.union([v.number(), v.array(v.array(v.number()))]),
  kernel: v.unknown(),
  likelihood: v.unknown(),
  bound: v.optional(v.picklist(['collapsed', 'uncollapsed'])),
  missing: v.optional(v.literal('ignore')),
  centre: v.boolean(),
  scale: scaleOption,
  jitter: v.optional(v.number()),
  sampled: v.optional(sampledSchema),
});

/** The Bayesian GPLVM that its `toJSON` wrote. */
export function bayesianGplvmFromJSON(json: ModelJSON, own: OwnParts, isFitted: boolean): Model {
  const { model: _, observations, latents, kernel, likelihood, sampled, ...rest } = checkSaved(schema, json, 'model');
  const restored = latentDistributionFromJSON(latents ?? ({ name: 'none' } as LatentsJSON), own.maps);
  const options = {
    ...(rest as Pick<BayesianGplvmOptions, 'latentDim' | 'inducing'>),
    latents: isFitted ? restored.from(anyStart(observations.length, rest.latentDim)) : restored,
    kernel: kernelFromJSON(kernel, own.kernels, own.distributions, 'model.kernel'),
    likelihood: likelihoodFromJSON(likelihood, own.likelihoods, own.distributions, 'model.likelihood'),
  };
  return sampled === undefined
    ? bayesianGplvm(observations, options)
    : restoredFromRows(observations, options, sampled);
}
