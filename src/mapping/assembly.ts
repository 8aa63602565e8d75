import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../core/errors.ts';
import type { Matrix } from '../core/matrix.ts';
import type { Latents } from '../latents/latents.ts';
import type { Assembly } from '../model/model.ts';
import type { Parameter } from '../model/parameter.ts';
import { ownTensors } from '../model/part.ts';
import type { Prior } from '../priors/definePrior.ts';
import { matrixTensor } from '../tensors/matrixTensor.ts';
import type { Scalar } from '../tensors/tensorflow.ts';
import type { GaussianProcess } from './gaussianProcess.ts';
import type { ObservedPattern } from './observedPatterns.ts';

/** The name of the mapping's term, and the segment of its parameters' paths. */
export const MAPPING = 'mapping';

/** A prior in its place in a model: two of one name are told apart. */
export interface PlacedPrior {
  readonly name: string;
  readonly prior: Prior;
}

/** The parts of a Gaussian-process latent variable model, with everything checked and defaults filled in. */
export interface ModelParts {
  /** N×D as the mapping sees them: centred, scaled; missing entries imputed, for what needs complete observations. */
  readonly observations: Matrix;
  /** Their observed entries. */
  readonly patterns: readonly ObservedPattern[];
  readonly latentDim: number;
  readonly latents: Latents;
  readonly process: GaussianProcess;
  readonly priors: readonly PlacedPrior[];
}

/** Gives the second prior of a name the name with a 2, and so on. */
export function placed(priors: readonly Prior[]): PlacedPrior[] {
  const count = new Map([[MAPPING, 1]]);
  return priors.map((prior) => {
    const number = (count.get(prior.name) ?? 0) + 1;
    count.set(prior.name, number);
    return { name: number === 1 ? prior.name : `${prior.name}${number}`, prior };
  });
}

/** Every parameter of the model by path, started. */
function parametersOf(parts: ModelParts, seed: number): Record<string, Parameter> {
  const { observations, latentDim, latents, process, priors } = parts;
  return {
    ...latents.parameters(observations, latentDim, seed),
    ...prefixed(`${MAPPING}.`, process.parameters),
    ...Object.assign({}, ...priors.map(({ name, prior }) => prefixed(`priors.${name}.`, prior.parameters))),
  };
}

/** The model with its constants as tensors: log p(Y|X) and a term for every prior. */
export function assembled(parts: ModelParts, seed: number): Assembly {
  const Y = parts.observations;
  const parameters = restricted(parametersOf(parts, seed), parts.priors);
  const constants = parts.priors.map(({ prior }) => prior.prepare(Y));
  const seen = parts.latents.features(Y, Y);
  const observations = tf.keep(matrixTensor(Y));
  const features = seen === Y ? observations : tf.keep(matrixTensor(seen));
  const { process } = parts;
  const paths = Object.keys(process.parameters);
  const mapping = process.given(parts.patterns, Y.rows);
  return {
    parameters,
    terms: (values, context) => {
      const { onJitter } = context;
      const X = parts.latents.apply(values, features);
      const terms: Record<string, Scalar> = {
        [MAPPING]: mapping.logDensity(ownTensors(values, MAPPING, paths), X, context),
      };
      parts.priors.forEach(({ name, prior }, i) => {
        const p = ownTensors(values, `priors.${name}`, Object.keys(prior.parameters));
        terms[name] = prior.logDensity(p, X, { observations, constants: constants[i], onJitter });
      });
      return terms;
    },
    dispose: () => {
      observations.dispose();
      if (features !== observations) features.dispose();
      mapping.dispose();
    },
  };
}

/** The parameters with free latents moved within what the priors allow only. */
function restricted(parameters: Record<string, Parameter>, priors: readonly PlacedPrior[]): Record<string, Parameter> {
  const result = { ...parameters };
  for (const { name, prior } of priors) {
    if (prior.restrict === undefined) continue;
    if (result.latents === undefined) {
      throw new InvalidInputError(
        `The prior '${name}' restricts the latents, which only free ones allow, but here they are a function of the observations. ` +
          `Use free latents, or a form of the prior that does not restrict them (rank({ energy: 'free' })).`,
      );
    }
    result.latents = prior.restrict(result.latents);
  }
  return result;
}

function prefixed(prefix: string, parameters: Readonly<Record<string, Parameter>>): Record<string, Parameter> {
  return Object.fromEntries(Object.entries(parameters).map(([key, parameter]) => [prefix + key, parameter]));
}
