import {
  defineDensity,
  defineModel,
  evaluate,
  fit,
  gamma,
  gaussianProcess,
  InvalidInputError,
  LatentFieldError,
  latent,
  loadFit,
  logDensityOf,
  Matrix,
  observed,
  positive,
  rbf,
  seededRandom,
  standardNormal,
} from 'latentfield';
import * as op from 'latentfield/ops';
import { describe, expect, it } from 'vitest';
import { expectClose } from '../tolerance.ts';

const random = seededRandom(3);
const Y = Matrix.from(
  Array.from({ length: 15 }, (_, i) =>
    [Math.cos(i / 2), Math.sin(i / 2), i / 10].map((entry) => entry + 0.05 * random.normal()),
  ),
);
const kernel = rbf({ variance: 0.8, lengthscale: 1.2 });
const plain = defineModel({
  name: 'plain',
  variables: (given: Matrix) => {
    const x = latent({ dim: 2, density: standardNormal() });
    return { x, y: observed(given, { density: gaussianProcess({ kernel, noise: 0.02 }), given: x }) };
  },
});

describe('a definition of a model', () => {
  it.each<[string, unknown, RegExp]>([
    ['without a name', { variables: () => ({}) }, /defineModel needs a name, but undefined/],
    ['of no name', { name: '', variables: () => ({}) }, /defineModel needs a name, but the string/],
    ['without variables', { name: 'none' }, /needs variables of the model 'none' to be a function of the data/],
    ['whose solve is no function', { name: 'none', solve: 1 }, /needs solve of the model 'none' .* but 1/],
    ['that is nothing', undefined, /defineModel/],
    [
      'by parts and terms, as it was before',
      { name: 'old', parts: () => ({}), terms: {}, latents: () => 0 },
      /takes variables.*Parts and terms.*see docs\/first-model\.md/,
    ],
  ])('%s is refused', (_, definition, message) => {
    const make = () => defineModel(definition as never);
    expect(make).toThrow(InvalidInputError);
    expect(make).toThrow(message);
  });

  it('has to be passed to loadFit', async () => {
    const result = await fit(plain(Y), { maxIterations: 3 });
    const saved = JSON.parse(JSON.stringify(result));
    expect(() => loadFit(saved)).toThrow(/give your own as `models`\) has no model 'plain'/);
    expect(loadFit(saved, { models: { plain } }).objective).toBe(result.objective);
  });
});

describe('a custom log density', () => {
  const broken = (logDensity: (p: { readonly width: op.Tensor }, x: op.Tensor2D) => unknown) => {
    const density = defineDensity({
      name: 'odd',
      parameters: { width: positive(1, { prior: gamma({ shape: 2, rate: 1 }) }) },
      logDensity: (p, { given }) => logDensity(p, given[0]!) as op.Scalar,
    });
    return defineModel({
      name: 'broken',
      variables: (given: Matrix) => {
        const x = latent({ dim: 3 });
        return { x, y: observed(given, { density: density(), given: x }) };
      },
    })(Y);
  };
  let outlived: ReturnType<typeof op.scalar> | undefined;

  it.each<[string, Parameters<typeof broken>[0], RegExp]>([
    [
      'a value that it has no parameter for',
      (p) => op.sum((p as unknown as { readonly wdith: op.Tensor }).wdith),
      /The density 'odd' of 'y' \(y 15×3, x 15×3\) failed: Argument 'x' passed to 'sum' must be a Tensor/,
    ],
    ['a matrix', (_, x) => op.square(x), /log density of 'y' of the model 'broken' must be a scalar.*\[15,3\]/],
    ['one number per column', (_, x) => op.sum(x, 0), /one number for each of 15 rows, but a tensor of shape \[3\]/],
    ['no tensor', () => 3, /must be a scalar, or one number for each of 15 rows, but 3 was returned/],
    [
      'a tensor that outlived its evaluation',
      () => {
        outlived ??= op.scalar(1);
        return op.mul(outlived, 2);
      },
      /disposed/,
    ],
  ])('that returns %s is refused, with its position', (_, logDensity, message) => {
    const model = broken(logDensity);
    const run = () => {
      evaluate(model);
      evaluate(model);
    };
    expect(run).toThrow(LatentFieldError);
    expect(run).toThrow(message);
  });
});

describe('data of a model', () => {
  const holder = defineModel({
    name: 'holder',
    variables: ({ start }: { start: Matrix; odd: unknown }) => {
      const x = latent({ dim: 2, density: standardNormal() });
      return { x, y: observed(start, { density: gaussianProcess({ kernel }), given: x }) };
    },
  });

  it('come back as they were: numbers that JSON has no form for, matrices, lists of doubles', () => {
    const data = { start: Y, odd: [Number.NaN, -0, Infinity, { list: Float64Array.of(0.1, Number.NaN), none: null }] };
    let restored: unknown;
    const spy = defineModel({
      name: 'spy',
      variables: (given: typeof data) => {
        restored = given;
        const x = latent({ dim: 2, density: standardNormal() });
        return { x, y: observed(given.start, { density: gaussianProcess({ kernel }), given: x }) };
      },
    });
    evaluate(spy.restore(JSON.parse(JSON.stringify(spy(data).toJSON()))));
    expect(restored).toEqual(data);
  });

  it('report where JSON has no form for them', () => {
    expect(() => holder({ start: Y, odd: { k: [kernel.covariance] } }).toJSON()).toThrow(
      /'data.odd.k\[0\]'.*toJSON, fromJSON/,
    );
  });
});

describe('open', () => {
  it('gives the log density over unconstrained variables, its gradient and its terms', () => {
    const density = logDensityOf(plain(Y), { seed: 1 });
    const { size, start } = density;
    expect(size).toBe(15 * 2 + 3);
    const { value, gradient, terms } = density.evaluate(start);
    expectClose(value, evaluate(plain(Y)).objective, 1e-14);
    expectClose(value, terms.x! + terms.y!, 1e-13);
    for (const i of [0, 17, 30, 31, 32]) {
      const at = (step: number) => density.evaluate(start.with(i, start[i]! + step)).value;
      const h = 1e-4;
      const difference = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
      expectClose(gradient[i]!, difference, 1e-8, `variable ${i}`);
    }
    expect(density.values(start)['y.noise']).toBeCloseTo(0.02, 15);
    expect(density.variables(density.values(start))).toEqual(start);
    expect(() => density.evaluate([1])).toThrow(/33 variables, but 1 were given/);
    density.dispose();
    density.dispose();
    expect(() => density.evaluate(start)).toThrow(/disposed/);
  });
});
