import { checkGiven } from '../core/options.ts';
import { withFloat64 } from '../engine/tensors/index.ts';
import type { FittedModel } from '../model/fit.ts';
import { flooredPaths } from '../model/leastNoise.ts';
import type { Model } from '../model/model.ts';
import type { ParameterValue } from '../model/parameter.ts';
import { modelFromJSON } from './modelFromJSON.ts';
import type { OwnParts } from './ownParts.ts';

/**
 * True if a variance of the noise of a fit is at the lower limit of its search: the mapping passes through the observations, and its variances are too
 * small. The message of the fit reports it too.
 *
 * @param fitted - result of `fit` or `loadFit`
 * @param own - custom parts of its model
 * @throws InvalidInputError for anything other than a fit, and if a custom part is missing
 * @example
 * ```ts
 * const result = await fit(gplvm(Y, { latentDim: 2 }));
 * isAtNoiseFloor(result); // false
 * ```
 */
export function isAtNoiseFloor(fitted: FittedModel, own: OwnParts = {}): boolean {
  checkGiven(fitted, 'isAtNoiseFloor', 'a fit', (given) => typeof given?.toJSON === 'function');
  const model = modelFromJSON(fitted.toJSON().model, own, true) as Model;
  if (model.solve !== undefined) return false;
  return withFloat64(() => {
    const assembly = model.assemble(0);
    const values = fitted.parameters as Readonly<Record<string, ParameterValue>>;
    try {
      return flooredPaths(assembly.parameters, (path) => values[path]).length > 0;
    } finally {
      assembly.dispose();
    }
  });
}
