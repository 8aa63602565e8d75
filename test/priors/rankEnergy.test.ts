import { describe, expect, it } from 'vitest';
import { fit, fixed, InvalidInputError, latentVariableModel, Matrix, rank, rbf, real } from '../../src/index.ts';
import { keptEnergy } from '../../src/priors/rank.ts';
import { expectClose } from '../tolerance.ts';
import { priorReference } from './priorReference.ts';

const { X, Y } = priorReference;

function energy({ data, rows, columns }: Matrix): number {
  let sum = 0;
  for (let d = 0; d < columns; d++) {
    const mean = data.reduce((total, entry, i) => (i % columns === d ? total + entry / rows : total), 0);
    data.forEach((entry, i) => {
      if (i % columns === d) sum += (entry - mean) ** 2;
    });
  }
  return sum;
}

const modelWith = (options: Parameters<typeof rank>[0]) =>
  latentVariableModel({
    observations: Y,
    latentDim: 2,
    init: X,
    kernel: rbf({ variance: fixed(1), lengthscale: fixed(1) }),
    noise: fixed(0.1),
    priors: [rank({ strength: 30, beta: 10, ...options })],
  });

describe('the rank prior', () => {
  it('keeps the energy of free latents while it lowers their rank', async () => {
    const start = energy(Matrix.from(X));
    const kept = await fit(modelWith({}), { maxIterations: 300 });
    expectClose(energy(kept.latents), start, 1e-12);
    const shrunk = await fit(modelWith({ energy: 'free' }), { maxIterations: 300 });
    expect(energy(shrunk.latents)).toBeLessThan(0.5 * start);
    expect((await fit(modelWith({}), { maxIterations: 0 })).latents.data).toEqual(Matrix.from(X).data);
  });

  it('pulls gradients back through the restriction as differences do', () => {
    const { transform } = keptEnergy(real(Matrix.from(X)));
    const U = Matrix.from(X).data.map((entry, i) => 1.3 * entry + Math.sin(i));
    const weights = U.map((_, i) => Math.cos(2 * i));
    const f = (at: Float64Array) =>
      transform!.toNatural(at).reduce((sum, x, i) => sum + weights[i]! * x + Math.sin(x), 0);
    const natural = transform!.toNatural(U);
    const gradient = transform!.pullBack(
      natural.map((x, i) => weights[i]! + Math.cos(x)),
      natural,
      U,
    );
    const h = 1e-3;
    const differences = U.map((_, i) => {
      const at = (k: number) => f(U.map((entry, j) => (j === i ? entry + k * h : entry)));
      return (45 * (at(1) - at(-1)) - 9 * (at(2) - at(-2)) + (at(3) - at(-3))) / (60 * h);
    });
    expectClose(gradient, differences, 1e-9);
    expectClose(energy(new Matrix(natural, X.length, 2)), energy(Matrix.from(X)), 1e-13);
  });

  it('refuses latents that all start in one place', () => {
    expect(() => keptEnergy(real(new Matrix(new Float64Array(6).fill(2), 3, 2)))).toThrow(InvalidInputError);
  });
});
