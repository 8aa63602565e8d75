import { InvalidInputError } from '../core/errors.ts';
import { withFloat64 } from '../tensors/float64/scope.ts';
import { tensorMatrix } from '../tensors/matrixTensor.ts';
import { contextOf, disposeOf } from './definedAssembly.ts';
import { definedMapping } from './definedMapping.ts';
import type { ParameterValues, TermContext } from './model.ts';
import type { AnyDefinition, ModelContext } from './modelDefinition.ts';
import { layersOf, nestedValues, type Parts, type ValuesOf } from './part.ts';
import type { Posterior } from './posterior.ts';
import { valueTensors } from './valueTensors.ts';
import { withLayers } from './withLayers.ts';

/** What follows from the latents and the moments of a definition. */
export function definedPosterior<Data, P extends Parts, C>(
  definition: AnyDefinition<Data, P, C>,
  data: Data,
  parts: P,
  values: ParameterValues,
  owner: string,
): Posterior {
  const memory = new Map<object, unknown>();
  const at = <T>(work: (v: ValuesOf<P>, context: ModelContext<P, C>) => T): T =>
    withFloat64(() => {
      const constants = definition.constants?.(data, parts) as C;
      const v = nestedValues(owner, parts, valueTensors(values));
      try {
        return work(v, contextOf(definition, data, v, { parts, constants, memory }, PREDICTING, owner));
      } finally {
        disposeOf(constants);
      }
    });
  const latents = at((_, context) => tensorMatrix(context.latents));
  const { predict, pointLogDensity } = definition;
  const posterior = {
    latents,
    ...(predict !== undefined && {
      mapping: definedMapping(owner, latents, (work) =>
        at((v, context) =>
          work((X) => predict(v, X, data, context), pointLogDensity && ((X) => pointLogDensity(v, X, data, context))),
        ),
      ),
    }),
  };
  const layers = layersOf(parts, values).map(
    ({ part, p }) =>
      () =>
        part.field(p, latents, part.prepare(latents)),
  );
  return withLayers(posterior, layers);
}

/** Predictions are not part of an evaluation. */
const PREDICTING: TermContext = {
  random: { uniform: notRandom, normal: notRandom, integer: notRandom },
  iteration: 0,
  onJitter: () => {},
};

function notRandom(): never {
  throw new InvalidInputError('Predictions and latents are not random: draw in the terms of a model only.');
}
