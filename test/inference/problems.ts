/** A minimization problem with a known answer. */
export interface Problem {
  readonly name: string;
  readonly start: readonly number[];
  /** Least value, from a closed form. */
  readonly minimum: number;
  readonly lower?: number | readonly number[];
  readonly upper?: number | readonly number[];
  /** How far each variable has to go, roughly, for solvers that do not learn it. */
  readonly scale?: readonly number[];
  objective(x: Float64Array): { value: number; gradient: Float64Array };
}

const repeat = (count: number, ...values: number[]) =>
  Array.from({ length: count }, (_, i) => values[i % values.length]!);
const range = (count: number) => Array.from({ length: count }, (_, i) => i);
const infinity = Number.POSITIVE_INFINITY;

/** Σ 100(x_{i+1} − x_i²)² + (1 − x_i)². */
export function rosenbrock(x: Float64Array): { value: number; gradient: Float64Array } {
  const gradient = new Float64Array(x.length);
  let value = 0;
  for (let i = 0; i + 1 < x.length; i++) {
    const a = x[i + 1]! - x[i]! ** 2;
    const b = 1 - x[i]!;
    value += 100 * a * a + b * b;
    gradient[i] = gradient[i]! - 400 * x[i]! * a - 2 * b;
    gradient[i + 1] = 200 * a;
  }
  return { value, gradient };
}

/** A sum of squares from its residuals and the rows of their Jacobian. */
function sumOfSquares(residuals: number[], jacobian: number[][]): { value: number; gradient: Float64Array } {
  const gradient = new Float64Array(jacobian[0]!.length);
  residuals.forEach((residual, i) => {
    jacobian[i]!.forEach((entry, j) => {
      gradient[j] = gradient[j]! + 2 * residual * entry;
    });
  });
  return { value: residuals.reduce((sum, residual) => sum + residual * residual, 0), gradient };
}

/** Moré, Garbow, Hillstrom (1981), problem 13; its Hessian is singular at the minimum. */
const powellSingular: Problem = {
  name: 'powellSingular',
  start: [3, -1, 0, 1],
  minimum: 0,
  objective([a = 0, b = 0, c = 0, d = 0]) {
    const residuals = [a + 10 * b, Math.sqrt(5) * (c - d), (b - 2 * c) ** 2, Math.sqrt(10) * (a - d) ** 2];
    return sumOfSquares(residuals, [
      [1, 10, 0, 0],
      [0, 0, Math.sqrt(5), -Math.sqrt(5)],
      [0, 2 * (b - 2 * c), -4 * (b - 2 * c), 0],
      [2 * Math.sqrt(10) * (a - d), 0, 0, -2 * Math.sqrt(10) * (a - d)],
    ]);
  },
};

/** Moré, Garbow, Hillstrom (1981), problem 14. */
const wood: Problem = {
  name: 'wood',
  start: [-3, -1, -3, -1],
  minimum: 0,
  objective([a = 0, b = 0, c = 0, d = 0]) {
    const r90 = Math.sqrt(90);
    const r10 = Math.sqrt(10);
    return sumOfSquares(
      [10 * (b - a * a), 1 - a, r90 * (d - c * c), 1 - c, r10 * (b + d - 2), (b - d) / r10],
      [
        [-20 * a, 10, 0, 0],
        [-1, 0, 0, 0],
        [0, 0, -2 * r90 * c, r90],
        [0, 0, -1, 0],
        [0, r10, 0, r10],
        [0, 1 / r10, 0, -1 / r10],
      ],
    );
  },
};

/** Moré, Garbow, Hillstrom (1981), problem 5. */
const beale: Problem = {
  name: 'beale',
  start: [1, 1],
  minimum: 0,
  objective([a = 0, b = 0]) {
    return sumOfSquares(
      [1.5, 2.25, 2.625].map((y, i) => y - a * (1 - b ** (i + 1))),
      [1, 2, 3].map((power) => [b ** power - 1, a * power * b ** (power - 1)]),
    );
  },
};

