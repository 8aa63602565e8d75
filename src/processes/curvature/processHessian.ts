import { square } from '../../core/elementary/index.ts';
import type { Matrix } from '../../core/matrix.ts';
import { doublesOf, matrixTensor } from '../../engine/tensors/doubles.ts';
import { withFloat64 } from '../../engine/tensors/float64/scope.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { type RadialTerms, radialTerms } from '../../kernels/structure.ts';

/** Natural values of K = v·f(s) + b + σ²·I, s = Σ_d ((x_id − x_jd)/l_d)². */
export interface RadialValues {
  readonly profile: op.RadialProfile;
  /** v */
  readonly variance: number;
  /** l, one for all columns of X or one per column. */
  readonly lengthscales: Float64Array;
  /** b */
  readonly constant: number;
  /** σ² */
  readonly noise: number;
}

/**
 * The Hessian of log p(Y|X) = −D/2·log|K| − ½·tr(K⁻¹YYᵀ) in X, row by row, v, l, b and σ², in this order.
 *
 * With P = K⁻¹, A = PYYᵀP, G = ½(A − D·P) and M = D/2·P − A it is, for variables α and β,
 *
 * tr(∂_αK·P·∂_βK·M) + Σ_ij G_ij·∂_α∂_βK_ij.
 *
 * Moving a point x_i changes only row and column i of K, ∂_αK = e_i·uᵀ + u·e_iᵀ, so that all pairs cost a few products of N×Nq matrices.
 *
 * @param X - N×q
 * @param Y - N×D
 * @returns (Nq + 3 + number of lengthscales)² numbers, row by row
 * @throws NumericalError if K has no Cholesky factor
 */
export function processHessian(values: RadialValues, X: Matrix, Y: Matrix): Float64Array {
  return withFloat64(() => {
    const terms = radialTerms(values.profile, X, values.lengthscales);
    const { P, M, G } = densityTerms(values, terms, Y);
    const size = X.rows * X.columns + 3 + values.lengthscales.length;
    const H = new Float64Array(size * size);
    const at: Assembly = { H, size, values, terms, X };
    const U = inputSlopes(at);
    addInputs(at, U, P, M, doublesOf(G));
    addParameters(at, doublesOf(U), P, M, doublesOf(G));
    for (let a = 0; a < size; a++) for (let b = 0; b < a; b++) H[b * size + a] = H[a * size + b]!;
    return H;
  });
}

/** The Hessian (lower triangle) with the values and data that it belongs to. */
interface Assembly {
  readonly H: Float64Array;
  readonly size: number;
  readonly values: RadialValues;
  readonly terms: RadialTerms;
  readonly X: Matrix;
}

/** P = K⁻¹, M = D/2·P − A and G = ½(A − D·P), A = PYYᵀP. */
function densityTerms({ variance, constant, noise }: RadialValues, { value }: RadialTerms, Y: Matrix) {
  const N = Y.rows;
  const K = value.map((f, k) => variance * f + constant + (k % (N + 1) === 0 ? noise : 0));
  const factor = op.cholesky(op.tensor<Tensor2D>(K, [N, N]), { name: 'The covariance of the mapping' });
  const P = op.choleskySolve(factor, op.eye(N));
  const A = op.gramMatrix(op.matMul<Tensor2D>(P, matrixTensor(Y)));
  const G = op.mul<Tensor2D>(0.5, op.sub(A, op.mul(Y.columns, P)));
  return { P, M: op.sub<Tensor2D>(op.mul(Y.columns / 2, P), A), G };
}

/** ∂s_ij/∂x_id and ∂²s_ij/∂x_id². */
function distanceSlopes({ values: { lengthscales }, X: { data: x, columns: q } }: Assembly) {
  const squares = Float64Array.from({ length: q }, (_, d) => square(lengthscales[lengthscales.length === 1 ? 0 : d]!));
  return {
    first: (i: number, j: number, d: number) => (2 * (x[i * q + d]! - x[j * q + d]!)) / squares[d]!,
    second: (d: number) => 2 / squares[d]!,
  };
}

/** ∂k(x_i, x_j)/∂x_id in row j and column (i, d), N×Nq. */
function inputSlopes(at: Assembly): Tensor2D {
  const { values, terms, X } = at;
  const { rows: N, columns: q } = X;
  const { first } = distanceSlopes(at);
  const U = new Float64Array(N * N * q);
  for (let j = 0; j < N; j++) {
    for (let i = 0; i < N; i++) {
      for (let d = 0; d < q; d++) {
        U[j * N * q + i * q + d] = values.variance * terms.slope[i * N + j]! * first(i, j, d);
      }
    }
  }
  return op.tensor(U, [N, N * q]) as Tensor2D;
}

