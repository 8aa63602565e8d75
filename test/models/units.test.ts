import { describe, expect, it } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import { alle, evaluate, fit, Matrix, meu, nearestNeighborError, thinPlateSpline, tpslvm } from '../../src/index.ts';
import { expectClose } from '../tolerance.ts';

const { observations: Y, labels } = pipeFlow({ points: 60, seed: 2 });
const times = (unit: number) =>
  new Matrix(
    Y.data.map((entry) => unit * entry),
    Y.rows,
    Y.columns,
  );
const mean = Y.data.reduce((sum, entry) => sum + entry, 0) / Y.data.length;
const deviation = Math.sqrt(Y.data.reduce((sum, entry) => sum + (entry - mean) ** 2, 0) / Y.data.length);
/** Powers of two change no digit. */
const UNITS = [2 ** -7, 1, 2 ** 7];

describe('the unit of the observations', () => {
  it('makes no difference to a tpslvm except for the density of the change of variables', async () => {
    const fits = await Promise.all(
      UNITS.map((unit) => fit(tpslvm(times(unit), { latentDim: 2 }), { maxIterations: 60 })),
    );
    const [small, one, large] = fits as [(typeof fits)[0], (typeof fits)[0], (typeof fits)[0]];
    const ND = Y.rows * Y.columns;
    expect(one.objective - large.objective).toBeCloseTo(ND * Math.log(2 ** 7), 6);
    expect(small.objective - one.objective).toBeCloseTo(ND * Math.log(2 ** 7), 6);
    const errors = fits.map(({ latents }) => nearestNeighborError(latents, labels));
    expect(errors).toEqual([errors[1], errors[1], errors[1]]);
    const noiseOf = ({ parameters }: typeof one) => Number(parameters['mapping.noise']);
    expect(noiseOf(large) / noiseOf(one)).toBeCloseTo(2 ** 14, 3);
  });

  it('matters to the form of the paper, which is there by its kernel', async () => {
    const paper = tpslvm(Y, { latentDim: 2, kernel: thinPlateSpline() });
    const at = { 'mapping.noise': 0.1 };
    const own = await evaluate(tpslvm(Y, { latentDim: 2 }), { ...at, 'mapping.kernel.scale.variance': 1 });
    expect(own.objective).toBeCloseTo((await evaluate(paper, at)).objective, 8);
  });

  it('makes no difference to meu', async () => {
    const fits = await Promise.all(UNITS.map((unit) => fit(meu(times(unit), { latentDim: 2 }))));
    const errors = fits.map(({ latents }) => nearestNeighborError(latents, labels));
    expect(errors).toEqual([errors[1], errors[1], errors[1]]);
    fits.forEach(({ graph }, i) => {
      expect(graph.weights[0]! * UNITS[i]! ** 2).toBeCloseTo(fits[1]!.graph.weights[0]!, 6);
    });
  });

  it.each([0.1, 1, 100])('makes no difference to alle whose deviation is %s', async (unit) => {
    const errorIn = async (by: number) => {
      const { latents, eigenvalues, precision } = await fit(alle(times(by), { latentDim: 2 }));
      return {
        error: nearestNeighborError(latents, labels),
        eigenvalue: eigenvalues[0]!,
        entry: precision().at(0, 0),
      };
    };
    const [one, other] = [await errorIn(1 / deviation), await errorIn(unit / deviation)];
    expect(other.error).toBe(one.error);
    expectClose(other.eigenvalue, one.eigenvalue * unit ** 2, 1e-8);
    expectClose(other.entry * unit ** 2, one.entry, 1e-8);
  });

  it('takes centers or a kernel', () => {
    const both = { latentDim: 2, centers: 5, kernel: thinPlateSpline() };
    expect(() => tpslvm(Y, both)).toThrow(/either centers or a kernel/);
  });
});
