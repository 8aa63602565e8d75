import { InvalidInputError } from '../core/errors.ts';
import { checkGiven, isPart } from '../core/given.ts';
import type { Matrix, MatrixLike } from '../core/matrix.ts';
import { namedOptions } from '../core/options.ts';
import { type Initialization, initialLatents } from '../model/initialization.ts';
import type { MapStart } from '../model/language/map.ts';
import type { LatentMap } from './defineMap.ts';
import { withCheckedShape } from './defineMap.ts';
import type { Latents } from './latents.ts';

const PREFIX = 'latents.';

/**
 * Back-constrained latents: X = g(Y; A) is a smooth function of the observations, so that points close in Y stay close in X, and new
 * observations have latents at once. The optimizer moves the parameters A, whose start is fitted to `init`.
 *
 * @param map - `linearMap()`, `kernelRegression({ gamma })`, `mlpMap({ hidden })`, or one made by `defineMap`
 * @param options - `init`: where the latents start as nearly as the map can: 'pca' (the default), an N×q matrix taken as it is, or
 * anything with N×q `latents` (a fitted embedding, scaled to unit variance a column)
 * @throws InvalidInputError when the map is not one; when a model is made, when the start does not fit the observations
 * @see Lawrence & Quiñonero-Candela 2006; Jiang et al. 2014, eq. 28
 * @example
 * ```ts
 * gplvm(Y, { latentDim: 2, latents: backConstrained(kernelRegression({ gamma: 0.1 })) });
 * ```
 */
export function backConstrained(map: LatentMap, options: { init?: 'pca' | MatrixLike | Initialization } = {}): Latents {
  if (typeof map === 'function') {
    throw new InvalidInputError(
      'backConstrained takes a map, but function was given. Call the factory: linearMap(), not linearMap.',
    );
  }
  const expected = 'a map, such as kernelRegression({ gamma: 0.1 })';
  checkGiven(map, 'backConstrained', expected, (given) => isPart(given, 'map', ['parameters', 'features', 'apply']));
  const init = namedOptions(options, 'backConstrained', ['init']).init ?? 'pca';
  return Object.freeze<Latents>({
    kind: 'latents',
    name: 'backConstrained',
    parameters: (Y, latentDim, seed) => {
      const start = mapStart(map, Y, latentDim, seed, () => initialLatents(init, Y, latentDim));
      const parameters = withCheckedShape(map, map.parameters(start), start.features, latentDim);
      return Object.fromEntries(Object.entries(parameters).map(([name, parameter]) => [PREFIX + name, parameter]));
    },
    from: (other) => backConstrained(map, { init: other }),
    mapsObservations: true,
    features: map.features,
    apply: (p, features) => {
      const own = Object.entries(p).filter(([path]) => path.startsWith(PREFIX));
      const X = map.apply(
        Object.fromEntries(own.map(([path, tensor]) => [path.slice(PREFIX.length), tensor])),
        features,
      );
      if (X.rank === 2 && X.shape[0] === features.shape[0]) return X;
      throw new InvalidInputError(
        `Map '${map.name}' must give one row of latents for each of ${features.shape[0]} observations, but its result has shape [${X.shape}].`,
      );
    },
    // The fitted parameters are saved with the other values: the start is not needed again.
    toJSON: () => ({
      name: 'backConstrained',
      map: { name: map.name, ...(map.options === undefined ? {} : { options: map.options }) },
    }),
  });
}

function mapStart(
  map: LatentMap,
  observations: Matrix,
  latentDim: number,
  seed: number,
  initial: () => Matrix,
): MapStart {
  let features: Matrix | undefined;
  let latents: Matrix | undefined;
  return {
    observations,
    latentDim,
    seed,
    get features() {
      features ??= map.features(observations, observations);
      return features;
    },
    get latents() {
      latents ??= initial();
      return latents;
    },
  };
}
