import { exp, log } from '../core/elementary/index.ts';
import { InvalidInputError } from '../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../core/matrix.ts';
import { checkDefinition, checkMembers, checkName, type Member } from '../core/options.ts';
import { scaledIdentity } from '../engine/dense/symmetric.ts';
import type { Rank } from '../engine/tensors/tensorflow.ts';
import { bounded, type Parameter, type ParameterOptions, type ParameterValue, type RankOf, real } from './parameter.ts';
import { entriesOf, logSigmoid, type Transform } from './transform.ts';

/** A transform whose entries depend on each other. */
export type JointTransform = Transform & Required<Pick<Transform, 'name' | 'variables' | 'refuses' | 'logJacobian'>>;

/** Tolerance of a simplex's sum, for rounding errors of many entries. */
const SUM_ERROR = 1e-8;

/** 1/(1 + exp(−u)) */
const logistic = (u: number) => 1 / (1 + exp(-u));

/**
 * Stick breaking: z_k = 1/(1 + exp(−u_k − log 1/(K − k))), x_k = z_k·(1 − Σ_{j<k} x_j) for k < K, and x_K the remainder: u = 0 is the uniform
 * simplex.
 *
 * @see Stan reference manual, 'Simplex transform'
 */
export const stickBreaking: JointTransform = {
  name: 'simplex',
  variables: (entries) => entries - 1,
  refuses: (x) => {
    const sum = x.reduce((total, entry) => total + entry, 0);
    return x.length >= 2 && Math.abs(sum - 1) <= SUM_ERROR
      ? undefined
      : `at least two numbers above 0 that add up to 1, but these ${x.length} add up to ${sum}`;
  },
  toNatural: (u) => {
    const x = new Float64Array(u.length + 1);
    let left = 1;
    u.forEach((entry, k) => {
      const z = logistic(entry - log(u.length - k));
      x[k] = left * z;
      left *= 1 - z;
    });
    x[u.length] = left;
    return x;
  },
  toUnconstrained: (x) => {
    const u = new Float64Array(x.length - 1);
    let rest = x[x.length - 1]!;
    for (let k = u.length - 1; k >= 0; k--) {
      u[k] = log(x[k]! / rest) + log(u.length - k);
      rest += x[k]!;
    }
    return u;
  },
  pullBack: (gradient, x) => {
    const u = new Float64Array(x.length - 1);
    let after = gradient[x.length - 1]!;
    let rest = x[x.length - 1]!;
    for (let k = u.length - 1; k >= 0; k--) {
      const stick = rest + x[k]!;
      const z = x[k]! / stick;
      u[k] = stick * (gradient[k]! - after) * z * (1 - z);
      after = gradient[k]! * z + after * (1 - z);
      rest = stick;
    }
    return u;
  },
  logJacobian: (u) => {
    const K = u.length + 1;
    const gradient = new Float64Array(u.length);
    let value = 0;
    u.forEach((entry, k) => {
      const v = entry - log(u.length - k);
      const z = logistic(v);
      value += logSigmoid(v) + (K - 1 - k) * logSigmoid(-v);
      gradient[k] = 1 - z - (K - 1 - k) * z;
    });
    return { value, gradient };
  },
};

/** x_1 = u_1, x_k = x_{k−1} + exp(u_k). */
export const increasing: JointTransform = {
  name: 'ordered',
  variables: (entries) => entries,
  refuses: (x) => {
    const k = x.findIndex((entry, i) => i > 0 && !(entry > x[i - 1]!));
    return k < 0 ? undefined : `increasing, but entry ${k} (${x[k]}) is not above the one before it (${x[k - 1]})`;
  },
  toNatural: (u) => {
    const x = u.slice();
    for (let k = 1; k < x.length; k++) x[k] = x[k - 1]! + exp(u[k]!);
    return x;
  },
  toUnconstrained: (x) => x.map((entry, k) => (k === 0 ? entry : log(entry - x[k - 1]!))),
  pullBack: (gradient, x) => {
    const u = new Float64Array(x.length);
    let above = 0;
    for (let k = x.length - 1; k >= 0; k--) {
      above += gradient[k]!;
      u[k] = k === 0 ? above : above * (x[k]! - x[k - 1]!);
    }
    return u;
  },
  logJacobian: (u) => ({
    value: u.reduce((sum, entry, k) => sum + (k === 0 ? 0 : entry), 0),
    gradient: u.map((_, k) => (k === 0 ? 0 : 1)),
  }),
};

