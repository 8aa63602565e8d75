import { contractedRbfProducts } from '../../engine/tensors/ops/rbfExpectations.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor, Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { TensorMap } from '../../model/model.ts';
import { type Kernel, namedParts, pickColumns } from '../kernel.ts';
import { rbfProfile } from '../rbf.ts';
import { columnsOf, type ExpectationInputs, type Expectations, totals, weightedProducts } from './expectations.ts';

/**
 * Closed-form expectations of a kernel, derived from its leaves through sums (with all products of two summands), scales and column selections.
 *
 * @returns undefined for a kernel without a closed form: some kernels alone, every product, and sums of two rbfs of the same columns
 */
export function closedExpectations(kernel: Kernel, p: TensorMap, inputs: ExpectationInputs): Expectations | undefined {
  const { form } = kernel;
  switch (form.type) {
    case 'leaf':
      return leafExpectations(kernel, p, inputs);
    case 'multiply':
      return undefined;
    case 'scale': {
      const [child] = namedParts([form.child], ['scale']);
      const inner = closedExpectations(form.child, child!.own(p), inputs);
      return inner && scaled(inner, p['scale.variance']!);
    }
    case 'select': {
      const pick = pickColumns(form.columns).tensor;
      const x = { mean: pick(inputs.x.mean), variance: pick(inputs.x.variance) };
      const inner = closedExpectations(form.child, p, { ...inputs, x, Z: pick(inputs.Z) });
      return inner && spreadOut(inner, form.columns, inputs);
    }
    case 'add': {
      const parts = namedParts(form.children);
      const inner = form.children.map((child, i) => closedExpectations(child, parts[i]!.own(p), inputs));
      return inner.every((part) => part !== undefined) ? summedExpectations(inner, inputs) : undefined;
    }
  }
}

/** Expectations of v·k. */
function scaled(inner: Expectations, v: op.Tensor): Expectations {
  const times = <T extends op.Tensor>(x: T) => op.mul(v, x) as T;
  const { diagonal, cross, products, moments, apart, constant, linear, columns } = inner;
  return {
    ...(columns && { columns }),
    diagonal: times(diagonal) as Tensor1D,
    cross: times(cross),
    products: () => products().map((matrix) => op.mul(op.square(v), matrix) as Tensor2D),
    ...(moments && { moments: () => moments().map(times) }),
    ...(apart !== undefined && { apart }),
    ...(constant && { constant: times(constant) }),
    ...(linear && { linear: times(linear) }),
  };
}

/**
 * Expectations in all columns of a kernel of selected columns: in the others, weights of a linear covariance are 0, and moments are the latents'
 * moments.
 */
function spreadOut(inner: Expectations, columns: readonly number[], { x, weights }: ExpectationInputs): Expectations {
  const q = x.mean.shape[1];
  const places = new Float64Array(columns.length * q);
  columns.forEach((column, i) => {
    places[i * q + column] = 1;
  });
  const spread = (matrix: Tensor2D) => op.matMul<Tensor2D>(matrix, op.tensor(places, [columns.length, q]));
  const others = Float64Array.from({ length: q }, (_, d) => (columns.includes(d) ? 0 : 1));
  const { moments, linear } = inner;
  return {
    ...inner,
    columns,
    ...(linear && { linear: spread(linear) }),
    ...(moments && {
      moments: () => {
        const means = op.mul(x.mean, op.tensor(others)) as Tensor2D;
        const rest = weightedProducts(inner.cross, means, weights);
        return moments().map((moment, i) => op.add(spread(moment), rest[i]!) as Tensor2D);
      },
    }),
  };
}

/**
 * The expectations of a sum of covariances: ψ₀ and Ψ₁ add, and Ψ₂ with Σ_n ω_n·⟨k(z, x_n)·k'(x_n, z')⟩ and its transpose for every two of them.
 *
 * @returns undefined if a product of two of them has no closed form
 */
function summedExpectations(parts: readonly Expectations[], inputs: ExpectationInputs): Expectations | undefined {
  const pairs = parts.flatMap((left, i) => parts.slice(i + 1).map((right) => pairOf(left, right, inputs)));
  if (!pairs.every((pair) => pair !== undefined)) return undefined;
  const moments = parts.every((part) => part.moments !== undefined)
    ? () => parts.map((part) => part.moments!()).reduce(addEach)
    : undefined;
  return {
    diagonal: parts.map(({ diagonal }) => diagonal).reduce((sum, part) => op.add(sum, part) as Tensor1D),
    cross: parts
      .filter(({ apart }, i) => !apart || i === 0)
      .map(({ cross }) => cross)
      .reduce((sum, part) => op.add(sum, part) as Tensor2D),
    products: () => [...parts.map((part) => part.products()), ...pairs.map((pair) => pair())].reduce(addEach),
    ...(moments && { moments }),
  };
}

const addEach = (left: readonly Tensor2D[], right: readonly Tensor2D[]): readonly Tensor2D[] =>
  left.length === 0 || right.length === 0
    ? [...left, ...right]
    : left.map((matrix, i) => op.add(matrix, right[i]!) as Tensor2D);

type Pair = () => readonly Tensor2D[];

/**
 * ⟨k(z, x)·k'(x, z')⟩ with its transpose, summed over points; undefined without a closed form. Columns of x are independent, so that for
 * covariances of different columns it is ⟨k(z, x)⟩·⟨k'(x, z')⟩.
 */
function pairOf(a: Expectations, b: Expectations, { x, weights }: ExpectationInputs): Pair | undefined {
  if (a.apart || b.apart) return () => [];
  const areSeparate = a.columns?.some((column) => b.columns?.includes(column) ?? true) === false;
  const product = areSeparate
    ? () => weightedProducts(a.cross, b.cross, weights)
    : (constantTimes(a, b, x, weights) ?? constantTimes(b, a, x, weights) ?? linearTimes(a, b) ?? linearTimes(b, a));
  return product && (() => product().map((matrix) => op.add(matrix, op.transpose(matrix)) as Tensor2D));
}

