import {
  add,
  bias,
  definePrior,
  fixed,
  gplvm,
  latentVariableModel,
  type Model,
  matern32,
  positive,
  rbf,
  seededRandom,
  standardNormal,
  thinPlateSpline,
} from 'latentfield';
import * as op from 'latentfield/ops';
import { checkGradient, checkModel, checkPrior } from 'latentfield/testing';
import { describe, expect, it } from 'vitest';

const random = seededRandom(7);
const Y = Array.from({ length: 9 }, () => Array.from({ length: 3 }, () => random.normal()));

describe('checkGradient', () => {
  it('passes a right gradient, in numbers, vectors and matrices', () => {
    const f = ({ a, b, X }: Record<string, ReturnType<typeof op.tensor>>) =>
      op.sum(op.mul(op.mul(a!, op.exp(b!)), op.square(X!))) as ReturnType<typeof op.scalar>;
    const report = checkGradient(f, {
      a: 2,
      b: [0.1, -0.7],
      X: [
        [1, 2],
        [3, -4],
      ],
    });
    expect(report.checks.map(({ name, passed }) => [name, passed])).toEqual([
      ['gradient', true],
      ['leaves no tensors behind', true],
    ]);
  });

  it('finds where a gradient is wrong', () => {
    // At the corner of max(x, 0), where 0 is taken, differences give ½.
    expect(() => checkGradient(({ x }) => op.sum(x!), { x: [1] }, { tolerence: 1 } as never)).toThrow(
      "checkGradient has no option 'tolerence'",
    );
    expect(() => checkGradient(({ x }) => op.sum(op.relu(x!)), { x: [1, 0, -1] })).toThrow(
      /The function fails 1 of 2 checks\.\n {2}gradient: the gradient in 'x', entry 1, is 0, but differences give 0\.[45]/,
    );
    expect(() => checkGradient(({ x }) => op.sum(op.sqrt(x!)), { x: [0, 1] })).toThrow(
      /entry 0 of the gradient in 'x' is Infinity/,
    );
    expect(() => checkGradient(({ x }) => op.square(x!) as ReturnType<typeof op.scalar>, { x: [1, 2] })).toThrow(
      /Only a single number can be differentiated/,
    );
  });
});

const heavyTails = definePrior({
  name: 'heavyTails',
  parameters: { strength: positive(1.5), width: fixed(2) },
  logDensity: (p, X) => op.mul(op.neg(p.strength), op.sum(op.log1p(op.square(op.div(X, p.width))))),
});

describe('checkPrior', () => {
  it('passes the standard normal, and a prior written outside the library', () => {
    expect(checkPrior(standardNormal({ precision: positive(2) })).passed).toBe(true);
    const report = checkPrior(heavyTails(), { priors: { heavyTails }, latents: Y });
    expect(report.checks.map(({ name }) => name)).toEqual([
      'a finite log density',
      'the same every time',
      'gradients',
      'gradients far out',
      'rows',
      'normalized',
      'new rows',
      'moments',
      'draws',
      'next',
      'draws of new rows',
      'expectations',
      'missing entries',
      'coincident rows',
      'JSON round trip',
      'leaves no tensors behind',
    ]);
    expect(report.passed).toBe(true);
  });

  it('finds what is wrong', () => {
    const wrong = (logDensity: Parameters<typeof definePrior>[0]['logDensity']) => {
      const prior = definePrior({ name: 'wrong', parameters: {}, logDensity });
      return checkPrior(prior(), { priors: { wrong: prior }, throws: false })
        .checks.filter(({ passed }) => !passed)
        .map(({ name }) => name);
    };
    expect(wrong((_p, X) => op.sum(op.square(X), 0))).toContain('a finite log density');
    expect(
      wrong((_p, X) =>
        op.sum(op.log(op.add(op.sum(op.squaredDistances(X, X)), op.mul(-1, op.sum(op.squaredDistances(X, X)))))),
      ),
    ).toContain('a finite log density');
    // The square root has no derivative at the distance of coincident points.
    expect(wrong((_p, X) => op.sum(op.sqrt(op.squaredDistances(X, X))))).toEqual(['coincident rows']);
    expect(() => checkPrior(heavyTails())).toThrow(/JSON round trip: .*no prior 'heavyTails'/);
    expect(() => checkPrior(standardNormal as never)).toThrow(/takes a prior, but function was given/);
  });
});

describe('checkModel', () => {
  it.each<[string, Model]>([
    ['the default GPLVM', gplvm(Y, { latentDim: 2, noise: 0.1 })],
    ['matern32 and bias', gplvm(Y, { latentDim: 2, kernel: add(matern32(), bias()), noise: 0.1, scale: true })],
    [
      'a thin plate spline, and more columns than rows',
      latentVariableModel({
        observations: Y[0]!.map((_, j) => Y.map((row) => row[j]!)),
        latentDim: 1,
        kernel: thinPlateSpline(),
        noise: 0.1,
        center: false,
      }),
    ],
  ])('passes %s', (_, model) => {
    const report = checkModel(model);
    expect(report.checks.map(({ name }) => name)).toEqual([
      'gradients',
      'transforms',
      'every parameter is used',
      'terms add up to the objective',
      'the same every time',
      'plain JSON',
      'JSON round trip',
      'there is a maximum',
      'the density of new rows',
      "predictions of 'mapping'",
      'draws',
      'the same after JSON',
      'leaves no tensors behind',
    ]);
    expect(report.passed).toBe(true);
  });

  it('checks at its explicit values', () => {
    const model = gplvm(Y, { latentDim: 2, kernel: rbf(), noise: 0.1 });
    expect(() => checkModel(model, { values: { 'mapping.kernel.rbf.lengthscale': -1 } })).toThrow(
      /must be greater than 0/,
    );
    expect(checkModel(model, { values: { latents: Y.map((row) => row.slice(1)) } }).passed).toBe(true);
  });

  it('finds what is wrong', () => {
    const model = gplvm(Y, { latentDim: 2, kernel: rbf(), noise: 0.1 });
    const failures = (changes: Partial<Model>) =>
      checkModel({ ...model, ...changes }, { throws: false })
        .checks.filter(({ passed }) => !passed)
        .map(({ name, message }) => `${name}: ${message}`)
        // A copy with other members has no variables to look at.
        .filter((failure) => !failure.includes('takes a model of variables'));
    expect(failures({ toJSON: () => ({ model: 'x', kernel: rbf }) })).toEqual([
      expect.stringMatching(/^plain JSON: it contains/),
      expect.stringMatching(/^JSON round trip: .*list of known models .* 'x'/),
      expect.stringMatching(/^the same after JSON: .*list of known models .* 'x'/),
    ]);
    const halved: Partial<Model> = {
      assemble: (seed) => {
        const assembly = model.assemble(seed);
        return {
          ...assembly,
          terms: (values, context) => {
            const { mapping, ...others } = assembly.terms(values, context);
            return { mapping: op.scalar(op.valueOf(mapping!)), ...others };
          },
        };
      },
    };
    expect(failures(halved)).toEqual([
      expect.stringMatching(/^gradients: the gradient in 'latents', entry \d+, is /),
      expect.stringMatching(/^every parameter is used: No gradient arrives at 'mapping.kernel.rbf.variance'/),
    ]);
    const forgetful: Partial<Model> = { assemble: (seed) => ({ ...model.assemble(seed), dispose: () => {} }) };
    expect(failures(forgetful)).toEqual([expect.stringMatching(/^leaves no tensors behind: \d+ tensors/)]);
    expect(() => checkModel(gplvm as never)).toThrow(/takes a model, but function was given/);
  });
});
