import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../src/core/errors.ts';
import {
  fixedAt,
  gamma,
  latentVariableModel,
  Matrix,
  normal,
  type Parameter,
  positive,
  seededRandom,
} from '../../src/index.ts';
import { perturbedStarts } from '../../src/inference/fit/perturbedStarts.ts';
import { originsOf } from '../../src/inference/fit/restarts.ts';
import { fit } from '../../src/inference/index.ts';
import { kernelFromJSON, kernelToJSON, rbf } from '../../src/kernels/index.ts';
import type { PositiveTransform } from '../../src/model/index.ts';
import { evaluate } from '../../src/model/open.ts';
import { parameterFrom, transformOf } from '../../src/model/parameter.ts';
import { parameterFromJSON } from '../../src/model/parameterJson.ts';
import { parameterToJSON } from '../../src/model/parameterToJson.ts';
import { layOut } from '../../src/model/variables.ts';

const soft = (start: number) => positive(start, { transform: 'softplus' });
const random = seededRandom(1);
const Y = Array.from({ length: 12 }, (_, i) => [Math.sin(i), Math.cos(i), 0.1 * random.normal()]);

const X = Matrix.from(Y.map(([a, b]) => [a!, b!]));

function model(transform: PositiveTransform) {
  const { prior } = positive(1, { prior: gamma({ shape: 2, rate: 2 }) });
  const p = (start: number) => positive(start, { transform, ...(prior && { prior }) });
  return latentVariableModel({
    observations: Y,
    latentDim: 2,
    posterior: fixedAt(X),
    kernel: rbf({ variance: p(1), lengthscale: p(1) }),
    noise: p(0.1),
  });
}

describe("positive(x, { transform: 'softplus' })", () => {
  it('shows the solver log(exp(x) − 1), from the smallest values to the largest', () => {
    const { toNatural, toUnconstrained } = transformOf(soft(1));
    // log(expm1(x)) of mpmath 1.3 with 50 digits.
    const cases: [number, number][] = [
      [1e-300, -690.7755278982137],
      [1e-10, -23.025850929890456],
      [0.1, -2.2521684610440906],
      [1, 0.5413248546129181],
      [5, 4.993239250550512],
      [36.5, 36.5],
      [800, 800],
    ];
    for (const [x, u] of cases) {
      expect(Math.abs(toUnconstrained(Float64Array.of(x))[0]! - u)).toBeLessThanOrEqual(4e-16 * Math.abs(u));
      const back = toNatural(Float64Array.of(u))[0]!;
      expect(Math.abs(back - x)).toBeLessThanOrEqual(2e-13 * x);
    }
  });

  it('pulls gradients back in agreement with differences', () => {
    const { toNatural, pullBack } = transformOf(soft(1));
    for (const u of [-30, -2, 0, 0.7, 12, 50]) {
      const h = 1e-4;
      const at = (v: number) => toNatural(Float64Array.of(v))[0]!;
      const slope = (8 * (at(u + h) - at(u - h)) - (at(u + 2 * h) - at(u - 2 * h))) / (12 * h);
      const [pulled] = pullBack(Float64Array.of(3), Float64Array.of(at(u)), Float64Array.of(u));
      expect(Math.abs(pulled! - 3 * slope)).toBeLessThanOrEqual(1e-8 * 3 * slope);
    }
  });

  it('is the logarithm by default', () => {
    expect(positive(2, { transform: 'log' })).toEqual(positive(2));
    expect(transformOf(positive(2)).toUnconstrained(Float64Array.of(2))[0]).toBe(Math.log(2));
  });

  it('survives JSON, and a bare number instead of it', () => {
    const given = soft(0.3);
    const read = parameterFromJSON(JSON.parse(JSON.stringify(parameterToJSON(given))));
    expect(read).toEqual(given);
    expect(transformOf(parameterFrom(4, given, 'it'))).toBe(transformOf(given));
    expect(parameterToJSON(positive(1))).not.toHaveProperty('transform');
    const kernel = kernelFromJSON(JSON.parse(JSON.stringify(kernelToJSON(rbf({ variance: given })))));
    expect(kernel.parameters['rbf.variance']).toEqual(given);
  });

  it('changes neither the density and its natural gradients nor the optimum', async () => {
    expect(evaluate(model('softplus'))).toEqual(evaluate(model('log')));
    const options = { maxIterations: 2000, tolerance: 1e-6, relativeDecrease: 1e-14 };
    const [log, softplus] = [await fit(model('log'), options), await fit(model('softplus'), options)];
    expect(softplus.status).toBe('converged');
    expect(softplus.trace[1]!.objective).not.toBe(log.trace[1]!.objective);
    expect(Math.abs(softplus.objective - log.objective)).toBeLessThanOrEqual(1e-9 * Math.abs(log.objective));
  });

  it('moves the logarithm in perturbed starts, as the default does', async () => {
    const starts = async (parameter: Parameter) => {
      const layout = layOut({ x: parameter });
      const { transform } = layout.variables[0]!;
      const start = transform.toUnconstrained(Float64Array.of(100));
      const drawn = await perturbedStarts(layout, () => Promise.resolve(start), originsOf(5).slice(1), 3);
      return drawn.map((moved) => transform.toNatural(moved)[0]!);
    };
    const log = await starts(positive(100));
    (await starts(soft(100))).forEach((value, i) => {
      expect(Math.abs(value - log[i]!)).toBeLessThanOrEqual(1e-12 * log[i]!);
    });
  });

  it('takes a prior on what the solver sees', () => {
    const prior = normal({ mean: 0.5, deviation: 2, on: 'unconstrained' });
    const x = 0.2;
    const { terms, gradients } = evaluate(
      latentVariableModel({
        observations: Y,
        latentDim: 1,
        kernel: rbf(),
        noise: positive(x, { transform: 'softplus', prior }),
      }),
    );
    const u = Math.log(Math.expm1(x));
    const expected = -0.5 * ((u - 0.5) / 2) ** 2 - Math.log(2) - 0.5 * Math.log(2 * Math.PI);
    expect(Math.abs(terms['hyper.mapping.noise']! - expected)).toBeLessThanOrEqual(1e-13);
    expect(gradients['mapping.noise']).toBeTypeOf('number');
  });

  it('explains invalid input', () => {
    const wrong = (options: object) => () => positive(1, options);
    expect(wrong({ transform: 'exp' })).toThrow(
      new InvalidInputError(
        "Option 'transform' of positive must be 'log' or 'softplus', but the string 'exp' was given.",
      ),
    );
    expect(wrong({ tranform: 'log' })).toThrow(/positive has no option 'tranform'. Did you mean 'transform'/);
  });
});
