import { describe, expect, it } from 'vitest';
import {
  add,
  backConstrained,
  bias,
  evaluate,
  kernelRegression,
  labelGraph,
  laplacian,
  latentVariableModel,
  Matrix,
  rbf,
} from '../../src/index.ts';
import type { PointRows } from '../../src/model/language/variable.ts';
import { reference } from '../reference.ts';
import { expectClose } from '../tolerance.ts';
import { latentsOf } from './latentsOf.ts';

interface Gplrf {
  Y: number[][];
  labels: number[];
  laplacian: number[][];
  cases: {
    alpha: number;
    theta: [number, number, number, number];
    X: number[][];
    objective: number;
    gradX: number[][];
    gradTheta: number[];
    backConstraint: {
      gamma: number;
      B: number[][];
      X: number[][];
      objective: number;
      gradB: number[][];
      gradTheta: number[];
      testY: number[][];
      testX: number[][];
    };
  }[];
}
const { Y, labels, cases, laplacian: L } = reference<Gplrf>('gplrf.json');
const [N, D] = [Y.length, Y[0]!.length];
const CONSTANT = (N * D * Math.log(2 * Math.PI)) / 2;

const negated = (values: Matrix | number[][]) =>
  (values instanceof Matrix ? values.toArrays() : values).map((row) => row.map((entry) => -entry));

/** Minus the reference's objective, which is minimized, has no constants, and is parametrized by (variance, 1/l², bias, 1/σ²). */
function compare(posterior: 'point' | PointRows, alpha: number, theta: number[], at: Record<string, number[][]>) {
  const [variance, inverseWidth, constant, precision] = theta as [number, number, number, number];
  const lengthscale = inverseWidth ** -0.5;
  const model = latentVariableModel({
    observations: Y,
    latentDim: 2,
    posterior,
    kernel: add(rbf({ variance, lengthscale }), bias({ variance: constant })),
    noise: 1 / precision,
    priors: [laplacian(labelGraph(labels), { strength: alpha })],
    center: false,
  });
  const { objective, terms, gradients } = evaluate(model, at);
  return {
    objective: -objective - CONSTANT,
    terms,
    gradients,
    gradTheta: [
      -(gradients['mapping.kernel.rbf.variance'] as number),
      (gradients['mapping.kernel.rbf.lengthscale'] as number) * 0.5 * inverseWidth ** -1.5,
      -(gradients['mapping.kernel.bias.variance'] as number),
      (gradients['mapping.noise'] as number) / precision ** 2,
    ],
  };
}

describe('GPLRF equals the reference (gplrf.json)', () => {
  it.each(cases)('with free latents, α = $alpha', ({ alpha, theta, X, objective, gradX, gradTheta }) => {
    const got = compare('point', alpha, theta, { latents: X });
    expectClose(got.objective, objective, 1e-11, 'objective');
    expectClose(negated(got.gradients.latents as Matrix), gradX, 1e-10, 'dX');
    expectClose(got.gradTheta, gradTheta, 1e-10, 'dθ');
    const form = L.reduce(
      (sum, row, i) => sum + row.reduce((s, l, j) => s + l * (X[i]![0]! * X[j]![0]! + X[i]![1]! * X[j]![1]!), 0),
      0,
    );
    expectClose(Math.abs(got.terms.laplacian!), (alpha / 2) * form, 1e-12, 'the term');
  });

  it.each(cases)('back-constrained by kernel regression, α = $alpha', ({ alpha, theta, backConstraint }) => {
    const { gamma, B, X, objective, gradB, gradTheta, testY, testX } = backConstraint;
    const latents = backConstrained(kernelRegression({ gamma }));
    const got = compare(latents, alpha, theta, { 'latents.weights': B });
    expectClose(got.objective, objective, 1e-11, 'objective');
    expectClose(negated(got.gradients['latents.weights'] as Matrix), gradB, 1e-10, 'dB');
    expectClose(got.gradTheta, gradTheta, 1e-10, 'dθ');
    const values = { 'latents.weights': Matrix.from(B), 'mapping.noise': 1 };
    const training = Matrix.from(Y);
    expectClose(latentsOf(latents, values, training, training), X, 1e-12, 'latents');
    expectClose(latentsOf(latents, values, Matrix.from(testY), training), testX, 1e-12, 'latents of new observations');
    expect(latents.mapsObservations).toBe(true);
  });

  it('at strength 0 is the back-constrained GPLVM', () => {
    const [{ backConstraint, theta }] = cases as [Gplrf['cases'][number]];
    const latents = backConstrained(kernelRegression({ gamma: backConstraint.gamma }));
    const at = { 'latents.weights': backConstraint.B };
    const gplrf = compare(latents, 0, theta, at);
    const model = latentVariableModel({
      observations: Y,
      latentDim: 2,
      posterior: latents,
      kernel: add(rbf({ variance: theta[0], lengthscale: theta[1] ** -0.5 }), bias({ variance: theta[2] })),
      noise: 1 / theta[3],
      center: false,
    });
    const plain = evaluate(model, at);
    expect(gplrf.terms.mapping).toBe(plain.objective);
    expect(Math.abs(gplrf.terms.laplacian!)).toBe(0);
    expectClose(gplrf.gradients['latents.weights'], plain.gradients['latents.weights'], 1e-15);
  });
});
