import { InvalidInputError } from '../core/errors.ts';
import { withFloat64 } from '../tensors/float64/scope.ts';
import { tensorMatrix } from '../tensors/matrixTensor.ts';
import { contextOf, disposeOf } from './definedAssembly.ts';
import { definedMapping, momentsSideBySide } from './definedMapping.ts';
import type { ParameterValues, TermContext } from './model.ts';
import type { AnyDefinition, ModelContext, Moments } from './modelDefinition.ts';
import { layersOf, nesting, type Parts, type ValuesOf } from './part.ts';
import type { Mapping, Posterior, ViewedPosterior } from './posterior.ts';
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
      const v = nesting(owner, parts)(valueTensors(values));
      try {
        return work(v, contextOf(definition, data, v, { parts, constants, memory }, PREDICTING, owner));
      } finally {
        disposeOf(constants);
      }
    });
  const latents = at((_, context) => tensorMatrix(context.latents));
  const { predict, pointLogDensity } = definition;
  const mappingOf = (moments: Moments<Data, P, C>, name = owner): Mapping =>
    definedMapping(name, latents, (work) =>
      at((v, context) =>
        work((X) => moments(v, X, data, context), pointLogDensity && ((X) => pointLogDensity(v, X, data, context))),
      ),
    );
  const posterior = {
    latents,
    ...(typeof predict === 'function' && { mapping: mappingOf(predict) }),
    ...(typeof predict === 'object' && viewsBy(predict, mappingOf, owner)),
  };
  const layers = layersOf(parts, values).map(
    ({ part, p }) =>
      () =>
        part.field(p, latents, part.prepare(latents)),
  );
  return withLayers(posterior, layers);
}

/** Mappings to each view, and to the columns of all side by side. */
function viewsBy<Data, P extends Parts, C>(
  views: Readonly<Record<string, Moments<Data, P, C>>>,
  mappingOf: (moments: Moments<Data, P, C>, name?: string) => Mapping,
  owner: string,
): Omit<ViewedPosterior, 'latents'> {
  const named = Object.entries(views).map(([view, moments]) => ({ name: `view '${view}' of ${owner}`, view, moments }));
  return {
    views: Object.fromEntries(named.map(({ name, view, moments }) => [view, mappingOf(moments, name)])),
    mapping: mappingOf((v, X, data, context) =>
      momentsSideBySide(
        X.shape[0],
        named.map(({ name, moments }) => ({ name, moments: moments(v, X, data, context) })),
      ),
    ),
  };
}

/** Predictions are not part of an evaluation. */
const PREDICTING: TermContext = {
  random: { uniform: notRandom, normal: notRandom, integer: notRandom },
  iteration: 0,
  onJitter: () => {},
  onRank: () => {},
};

function notRandom(): never {
  throw new InvalidInputError('Predictions and latents are not random: draw in the terms of a model only.');
}
