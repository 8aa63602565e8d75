import { checkDefinition, checkName } from '../core/given.ts';
import type { Matrix } from '../core/matrix.ts';
import { checkMembers, type Member } from '../core/members.ts';
import type { Chart, MapStart, RowMap } from '../model/language/map.ts';
import type { Parameter } from '../model/parameter.ts';
import { type Overrides, type OwnParameters, overriddenParameters } from '../model/part.ts';
import type { Tensor, Tensor2D } from '../tensors/tensorflow.ts';
import { fittedStart } from './fittedStart.ts';

/** A function from rows to rows: back-constraints, encoders, decoders, charts. A plain frozen description. */
export interface LatentMap extends RowMap {
  /** What it was made with beside its parameters, as plain JSON; undefined when there is nothing. */
  readonly options: unknown;
}

export interface MapDefinition<Name extends string, Options = undefined> {
  /** Letters and digits, a letter first. */
  readonly name: string;
  /**
   * Parameters with their starts, such as `real(matrix)`; a bare number is `positive`. A function of the data for those whose
   * shape or start depends on them. Free ones are fitted to the start of the latents, by ridge regression from where they are here;
   * a function that reads `latents` has fitted them itself. None unless given.
   */
  readonly parameters?: OwnParameters<Name> | ((start: MapStart, options: Options) => OwnParameters<Name>);
  /**
   * What depends on the observations Y (n×D) and the training observations (N×D) only, one row each: computed once, then given to
   * `apply` in place of Y.
   */
  features?(Y: Matrix, training: Matrix, options: Options): Matrix;
  /** Result of the rows Y (n×D), one row each, n×q; of a map of several variables with the rows of the others after them. */
  apply(p: Readonly<Record<Name, Tensor>>, Y: Tensor2D, ...others: Tensor2D[]): Tensor2D;
  /** For maps onto a manifold: coordinates of the variable that it is given, on which paths stay. */
  readonly chart?: Chart;
}

const MEMBERS: Readonly<Record<keyof MapDefinition<string>, Member>> = {
  name: 'anything',
  parameters: 'anything',
  features: 'function, if any',
  apply: 'function',
  chart: 'anything',
};

/** Makes a map; what is given replaces the default parameters. Options are plain JSON. */
export type MapFactory<Name extends string, Options = undefined> = (
  overrides?: Overrides<Name>,
  options?: Options,
) => LatentMap;

/**
 * A new back-constraint from one function with tensor operations. The built-in maps are made with it.
 *
 * @param definition - name, parameters and the map; `features` for what does not depend on the parameters
 * @returns a factory `(overrides?, options?) => LatentMap`
 * @throws InvalidInputError when the name is not one word of letters and digits; when a model is made, for a parameter that is not one
 * @example
 * ```ts
 * import { backConstrained, defineMap, Matrix, real } from 'latentfield';
 * import * as op from 'latentfield/ops';
 *
 * // x = a·(first q features) + b
 * const scaledFeatures = defineMap({
 *   name: 'scaledFeatures',
 *   parameters: ({ latentDim }) => ({ slope: real(Array(latentDim).fill(1)), shift: real(Array(latentDim).fill(0)) }),
 *   apply: (p, Y) => op.add(op.mul(op.slice(Y, [0, 0], [-1, p.slope.size]), p.slope), p.shift),
 * });
 * const latents = backConstrained(scaledFeatures());
 * ```
 */
export function defineMap<Name extends string = never, Options = undefined>(
  definition: MapDefinition<Name, Options>,
): MapFactory<Name, Options> {
  const { name } = checkDefinition(definition, 'defineMap');
  checkName(name, 'A map');
  checkMembers(definition, 'defineMap', MEMBERS);
  return (overrides = {} as Overrides<Name>, given) => {
    const options = given as Options;
    const apply: LatentMap['apply'] = (p, ...rows) => {
      const [first, ...others] = rows as [Tensor2D, ...Tensor2D[]];
      return definition.apply(p as Readonly<Record<Name, Tensor>>, first, ...others);
    };
    return Object.freeze<LatentMap>({
      kind: 'map',
      name,
      parameters: (start) => {
        const { parameters = {} as OwnParameters<Name> } = definition;
        let fitsItself = false;
        const watched: MapStart = {
          observations: start.observations,
          latentDim: start.latentDim,
          seed: start.seed,
          get features() {
            return start.features;
          },
          get latents() {
            fitsItself = true;
            return start.latents;
          },
        };
        const defaults = typeof parameters === 'function' ? parameters(watched, options) : parameters;
        const own = overriddenParameters(`Map '${name}'`, defaults, overrides);
        if (fitsItself || Object.values<Parameter>(own).every(({ free }) => !free)) return own;
        const { features, latents } = start;
        return fittedStart({ name, features, latents, apply }, own, Object.keys(overrides));
      },
      features: (Y, training) => definition.features?.(Y, training, options) ?? Y,
      apply,
      ...(definition.chart && { chart: definition.chart }),
      options,
    });
  };
}
