/** How a parameter's unconstrained variables, which the solver sees, become its natural value. */
export interface Transform {
  /** Natural values from unconstrained ones. */
  toNatural(unconstrained: Float64Array): Float64Array;
  toUnconstrained(natural: Float64Array): Float64Array;
  /** Gradient in the unconstrained variables from the gradient in the natural ones, at `natural = toNatural(unconstrained)`. */
  pullBack(gradient: Float64Array, natural: Float64Array, unconstrained: Float64Array): Float64Array;
}

const identity: Transform = {
  toNatural: (unconstrained) => unconstrained.slice(),
  toUnconstrained: (natural) => natural.slice(),
  pullBack: (gradient) => gradient.slice(),
};

/** x = exp(u) */
const exponential: Transform = {
  toNatural: (unconstrained) => unconstrained.map(Math.exp),
  toUnconstrained: (natural) => natural.map(Math.log),
  pullBack: (gradient, natural) => gradient.map((entry, i) => entry * natural[i]!),
};

/**
 * x = log(1 + exp(u)), the variables of GPy ("Logexp"): they move with the logarithm of a small value and with a large value
 * itself. From 36 on x = u to rounding.
 */
export const softplus: Transform = {
  toNatural: (unconstrained) => unconstrained.map((entry) => (entry > 36 ? entry : Math.log1p(Math.exp(entry)))),
  toUnconstrained: (natural) => natural.map((entry) => (entry > 36 ? entry : Math.log(Math.expm1(entry)))),
  pullBack: (gradient, natural) => gradient.map((entry, i) => entry * -Math.expm1(-natural[i]!)),
};

/** x = lower + (upper − lower)/(1 + exp(−u)) */
const logistic = (lower: number, upper: number): Transform => ({
  toNatural: (unconstrained) => unconstrained.map((entry) => lower + (upper - lower) / (1 + Math.exp(-entry))),
  toUnconstrained: (natural) => natural.map((entry) => Math.log((entry - lower) / (upper - entry))),
  pullBack: (gradient, natural) =>
    gradient.map((entry, i) => (entry * (natural[i]! - lower) * (upper - natural[i]!)) / (upper - lower)),
});

/** The transform of each support. */
export const transforms = {
  real: () => identity,
  positive: () => exponential,
  bounded: logistic,
  box: () => identity,
} satisfies Record<string, (lower: number, upper: number) => Transform>;

/** What the solver sees of a positive parameter x: 'log', log x, or 'softplus', log(exp(x) − 1). */
export type PositiveTransform = 'log' | 'softplus';