/** Moré, Garbow, Hillstrom (1981), problem 4: minimum at (10⁶, 2·10⁻⁶). */
const brownBadlyScaled: Problem = {
  name: 'brownBadlyScaled',
  start: [1, 1],
  minimum: 0,
  scale: [1e6, 1],
  objective([a = 0, b = 0]) {
    return sumOfSquares(
      [a - 1e6, b - 2e-6, a * b - 2],
      [
        [1, 0],
        [0, 1],
        [b, a],
      ],
    );
  },
};

/** Σ(x_i − 1)² − Σ x_i·x_{i−1}; minimum at x_i = i(n + 1 − i). */
function trid(size: number): Problem {
  return {
    name: `trid${size}`,
    start: repeat(size, 0),
    minimum: (-size * (size + 4) * (size - 1)) / 6,
    objective(x) {
      let value = 0;
      const gradient = x.map((entry, i) => 2 * (entry - 1) - (x[i - 1] ?? 0) - (x[i + 1] ?? 0));
      for (let i = 0; i < size; i++) value += (x[i]! - 1) ** 2 - x[i]! * (x[i - 1] ?? 0);
      return { value, gradient };
    },
  };
}

/**
 * ½xᵀAx − bᵀx over x ≥ 0, made so that x* = max(0, sin i) is its solution: b = Ax* − λ, where λ ≥ 0 is zero at positive x*.
 *
 * @param entry - A as a function of |i − j|
 * @param multiplier - λ of a variable at its bound; 0 makes the bound weakly active
 */
function nonNegativeQuadratic(
  name: string,
  entry: (gap: number) => number,
  multiplier: (i: number) => number,
): Problem {
  const size = 50;
  const solution = range(size).map((i) => Math.max(0, Math.sin(i + 1)));
  const product = (x: ArrayLike<number>) =>
    range(size).map((i) => range(size).reduce((sum, j) => sum + entry(Math.abs(i - j)) * x[j]!, 0));
  const b = product(solution).map((entryOfProduct, i) => entryOfProduct - (solution[i] === 0 ? multiplier(i + 1) : 0));
  const evaluate = (x: ArrayLike<number>) => {
    const Ax = product(x);
    const value = range(size).reduce((sum, i) => sum + x[i]! * (Ax[i]! / 2 - b[i]!), 0);
    return { value, gradient: Float64Array.from(Ax, (entryOfProduct, i) => entryOfProduct - b[i]!) };
  };
  return { name, start: repeat(size, 1), minimum: evaluate(solution).value, lower: 0, objective: evaluate };
}

const a2 = Math.sqrt(598 / 1200);
const x2 = 2 * a2 * Math.cos(Math.acos(1 / (400 * a2 ** 3)) / 3);

/** Smooth problems without bounds. */
export const unconstrained: readonly Problem[] = [
  { name: 'rosenbrock2', start: [-1.2, 1], minimum: 0, objective: rosenbrock },
  { name: 'rosenbrock100', start: repeat(100, -1.2, 1), minimum: 0, objective: rosenbrock },
  powellSingular,
  wood,
  beale,
  brownBadlyScaled,
  trid(10),
  trid(50),
];