/** Second derivatives in two entries of X. */
function addInputs(at: Assembly, U: Tensor2D, P: Tensor2D, M: Tensor2D, G: Float64Array): void {
  const { H, size, values, terms, X } = at;
  const { rows: N, columns: q } = X;
  const n = N * q;
  const { first, second } = distanceSlopes(at);
  const [PU, MU] = [op.matMul<Tensor2D>(P, U), op.matMul<Tensor2D>(M, U)];
  const [UPU, UMU] = [PU, MU].map((product) => doublesOf(op.matMul(U, product, true)));
  const [pu, mu, p, m] = [PU, MU, P, M].map(doublesOf);
  for (let i = 0; i < N; i++) {
    for (let j = 0; j <= i; j++) {
      const [pij, mij] = [p![i * N + j]!, m![i * N + j]!];
      for (let d = 0; d < q; d++) {
        const a = i * q + d;
        for (let e = 0; e < q; e++) {
          const b = j * q + e;
          H[a * size + b] =
            pu![i * n + b]! * mu![j * n + a]! +
            pu![j * n + a]! * mu![i * n + b]! +
            UPU![a * n + b]! * mij +
            UMU![a * n + b]! * pij;
        }
      }
    }
  }
  for (let i = 0; i < N; i++) {
    for (let j = 0; j < N; j++) {
      if (i === j) continue;
      const k = i * N + j;
      const weight = 2 * G[k]! * values.variance;
      for (let d = 0; d < q; d++) {
        for (let e = 0; e < q; e++) {
          const bent = terms.bend[k]! * first(i, j, d) * first(i, j, e) + (d === e ? terms.slope[k]! * second(d) : 0);
          H[(i * q + d) * size + i * q + e]! += weight * bent;
          if (j < i) H[(i * q + d) * size + j * q + e]! -= weight * bent;
        }
      }
    }
  }
}

/** A parameter of K: ∂K, and functions for ∂²k/∂x_id∂θ and ∂²K/∂θ∂l_e; undefined where they are 0. */
interface ParameterSlopes {
  readonly V: Float64Array;
  readonly withInput?: (i: number, j: number, d: number) => number;
  readonly withLengthscale?: (k: number, e: number) => number;
}

function parameterSlopes(at: Assembly): ParameterSlopes[] {
  const { values, terms, X } = at;
  const { rows: N, columns: q, data: x } = X;
  const { variance, lengthscales } = values;
  const isShared = lengthscales.length === 1;
  const { first } = distanceSlopes(at);
  /** ∂s/∂l_e of the pair k = iN + j. */
  const ofLength = (k: number, e: number) => {
    const length = lengthscales[e]!;
    if (isShared) return (-2 * terms.squaredDistances[k]!) / length;
    const difference = x[Math.floor(k / N) * q + e]! - x[(k % N) * q + e]!;
    return (-2 * square(difference / length)) / length;
  };
  const ofInputAndLength = (i: number, j: number, d: number, e: number) =>
    isShared || d === e ? (-2 * first(i, j, d)) / lengthscales[e]! : 0;
  return [
    {
      V: terms.value,
      withInput: (i, j, d) => terms.slope[i * N + j]! * first(i, j, d),
      withLengthscale: (k, e) => terms.slope[k]! * ofLength(k, e),
    },
    ...Array.from(lengthscales, (_, e) => ({
      V: terms.slope.map((slope, k) => variance * slope * ofLength(k, e)),
      withInput: (i: number, j: number, d: number) => {
        const k = i * N + j;
        return (
          variance * (terms.bend[k]! * first(i, j, d) * ofLength(k, e) + terms.slope[k]! * ofInputAndLength(i, j, d, e))
        );
      },
      withLengthscale: (k: number, other: number) => {
        const both = other === e ? (-3 * ofLength(k, e)) / lengthscales[e]! : 0;
        return variance * (terms.bend[k]! * ofLength(k, e) * ofLength(k, other) + terms.slope[k]! * both);
      },
    })),
    { V: new Float64Array(N * N).fill(1) },
    { V: Float64Array.from({ length: N * N }, (_, k) => (k % (N + 1) === 0 ? 1 : 0)) },
  ];
}

/** Second derivatives in a parameter of K and an entry of X, or another. */
function addParameters(at: Assembly, U: Float64Array, P: Tensor2D, M: Tensor2D, G: Float64Array): void {
  const { H, size, X } = at;
  const { rows: N, columns: q } = X;
  const n = N * q;
  const parameters = parameterSlopes(at);
  const lengths = at.values.lengthscales.length;
  parameters.forEach(({ V, withInput }, t) => {
    const row = (n + t) * size;
    const half = op.matMul<Tensor2D>(op.matMul<Tensor2D>(P, op.tensor<Tensor2D>(V, [N, N])), M);
    const Q = doublesOf(op.add(half, op.transpose(half)));
    for (let i = 0; i < N; i++) {
      for (let d = 0; d < q; d++) {
        let sum = 0;
        for (let j = 0; j < N; j++) {
          sum += U[j * n + i * q + d]! * Q[j * N + i]!;
          if (withInput !== undefined && j !== i) sum += 2 * G[i * N + j]! * withInput(i, j, d);
        }
        H[row + i * q + d] = sum;
      }
    }
    for (let other = 0; other <= t; other++) {
      const { V: W, withLengthscale } = parameters[other]!;
      const isBent = withLengthscale !== undefined && t >= 1 && t <= lengths;
      let sum = 0;
      for (let k = 0; k < W.length; k++) {
        sum += 0.5 * W[k]! * Q[k]!;
        if (isBent) sum += G[k]! * withLengthscale(k, t - 1);
      }
      H[row + n + other] = sum;
    }
  });
}
