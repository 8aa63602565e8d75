import { square } from '../../core/elementary/index.ts';
import { InvalidInputError, NumericalError } from '../../core/errors.ts';
import { describe, Matrix } from '../../core/matrix.ts';
import { namedOptions } from '../../core/options.ts';
import { symmetricEigenpairs } from '../../engine/dense/eigenpairs.ts';
import { norm } from '../../engine/vectors.ts';
import type { Evaluation, Iterate, Solver, SolverMemory, Step, Steps } from '../../model/solver.ts';
import { cannotDescend } from './lineSearch.ts';

/** Initial trust region radius, in the solver's variables. */
const FIRST_RADIUS = 1;
const LONGEST_RADIUS = 1e3;

/** Fractions of the predicted decrease: a step below the first is rejected; a step below the second shrinks the region, and one above the third widens it. */
const [LEAST, POOR, GOOD] = [1e-4, 0.25, 0.75];
const [SHRINK, WIDEN] = [0.25, 2];

/** Predicted relative decrease below which a change of the value is lost in rounding: the gradient decides then. */
const ROUNDING = 1e-13;
/** Maximum number of consecutive rejected steps. */
const MOST_REFUSED = 30;

/** Options of {@link newton}. */
export interface NewtonOptions {
  /** 'exact' (default): the objective provides it; 'differences': central differences of gradients, 2n evaluations each. */
  readonly hessian?: 'exact' | 'differences' | undefined;
}

/**
 * Trust region Newton method, for objectives with a Hessian, or with differences for any smooth objective: each step minimizes the quadratic model
 * among steps within the region's radius, from an eigendecomposition, so that it follows negative curvature downhill. It needs few evaluations, but
 * each Hessian costs O(n²) memory and O(n³) time for n variables, and counts as one further evaluation.
 *
 * For models of the Gaussian-process family with free latents, complete observations, one radial kernel, optionally with `bias` and `white`, and
 * priors with a Hessian: `standardNormal`, `maxEntropy`, `expectedMoments`. With one of these layers a fit ends with this solver by default, for up
 * to 600 variables. For custom models of about a hundred variables: `hessian: 'differences'`.
 *
 * @param options - see {@link NewtonOptions}
 * @returns a frozen description of the solver, for `minimize` (whose objective then needs `curvature`, unless by differences) or `fit`
 * @throws InvalidInputError for an unknown option; NumericalError if a gradient is not finite at a point of the differences
 * @see Nocedal, Wright (2006), Numerical Optimization, 2nd ed., Algorithms 4.1 and 4.3; Moré, Sorensen (1983)
 * @example
 * ```ts
 * const result = await fit(gplvm(Y, { latentDim: 2 }), { solver: newton() });
 * minimize(([x, y]) => ({ value: x! ** 4 + y! ** 2, gradient: [4 * x! ** 3, 2 * y!] }), [2, 1], newton({ hessian: 'differences' }));
 * ```
 */
export function newton(options: NewtonOptions = {}): Solver {
  const { hessian = 'exact' } = namedOptions<NewtonOptions>(options, 'newton', ['hessian']);
  if (hessian !== 'exact' && hessian !== 'differences') {
    throw new InvalidInputError(
      `Option 'hessian' of newton is 'exact' or 'differences', but ${describe(hessian)} was given.`,
    );
  }
  const isExact = hessian === 'exact';
  return Object.freeze<Solver>({
    name: 'newton',
    bounded: false,
    stochastic: false,
    needsCurvature: isExact,
    options: isExact ? {} : { hessian },
    begin(iterate, _box, memory: SolverMemory = { radius: FIRST_RADIUS }) {
      if (!(typeof memory.radius === 'number' && memory.radius > 0 && memory.radius < Infinity)) {
        throw new InvalidInputError(
          'The state given to newton does not contain the radius of its region. Resume with the problem that it was saved from.',
        );
      }
      return { iterate, memory, steps: descend(iterate, memory, isExact ? exactHessian : differencedHessian) };
    },
  });
}

type HessianSteps = Generator<Step, Matrix, Evaluation>;

function* exactHessian({ x }: Iterate): HessianSteps {
  const { curvature } = yield { kind: 'curvature' };
  return new Matrix(curvature!.hessian(), x.length, x.length);
}

/** Step of the differences, relative to the variable if it exceeds 1. */
const STEP = 6e-6;