/** Problems with bounds, most of them active at the solution. Names hsN are those of Hock and Schittkowski (1981). */
export const bounded: readonly Problem[] = [
  { name: 'hs1', start: [-2, 1], minimum: 0, lower: [-infinity, -1.5], objective: rosenbrock },
  {
    // From its published start (−2, 1) descent leads to the local minimum.
    name: 'hs2',
    start: [2, 2],
    minimum: 100 * (1.5 - x2 ** 2) ** 2 + (1 - x2) ** 2,
    lower: [-infinity, 1.5],
    objective: rosenbrock,
  },
  {
    name: 'hs3',
    start: [10, 1],
    minimum: 0,
    lower: [-infinity, 0],
    objective([a = 0, b = 0]) {
      return { value: b + 1e-5 * (b - a) ** 2, gradient: Float64Array.of(-2e-5 * (b - a), 1 + 2e-5 * (b - a)) };
    },
  },
  {
    name: 'hs4',
    start: [1.125, 0.125],
    minimum: 8 / 3,
    lower: [1, 0],
    objective([a = 0, b = 0]) {
      return { value: (a + 1) ** 3 / 3 + b, gradient: Float64Array.of((a + 1) ** 2, 1) };
    },
  },
  {
    name: 'hs5',
    start: [0, 0],
    minimum: -Math.sqrt(3) / 2 - Math.PI / 3,
    lower: [-1.5, -3],
    upper: [4, 3],
    objective([a = 0, b = 0]) {
      const slope = Math.cos(a + b);
      return {
        value: Math.sin(a + b) + (a - b) ** 2 - 1.5 * a + 2.5 * b + 1,
        gradient: Float64Array.of(slope + 2 * (a - b) - 1.5, slope - 2 * (a - b) + 2.5),
      };
    },
  },
  { name: 'hs38', start: [-3, -1, -3, -1], minimum: 0, lower: -10, upper: 10, objective: wood.objective },
  {
    name: 'hs45',
    start: [2, 2, 2, 2, 2],
    minimum: 1,
    lower: 0,
    upper: [1, 2, 3, 4, 5],
    objective(x) {
      const without = (left: number) => x.reduce((product, entry, i) => (i === left ? product : product * entry), 1);
      return { value: 2 - without(-1) / 120, gradient: x.map((_, i) => -without(i) / 120) };
    },
  },
  {
    name: 'rosenbrockUpper',
    start: [-1.2, 1],
    minimum: 0.25,
    upper: [0.5, infinity],
    objective: rosenbrock,
  },
  {
    // The first example of the L-BFGS-B distribution: every odd variable ends at its lower bound, with multiplier 0.
    name: 'rosenbrock25',
    start: repeat(25, 3),
    minimum: 0,
    lower: repeat(25, 1, -100),
    upper: 100,
    objective(x) {
      const gradient = new Float64Array(x.length);
      let value = 0.25 * (x[0]! - 1) ** 2;
      gradient[0] = 2 * (x[0]! - 1);
      for (let i = 1; i < x.length; i++) {
        const gap = x[i]! - x[i - 1]! ** 2;
        value += gap * gap;
        gradient[i] = 8 * gap;
        gradient[i - 1] = gradient[i - 1]! - 16 * x[i - 1]! * gap;
      }
      return { value: 4 * value, gradient };
    },
  },
  {
    ...trid(10),
    name: 'tridUpper',
    minimum: trid(10).objective(Float64Array.of(6, 10, 12, 12, 12, 15, 16, 15, 12, 7)).value,
    upper: [...repeat(5, 12), ...repeat(5, infinity)],
  },
  nonNegativeQuadratic(
    'quadratic',
    (gap) => Math.exp(-gap / 5),
    (i) => 1 + Math.cos(i) ** 2,
  ),
  nonNegativeQuadratic(
    'quadraticIllConditioned',
    (gap) => Math.exp(-((gap / 2) ** 2)) + (gap === 0 ? 1e-4 : 0),
    (i) => 1 + Math.cos(i) ** 2,
  ),
  nonNegativeQuadratic(
    'quadraticDegenerate',
    (gap) => Math.exp(-gap / 5),
    (i) => (i % 2 === 0 ? 0 : 1),
  ),
];

/** Accuracy at which a value counts as the minimum, relative to its size and at least absolute. */
export const REACHED = 1e-8;

/** Counts the evaluations of a problem until its value is within {@link REACHED} of the minimum. */
export function counted(problem: Problem): Problem & { readonly evaluations: number; readonly toMinimum: number } {
  const target = problem.minimum + REACHED * Math.max(1, Math.abs(problem.minimum));
  let evaluations = 0;
  let toMinimum = Number.POSITIVE_INFINITY;
  return {
    ...problem,
    get evaluations() {
      return evaluations;
    },
    get toMinimum() {
      return toMinimum;
    },
    objective(x) {
      evaluations++;
      const result = problem.objective(x);
      if (result.value <= target) toMinimum = Math.min(toMinimum, evaluations);
      return result;
    },
  };
}