/** L lower triangular, n×n row by row: entries below the diagonal unchanged, diagonal entries exp(u). */
const triangular: JointTransform = {
  name: 'choleskyFactor',
  variables: (entries) => {
    const n = Math.sqrt(entries);
    return (n * (n + 1)) / 2;
  },
  refuses: (x) => {
    const n = Math.sqrt(x.length);
    const k = x.findIndex((entry, p) => {
      const [i, j] = [Math.floor(p / n), p % n];
      return j > i ? entry !== 0 : i === j && !(entry > 0);
    });
    return k < 0
      ? undefined
      : `0 above the diagonal and above 0 on it, but entry [${Math.floor(k / n)}][${k % n}] is ${x[k]}`;
  },
  toNatural: (u) => {
    const n = sideOf(u.length);
    const x = new Float64Array(n * n);
    onLower(n, (i, j, p) => {
      x[i * n + j] = i === j ? exp(u[p]!) : u[p]!;
    });
    return x;
  },
  toUnconstrained: (x) => {
    const n = Math.sqrt(x.length);
    const u = new Float64Array((n * (n + 1)) / 2);
    onLower(n, (i, j, p) => {
      u[p] = i === j ? log(x[i * n + j]!) : x[i * n + j]!;
    });
    return u;
  },
  pullBack: (gradient, x) => {
    const n = Math.sqrt(x.length);
    const u = new Float64Array((n * (n + 1)) / 2);
    onLower(n, (i, j, p) => {
      u[p] = gradient[i * n + j]! * (i === j ? x[i * n + j]! : 1);
    });
    return u;
  },
  logJacobian: (u) => {
    const gradient = new Float64Array(u.length);
    let value = 0;
    onLower(sideOf(u.length), (i, j, p) => {
      if (i !== j) return;
      value += u[p]!;
      gradient[p] = 1;
    });
    return { value, gradient };
  },
};

/** n from n(n + 1)/2 entries. */
const sideOf = (entries: number) => Math.round((Math.sqrt(8 * entries + 1) - 1) / 2);

function onLower(n: number, visit: (i: number, j: number, place: number) => void): void {
  let place = 0;
  for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) visit(i, j, place++);
}

/** Built-in transforms of whole values, by their names in files. */
export const jointTransforms: Readonly<Record<string, JointTransform>> = {
  simplex: stickBreaking,
  ordered: increasing,
  choleskyFactor: triangular,
};

function withTransform<R extends Rank>(parameter: Parameter<R>, transform: JointTransform, what: string): Parameter<R> {
  const entries = entriesOf(parameter.initial);
  const refused = transform.refuses(entries);
  if (refused !== undefined) throw new InvalidInputError(`The start of ${what} must be ${refused}.`);
  return Object.freeze({ ...parameter, transform });
}

/** Largest number of entries of a parameter defined by its size. */
const MOST_ENTRIES = 1e6;

/**
 * Positive weights that sum to 1, such as the weights of a mixture; the solver has K − 1 variables, by stick breaking.
 *
 * @param initial - initial values: K ≥ 2 positive numbers that sum to 1, or the number K for equal ones
 * @param options - `prior` on each value
 * @throws InvalidInputError if the initial values are not a simplex, or outside the support of the prior
 * @example
 * ```ts
 * simplex(3); // starts at ⅓, ⅓, ⅓
 * simplex([0.5, 0.25, 0.25]);
 * ```
 */
export function simplex(initial: number | readonly number[], options: ParameterOptions = {}): Parameter<Rank.R1> {
  const isCount = typeof initial === 'number';
  if (isCount && !(Number.isInteger(initial) && initial >= 2 && initial <= MOST_ENTRIES)) {
    throw new InvalidInputError(
      `simplex takes a list of weights, or how many there are, from 2 to ${MOST_ENTRIES}, but ${initial} was given.`,
    );
  }
  const start = isCount ? new Array<number>(initial).fill(1 / initial) : initial;
  return withTransform(bounded(0, 1, start, options), stickBreaking, 'a simplex') as Parameter<Rank.R1>;
}

/**
 * Numbers in increasing order, such as cut points or the means of groups; the solver's variables are the first number and the logarithms of the
 * differences.
 *
 * @param initial - initial values, increasing
 * @param options - `prior` on each value
 * @throws InvalidInputError if the initial values are not increasing, or outside the support of the prior
 * @example
 * ```ts
 * ordered([-1, 0, 1]);
 * ```
 */
export function ordered(initial: readonly number[], options: ParameterOptions = {}): Parameter<Rank.R1> {
  return withTransform(real(initial, options), increasing, 'ordered numbers') as Parameter<Rank.R1>;
}