function* differencedHessian({ x }: Iterate): HessianSteps {
  const n = x.length;
  const H = Matrix.zeros(n, n);
  for (let i = 0; i < n; i++) {
    const step = STEP * Math.max(1, Math.abs(x[i]!));
    const beside = (own: number) => x.map((entry, k) => (k === i ? own : entry));
    const above = Float64Array.from((yield { kind: 'evaluate', point: beside(x[i]! + step) }).gradient);
    const { gradient: below } = yield { kind: 'evaluate', point: beside(x[i]! - step) };
    for (let k = 0; k < n; k++) {
      const slope = (above[k]! - below[k]!) / (2 * step);
      if (!Number.isFinite(slope)) {
        throw new NumericalError(
          `The gradient is not finite next to the point (variable ${i} of the solver, ± ${step.toPrecision(1)}), so differences give newton no Hessian there. Use lbfgs().`,
        );
      }
      H.data[i * n + k]! += slope / 2;
      H.data[k * n + i]! += slope / 2;
    }
  }
  return H;
}

function* descend(iterate: Iterate, memory: SolverMemory, hessianAt: (iterate: Iterate) => HessianSteps): Steps {
  let model: RegionModel | undefined;
  let expected = 0;
  let radius = memory.radius as number;
  for (let refused = 0; ; ) {
    model ??= regionModel(yield* hessianAt(iterate), iterate.gradient);
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
    yield { kind: 'iteration', comparable: true, ...(hessianAt === exactHessian && { evaluations: 1 }) };
    model = undefined;
  }
}

/** Quadratic model gᵀd + ½dᵀHd of a function in steps d. */
interface RegionModel {
  /** Minimum among steps of at most this length, and the decrease there. */
  within(radius: number): { readonly step: Float64Array; readonly decrease: number };
}

/** Relative curvature that counts as rounding. */
const FLAT = 1e-15;
const MOST_HALVINGS = 200;

/**
 * Quadratic model of a gradient and a Hessian, which may be indefinite. With H = VΛVᵀ the minimum is d = −V(Λ + μ)⁻¹Vᵀg, where μ ≥ 0 is the smallest
 * value that makes Λ + μ positive and d short enough; if g has no component along the smallest eigenvalue, a multiple of its eigenvector is added
 * (the hard case).
 *
 * @see Nocedal, Wright (2006), §4.3
 */
export function regionModel(H: Matrix, g: Float64Array): RegionModel {
  const n = g.length;
  const { values, vectors } = symmetricEigenpairs(H);
  const V = vectors.data;
  const along = new Float64Array(n);
  for (let i = 0; i < n; i++) for (let k = 0; k < n; k++) along[k]! += V[i * n + k]! * g[i]!;
  const smallest = values[0]!;
  const flat = FLAT * Math.max(Math.abs(smallest), Math.abs(values[n - 1]!));
  const parts = (shift: number) => along.map((entry, k) => -entry / (values[k]! + shift));
  const lengthAt = (shift: number) => norm(parts(shift));
  return {
    within(radius) {
      const least = Math.max(0, flat - smallest);
      const length = lengthAt(least);
      const d = parts(length <= radius ? least : shiftFor(lengthAt, least, radius, along));
      if (smallest < -flat && length < radius) d[0] = d[0]! + (d[0]! < 0 ? -1 : 1) * longer(d[0]!, length, radius);
      let decrease = 0;
      for (let k = 0; k < n; k++) decrease -= d[k]! * (along[k]! + 0.5 * values[k]! * d[k]!);
      const step = new Float64Array(n);
      for (let i = 0; i < n; i++) for (let k = 0; k < n; k++) step[i]! += V[i * n + k]! * d[k]!;
      return { step, decrease };
    },
  };
}

/** Increase of the modulus of one entry that gives a step of this length. */
function longer(entry: number, length: number, radius: number): number {
  return Math.sqrt(Math.max(0, square(radius) - square(length) + square(entry))) - Math.abs(entry);
}

/** Shift at which the step has this length, to a relative accuracy of a thousandth. */
function shiftFor(lengthAt: (shift: number) => number, least: number, radius: number, along: Float64Array): number {
  let low = least;
  let high = least + norm(along) / radius;
  for (let k = 0; k < MOST_HALVINGS; k++) {
    const middle = low === 0 || high / low < 4 ? (low + high) / 2 : Math.sqrt(low * high);
    const length = lengthAt(middle);
    if (Math.abs(length - radius) <= 1e-3 * radius) return middle;
    if (length > radius) low = middle;
    else high = middle;
  }
  return high;
}
