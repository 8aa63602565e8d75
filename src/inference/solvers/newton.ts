import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { norm } from '../../numerics/vectors.ts';
import { cannotDescend } from './noDescent.ts';
import type { Iterate, Solver, SolverMemory, Steps } from './solver.ts';
import { type RegionModel, regionModel } from './trustRegion.ts';

/** The first step is at most so long, in the solver's variables. */
const FIRST_RADIUS = 1;
const LONGEST_RADIUS = 1e3;

/** Parts of the predicted decrease: a step below the first is refused; one below the second shrinks the region, one above the third widens it. */
const [LEAST, POOR, GOOD] = [1e-4, 0.25, 0.75];
const [SHRINK, WIDEN] = [0.25, 2];

/** A predicted decrease below this part of the value is lost in its rounding: the gradient decides then. */
const ROUNDING = 1e-13;
/** Steps in a row that may be refused. */
const MOST_REFUSED = 30;

/**
 * Newton's method with a trust region, for objectives that know their Hessian: each step is the minimum of the quadratic model among
 * steps no longer than the region's radius, from an eigen-decomposition, so that negative curvature is followed down. It takes few evaluations, each
 * with a Hessian that costs O(n²) memory and O(n³) time of n variables; the Hessian counts as one evaluation more.
 *
 * For models of the Gaussian-process family with free latents, complete observations, one radial kernel with `bias` and `white` or
 * without, and priors that know their Hessian: `standardNormal`, `maxEntropy`, `expectedMoments`. With one of these layers a fit ends with it by default, for up to
 * 600 variables.
 *
 * @returns a frozen description of the solver, to be given to `minimize` (whose objective then needs `curvature`) or `fit`
 * @see Nocedal, Wright (2006), Numerical Optimization, 2nd ed., Algorithms 4.1 and 4.3; Moré, Sorensen (1983)
 * @example
 * ```ts
 * const result = await fit(gplvm(Y, { latentDim: 2 }), { solver: newton() });
 * ```
 */
export function newton(): Solver {
  return Object.freeze<Solver>({
    name: 'newton',
    bounded: false,
    stochastic: false,
    needsCurvature: true,
    options: {},
    begin(iterate, _box, memory: SolverMemory = { radius: FIRST_RADIUS }) {
      if (!(typeof memory.radius === 'number' && memory.radius > 0 && memory.radius < Infinity)) {
        throw new InvalidInputError(
          'The state given to newton does not hold the radius of its region. Resume with the problem that it was saved from.',
        );
      }
      return { iterate, memory, steps: descend(iterate, memory) };
    },
  });
}

function* descend(iterate: Iterate, memory: SolverMemory): Steps {
  const n = iterate.x.length;
  let model: RegionModel | undefined;
  let expected = 0;
  let radius = memory.radius as number;
  for (let refused = 0; ; ) {
    if (model === undefined) {
      const { curvature } = yield { kind: 'curvature' };
      model = regionModel(new Matrix(curvature!.hessian(), n, n), iterate.gradient);
    }
    const { step, decrease } = model.within(radius);
    // The first step from a point shows what decrease is in sight.
    if (refused === 0) expected = decrease;
    const point = iterate.x.map((x, i) => x + step[i]!);
    const { value, gradient } = yield { kind: 'evaluate', point };
    const share = (iterate.value - value) / decrease;
    const isLost = decrease <= ROUNDING * Math.max(1, Math.abs(iterate.value));
    const isBetter = isLost ? norm(gradient) < norm(iterate.gradient) : share > LEAST;
    if (Number.isNaN(value) || !isBetter) {
      refused++;
      if (refused === MOST_REFUSED || isLost) return yield* cannotDescend(iterate, expected);
      radius = SHRINK * norm(step);
      continue;
    }
    refused = 0;
    const length = norm(step);
    if (!isLost && share < POOR) radius = SHRINK * length;
    else if (share > GOOD && length > 0.9 * radius) radius = Math.min(LONGEST_RADIUS, WIDEN * radius);
    memory.radius = radius;
    iterate.x.set(point);
    iterate.value = value;
    iterate.gradient.set(gradient);
    yield { kind: 'iteration', comparable: true, evaluations: 1 };
    model = undefined;
  }
}