function constantTimes(
  { constant }: Expectations,
  other: Expectations,
  { mean }: op.GaussianRows,
  weights: Tensor2D | undefined,
): Pair | undefined {
  if (constant === undefined) return undefined;
  return () =>
    columnsOf(weights).map((column) => {
      const all = column ?? op.ones<Tensor2D>([mean.shape[0], 1]);
      const [sums] = weightedProducts(other.cross, all, undefined);
      return op.mul(op.mul(constant, sums!), op.ones([1, other.cross.shape[1]])) as Tensor2D;
    });
}

function linearTimes({ linear }: Expectations, other: Expectations): Pair | undefined {
  if (linear === undefined || other.moments === undefined) return undefined;
  return () => other.moments!().map((moment) => op.matMul<Tensor2D>(moment, linear, false, true));
}

/** Expectations of a kernel made by one definition: as declared, or derived from its structure. */
function leafExpectations({ form }: Kernel, p: TensorMap, inputs: ExpectationInputs): Expectations | undefined {
  if (form.type !== 'leaf') return undefined;
  const { structure, expectations } = form.capabilities;
  const own = form.own(p);
  if (expectations !== undefined) return expectations(own, inputs);
  switch (structure?.type) {
    case 'radial':
      return structure.profile === rbfProfile
        ? rbfExpectations({ variance: own.variance!, lengthscale: own.lengthscale! }, inputs)
        : undefined;
    case 'constant':
      return constantExpectations(own[structure.parameter]!, inputs);
    case 'white':
      return whiteExpectations(own[structure.parameter]!, inputs);
    default:
      return undefined;
  }
}

/** Expectations of Σ_d v_d·x_d·x'_d, with one variance or one per dimension: Ψ₂ = W·Σ_n ω_n(μ_nμ_nᵀ + diag s_n)·Wᵀ with W = Z·diag(v). */
export function linearExpectations(
  p: { readonly variance: Tensor },
  { x, Z, weights }: ExpectationInputs,
): Expectations {
  const linear = op.mul(Z, p.variance) as Tensor2D;
  const secondMoments = () => {
    const outer = weightedProducts(x.mean, x.mean, weights);
    return columnsOf(weights).map((column, i) => {
      const spread = op.sum(column === undefined ? x.variance : op.mul(column, x.variance), 0);
      return op.add(outer[i]!, op.mul(op.eye(x.mean.shape[1]), spread)) as Tensor2D;
    });
  };
  const moments = () => secondMoments().map((second) => op.matMul<Tensor2D>(linear, second));
  return {
    diagonal: op.sum(op.mul(op.add(op.square(x.mean), x.variance), p.variance), 1) as Tensor1D,
    cross: op.matMul<Tensor2D>(x.mean, linear, false, true),
    products: () => moments().map((moment) => op.matMul<Tensor2D>(moment, linear, false, true)),
    moments,
    linear,
  };
}

/** Expectations of a constant covariance: the constant and its square. */
function constantExpectations(value: Tensor, { x, Z, weights }: ExpectationInputs): Expectations {
  const [n, m] = [x.mean.shape[0], Z.shape[0]];
  const cross = op.mul(value, op.ones([n, m])) as Tensor2D;
  return {
    diagonal: op.mul(value, op.ones([n])),
    cross,
    products: () =>
      totals(n, weights).map((total) => op.mul(op.mul(op.square(value), total), op.ones([m, m])) as Tensor2D),
    moments: () => weightedProducts(cross, x.mean, weights),
    constant: value,
  };
}

/** Expectations of white noise, which is 0 between latents and inducing inputs. */
function whiteExpectations(variance: Tensor, { x, Z, weights }: ExpectationInputs): Expectations {
  const [n, m] = [x.mean.shape[0], Z.shape[0]];
  return {
    diagonal: op.mul(variance, op.ones([n])),
    cross: op.zeros([n, m]),
    products: () => totals(n, weights).map(() => op.zeros<Tensor2D>([m, m])),
    moments: () => totals(n, weights).map(() => op.zeros<Tensor2D>([m, x.mean.shape[1]])),
    apart: true,
  };
}

/**
 * Expectations of v·exp(−r²/2), with one lengthscale or one per dimension: see `op.expectedRbf` and `op.expectedRbfProducts`. The density of x_n
 * times k(x_n, z_m) is Ψ₁ times a Gaussian of mean (l²μ + s·z)/(l² + s), which gives the moments.
 */
function rbfExpectations(
  p: { readonly variance: Tensor; readonly lengthscale: Tensor },
  { x, Z, weights }: ExpectationInputs,
): Expectations {
  const cross = op.expectedRbf(x, Z, p.variance, p.lengthscale);
  return {
    diagonal: op.mul(p.variance, op.ones([x.mean.shape[0]])),
    cross,
    products: () => op.unstack<Tensor2D>(op.expectedRbfProducts(x, Z, p.variance, p.lengthscale, weights)),
    contracted: (G, weights) => contractedRbfProducts(x, Z, p.variance, p.lengthscale, G, weights),
    moments: () => {
      const square = op.square(p.lengthscale);
      const shares = op.div(x.variance, op.add(square, x.variance)) as Tensor2D;
      const rest = op.mul(op.sub(1, shares), x.mean) as Tensor2D;
      const own = weightedProducts(cross, rest, weights);
      const toward = weightedProducts(cross, shares, weights);
      return own.map((part, i) => op.add(part, op.mul(Z, toward[i]!)) as Tensor2D);
    },
  };
}
