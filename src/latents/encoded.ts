import { InvalidInputError } from '../core/errors.ts';
import { checkGiven, isPart } from '../core/given.ts';
import { Matrix, type MatrixLike } from '../core/matrix.ts';
import { namedOptions } from '../core/options.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Tensor2D } from '../engine/tensors/tensorflow.ts';
import { type Initialization, initialLatents } from '../model/initialization.ts';
import type { LatentMap } from './defineMap.ts';
import { withCheckedShape } from './defineMap.ts';
import type { LatentDistribution } from './latentDistribution.ts';

const PREFIX = 'latents.';
/** Where the log variances start: half of the prior's. */
const LOG_VARIANCE = -Math.LN2;

/**
 * Latents as distributions that are a function of the observations (amortised): the map has 2q outputs, means and log variances, so that new
 * observations cost one pass. Paths are those of the map: `latents.weights`, `latents.layer1.weights`, …
 *
 * @param map - any back-constraint map: `linearMap()`, `kernelRegression({ gamma })`, `mlpMap({ hidden })`, or one made by `defineMap`
 * @param options - `init`: where the means start as nearly as the map can: 'pca' (the default), an N×q matrix, or a fitted embedding
 * @throws InvalidInputError when the map is not one
 * @see Kingma & Welling 2014, appendix C.2; Dai et al. 2016
 * @example
 * ```ts
 * bayesianGplvm(Y, { latentDim: 2, inducing: 30, latents: encoded(mlpMap({ hidden: 20 })) });
 * ```
 */
export function encoded(
  map: LatentMap,
  options: { readonly init?: 'pca' | MatrixLike | Initialization } = {},
): LatentDistribution {
  checkGiven(map, 'encoded', 'a map, such as mlpMap({ hidden: 20 })', (given) =>
    isPart(given, 'map', ['parameters', 'features', 'apply']),
  );
  const { init = 'pca' } = namedOptions(options, 'encoded', ['init']);
  return Object.freeze<LatentDistribution>({
    kind: 'latentDistribution',
    name: 'encoded',
    parameters: (Y, latentDim, seed) => {
      const features = map.features(Y, Y);
      const latents = withLogVariances(initialLatents(init, Y, latentDim));
      const start = { observations: Y, features, latents, latentDim: 2 * latentDim, seed };
      const own = withCheckedShape(map, map.parameters(start), features, 2 * latentDim, 'means and log variances');
      return Object.fromEntries(Object.entries(own).map(([name, value]) => [PREFIX + name, value]));
    },
    start: (Y, latentDim) => initialLatents(init, Y, latentDim),
    from: (other) => encoded(map, { init: other }),
    mapsObservations: true,
    features: map.features,
    pointwise: [],
    apply: (p, features) => {
      const own = Object.entries(p).filter(([path]) => path.startsWith(PREFIX));
      const outputs = map.apply(
        Object.fromEntries(own.map(([path, value]) => [path.slice(PREFIX.length), value])),
        features,
      );
      const [n, width] = outputs.shape;
      if (outputs.rank !== 2 || n !== features.shape[0] || width % 2 !== 0) {
        throw new InvalidInputError(
          `Map '${map.name}' must give a mean and a log variance a latent dimension for each of ${features.shape[0]} observations, but its ` +
            `result has shape [${outputs.shape}].`,
        );
      }
      return {
        mean: op.slice<Tensor2D>(outputs, [0, 0], [-1, width / 2]),
        variance: op.exp<Tensor2D>(op.slice(outputs, [0, width / 2], [-1, width / 2])),
      };
    },
    toJSON: () => ({
      name: 'encoded',
      map: { name: map.name, ...(map.options === undefined ? {} : { options: map.options }) },
    }),
  });
}

/** N×2q: the means, and beside them where the log variances start. */
function withLogVariances(means: Matrix): Matrix {
  const { rows, columns: q } = means;
  const result = Matrix.zeros(rows, 2 * q);
  for (let i = 0; i < rows; i++) {
    for (let d = 0; d < q; d++) {
      result.data[i * 2 * q + d] = means.at(i, d);
      result.data[i * 2 * q + q + d] = LOG_VARIANCE;
    }
  }
  return result;
}