/**
 * The Cholesky factor L (n×n, lower triangular) of a covariance LLᵀ; the solver's variables are its entries below the diagonal and the logarithms of
 * its diagonal.
 *
 * @param initial - initial value: L, or n for the identity
 * @param options - `prior` on each entry
 * @throws InvalidInputError unless the initial value is square and lower triangular with a positive diagonal
 * @example
 * ```ts
 * choleskyFactor(2); // starts at the identity
 * choleskyFactor([[1, 0], [0.5, 2]]);
 * ```
 */
export function choleskyFactor(initial: number | MatrixLike, options: ParameterOptions = {}): Parameter<Rank.R2> {
  const most = Math.sqrt(MOST_ENTRIES);
  if (typeof initial === 'number' && !(Number.isInteger(initial) && initial >= 1 && initial <= most)) {
    throw new InvalidInputError(
      `choleskyFactor takes a matrix, or its number of rows from 1 to ${most}, but ${initial} was given.`,
    );
  }
  const L =
    typeof initial === 'number' ? scaledIdentity(initial) : Matrix.from(initial, 'The start of a Cholesky factor');
  if (L.rows !== L.columns) {
    throw new InvalidInputError(`A Cholesky factor is square, but a ${L.rows}×${L.columns} matrix was given.`);
  }
  return withTransform(real(L, options), triangular, 'a Cholesky factor') as Parameter<Rank.R2>;
}

/** Definition of a custom kind of value, as a function of real variables: see {@link defineTransform}. */
export interface TransformDefinition extends Omit<Transform, 'name' | 'title'> {
  /** Name of the kind in messages. */
  readonly name: string;
}

const MEMBERS: Readonly<Record<keyof TransformDefinition, Member>> = {
  name: 'anything',
  variables: 'function, if any',
  toNatural: 'function',
  toUnconstrained: 'function',
  pullBack: 'function',
  logJacobian: 'function, if any',
  refuses: 'function, if any',
};

/** Makes a parameter with an initial value. */
export type TransformedParameter = <V extends ParameterValue>(
  initial: V,
  options?: ParameterOptions,
) => Parameter<RankOf<V>>;

/**
 * Defines a custom kind of parameter, whose value is a function of the solver's real variables.
 *
 * @param definition - see {@link TransformDefinition}
 * @returns a factory `(initial, options?) => Parameter`
 * @throws InvalidInputError for an unknown member, and, when a parameter is made, for an initial value that is refused or not reproduced from its
 *   variables
 * @example
 * ```ts
 * import { defineTransform } from 'latentfield/model';
 *
 * // Numbers below 0: x = −exp(u).
 * const negative = defineTransform({
 *   name: 'negative',
 *   toNatural: (u) => u.map((entry) => -Math.exp(entry)),
 *   toUnconstrained: (x) => x.map((entry) => Math.log(-entry)),
 *   pullBack: (gradient, x) => gradient.map((entry, i) => entry * x[i]!),
 *   logJacobian: (u) => ({ value: u.reduce((sum, entry) => sum + entry, 0), gradient: u.map(() => 1) }),
 *   refuses: (x) => (x.every((entry) => entry < 0) ? undefined : 'below 0'),
 * });
 * negative([-1, -2]);
 * ```
 */
export function defineTransform(definition: TransformDefinition): TransformedParameter {
  const { name, refuses, variables = (entries: number) => entries } = checkDefinition(definition, 'defineTransform');
  checkName(name, 'A transform');
  checkMembers(definition, 'defineTransform', MEMBERS);
  const { name: _, ...own } = definition;
  const transform: Transform = Object.freeze({ ...own, title: name, variables });
  return (initial, options = {}) => {
    const parameter = real(initial, options);
    const entries = entriesOf(parameter.initial);
    const refused = refuses?.(entries);
    if (refused !== undefined) throw new InvalidInputError(`The start of a parameter '${name}' must be ${refused}.`);
    const back = transform.toNatural(transform.toUnconstrained(entries));
    const odd = entries.findIndex((entry, i) => !(Math.abs(back[i]! - entry) <= 1e-8 * Math.max(1, Math.abs(entry))));
    if (back.length === entries.length && odd < 0) return Object.freeze({ ...parameter, transform });
    throw new InvalidInputError(
      `Transform '${name}' does not give back a start of ${entries.length} entries from its variables: ` +
        `${back.length === entries.length ? `entry ${odd} is ${describe(entries[odd])}, and comes back as ${describe(back[odd])}` : `it has ${back.length} entries then`}. Let toNatural undo toUnconstrained.`,
    );
  };
}
