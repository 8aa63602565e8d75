import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { doublesOf, matrixTensor } from '../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import {
  add,
  bias,
  bounded,
  covariance,
  defineKernel,
  evaluate,
  fixed,
  gplvm,
  InvalidInputError,
  type Kernel,
  linear,
  Matrix,
  matern32,
  mlp,
  multiply,
  periodic,
  polynomial,
  positive,
  rbf,
  real,
  scale,
  select,
  describe as text,
  thinPlateSpline,
  white,
} from '../../src/index.ts';
import { expand, kernelFromJSON, kernelToJSON, parseKernel } from '../../src/kernels/index.ts';
import { expectClose } from '../tolerance.ts';
import { kernelTree } from './kernelTrees.ts';

const X = [
  [0.1, -0.4],
  [1.2, 0.3],
  [-0.7, 0.9],
  [0.1, -0.4],
];
const paths = (kernel: Kernel) => Object.keys(kernel.parameters);
const initial = (kernel: Kernel) =>
  Object.fromEntries(Object.entries(kernel.parameters).map(([path, parameter]) => [path, parameter.initial]));

describe('sums', () => {
  it('flatten for any brackets, and keep their parameters’ paths', () => {
    const flat = add(rbf(), linear(), rbf(), matern32(), matern32(), rbf());
    const nested = add(rbf(), add(linear(), add(rbf(), matern32())), add(matern32(), rbf()));
    expect(nested.form).toMatchObject({ type: 'add', children: { length: 6 } });
    expect(paths(nested)).toEqual(paths(flat));
    expect(paths(flat)).toEqual([
      'rbf.variance',
      'rbf.lengthscale',
      'linear.variance',
      'rbf2.variance',
      'rbf2.lengthscale',
      'matern32.variance',
      'matern32.lengthscale',
      'matern322.variance',
      'matern322.lengthscale',
      'rbf3.variance',
      'rbf3.lengthscale',
    ]);
  });

  it('number equal kernels from left to right through products as well', () => {
    const kernel = add(
      multiply(rbf({ variance: 2 }), linear()),
      rbf({ variance: 3 }),
      multiply(rbf({ variance: 4 }), linear()),
    );
    expect(initial(kernel)).toMatchObject({
      'rbf.variance': 2,
      'rbf2.variance': 3,
      'rbf3.variance': 4,
      'linear.variance': 1,
      'linear2.variance': 1,
    });
  });

  it('leave a number in a name to the kernel that has it', () => {
    const rbf2 = defineKernel({
      name: 'rbf2',
      parameters: { width: positive(1) },
      covariance: (_p, A, B) => op.matMul(A, B, false, true),
    });
    expect(paths(add(rbf(), rbf(), rbf2()))).toEqual([
      'rbf.variance',
      'rbf.lengthscale',
      'rbf3.variance',
      'rbf3.lengthscale',
      'rbf2.width',
    ]);
  });

  it('merge biases and white noises of one kind, at any position', () => {
    const merged = add(
      bias({ variance: 0.5 }),
      white({ variance: 0.1 }),
      add(rbf(), bias({ variance: 0.25 })),
      white({ variance: 0.2 }),
    );
    expect(text(merged)).toBe('bias(0.75) + white(0.30000000000000004) + rbf(variance=1, lengthscale=1)');
    expect(paths(merged)).toEqual(['bias.variance', 'white.variance', 'rbf.variance', 'rbf.lengthscale']);
    expect(text(add(bias({ variance: fixed(1) }), bias({ variance: fixed(2) })))).toBe('bias(fixed(3))');
    // One kernel is left: no sum around it.
    expect(add(bias(), bias()).form.type).toBe('leaf');
  });

  it('do not merge where the sum would lose information: fixed and free, bounds, other kernels, the arguments of a product', () => {
    const kept = (...kernels: Kernel[]) =>
      expect(add(...kernels).form).toMatchObject({ children: { length: kernels.length } });
    kept(bias({ variance: fixed(1) }), bias());
    kept(bias({ variance: bounded(0, 1) }), bias());
    kept(rbf(), rbf());
    kept(linear(), linear());
    kept(multiply(bias(), rbf()), bias());
    kept(select(bias(), [0]), bias());
    const own = defineKernel({
      name: 'bias',
      parameters: { variance: positive(1) },
      covariance: (_p, A, B) => op.matMul(A, B, false, true),
    });
    kept(own(), bias());
  });

  it('equal the sums of their parts', () => {
    const parts = [rbf({ lengthscale: 0.7 }), bias({ variance: 0.3 }), linear(), white({ variance: 0.2 })];
    const whole = (...points: [number[][], number[][]?]) => covariance(add(...parts), ...points).data;
    const sum = (...points: [number[][], number[][]?]) =>
      parts
        .map((part) => covariance(part, ...points).data)
        .reduce((total, K) => total.map((entry, i) => entry + K[i]!));
    expectClose(whole(X), sum(X), 1e-15);
    expectClose(whole(X, X.slice(1)), sum(X, X.slice(1)), 1e-15);
    expectClose(
      covariance(add(bias({ variance: 0.3 }), white({ variance: 0.2 })), X).toArrays()[0],
      [0.5, 0.3, 0.3, 0.3],
      1e-15,
    );
  });
});

describe('products', () => {
  it('flatten, and keep sums inside them', () => {
    const kernel = multiply(rbf(), multiply(add(linear(), bias()), rbf()));
    expect(kernel.form).toMatchObject({ type: 'multiply', children: { length: 3 } });
    expect(text(kernel)).toBe(
      'rbf(variance=1, lengthscale=1) * (linear(1) + bias(1)) * rbf(variance=1, lengthscale=1)',
    );
  });

  it('are distributed on request, with the same covariance', () => {
    const kernel = scale(multiply(add(rbf(), bias({ variance: 0.5 })), select(add(linear(), white()), [1])), fixed(2));
    const expanded = expand(kernel);
    expect(text(expanded)).toBe(
      [
        'scale(rbf(variance=1, lengthscale=1) * select(linear(1), [1]), fixed(2))',
        'scale(rbf(variance=1, lengthscale=1) * select(white(1), [1]), fixed(2))',
        'scale(bias(0.5) * select(linear(1), [1]), fixed(2))',
        'scale(bias(0.5) * select(white(1), [1]), fixed(2))',
      ].join(' + '),
    );
    expectClose(covariance(expanded, X), covariance(kernel, X), 1e-15);
    expect(expand(rbf()).form.type).toBe('leaf');
  });

  it('are distributed with the same covariance for any factors', () => {
    fc.assert(
      fc.property(kernelTree, (kernel) => {
        expectClose(covariance(expand(kernel), X), covariance(kernel, X), 1e-12);
      }),
      { numRuns: 40, seed: 3 },
    );
  });
});

describe('a kernel as text', () => {
  it.each([
    [add(rbf({ lengthscale: [1, 2] }), bias({ variance: 0.1 })), 'rbf(variance=1, lengthscale=[1,2]) + bias(0.1)'],
    [rbf({ variance: fixed(1), lengthscale: fixed([1, 0.5]) }), 'rbf(variance=fixed(1), lengthscale=fixed([1,0.5]))'],
    [
      rbf({ variance: real(-1), lengthscale: bounded(0, 2, 1.5) }),
      'rbf(variance=real(-1), lengthscale=bounded(0, 2, 1.5))',
    ],
    [polynomial({ degree: 3 }), 'polynomial(variance=1, scale=1, offset=1, degree=3)'],
    [
      multiply(add(linear(), white()), periodic()),
      '(linear(1) + white(1)) * periodic(variance=1, lengthscale=1, period=1)',
    ],
    [
      scale(select(mlp(), [1, 0]), fixed(1e-7)),
      'scale(select(mlp(variance=1, weightVariance=1, biasVariance=1), [1,0]), fixed(1e-7))',
    ],
    [thinPlateSpline(), 'thinPlateSpline()'],
    [
      thinPlateSpline({ centers: [[1, -2.5]], constant: 'printed' }),
      'thinPlateSpline(centers=[[1,-2.5]], constant=printed)',
    ],
    [linear({ variance: 1e21 }), 'linear(1e+21)'],
  ])('is %j', (kernel, expected) => {
    expect(text(kernel)).toBe(expected);
    const again = parseKernel(expected);
    expect(text(again)).toBe(expected);
    expect(again.parameters).toEqual(kernel.parameters);
    expect(kernelToJSON(again)).toEqual(kernelToJSON(kernel));
  });

  it.each([
    ['rbf', rbf()],
    [' rbf ( ) ', rbf()],
    ['rbf + bias', add(rbf(), bias())],
    ['rbf(lengthscale = 2)*linear+bias(.5)', add(multiply(rbf({ lengthscale: 2 }), linear()), bias({ variance: 0.5 }))],
    ['rbf(2, [1, 3])', rbf({ variance: 2, lengthscale: [1, 3] })],
    ['((rbf) * (linear + bias))', multiply(rbf(), add(linear(), bias()))],
    ['bias(1) + bias(fixed(2)) + bias(3)', add(bias({ variance: 4 }), bias({ variance: fixed(2) }))],
    ['scale(rbf)', scale(rbf())],
    ['scale(rbf, variance=2)', scale(rbf(), 2)],
    ["thinPlateSpline(constant='printed', centers=5)", thinPlateSpline({ centers: 5, constant: 'printed' })],
    ['select(linear, [0])', select(linear(), [0])],
  ])('may be written as %s', (written, kernel) => {
    expect(kernelToJSON(parseKernel(written))).toEqual(kernelToJSON(kernel));
  });

  it('includes custom kernels that are passed', () => {
    const cauchy = defineKernel({
      name: 'cauchy',
      parameters: { width: positive(1) },
      covariance: (_p, A, B) => op.matMul(A, B, false, true),
    });
    expect(text(parseKernel('cauchy(2) + rbf', { cauchy }))).toBe('cauchy(2) + rbf(variance=1, lengthscale=1)');
    expect(() => parseKernel('cauchy(2)')).toThrow(/no kernel 'cauchy'/);
  });

  it.each([
    ['', /at character 1, the name of a kernel was expected, but the text ends/],
    ['rbf +', /at character 6, the name of a kernel was expected, but the text ends/],
    ['rbf bias', /at character 5, '\+', '\*' or the end was expected, but 'bias' stands there/],
    ['rbf(variance=)', /at character 14, a value was expected, but '\)' stands there/],
    ['rbf(variance=1', /at character 15, '\)' was expected, but the text ends/],
    ['rbf(1, 2, 3)', /at character 11, no more than 2 values of kernel 'rbf'/],
    ['rbf(1, variance=2)', /at character 8, one value of 'variance' was expected/],
    ['rbf & bias', /at character 4, '&' has no meaning here/],
    ['gauss', /no kernel 'gauss'/],
    ['rfb', /Did you mean 'rbf'/],
    ['rbf(width=2)', /Kernel 'rbf' has no parameter 'width'/],
    ['rbf(variance=-1)', /must be greater than 0, but -1 was given/],
    ['rbf(variance=one)', /a number, a list of numbers or a Matrix, but the string 'one' was given/],
    ['polynomial(degree=2.5)', /must be a whole number from 1, but 2.5 was given/],
    ['polynomial(degree=positive(2))', /'degree' of kernel 'polynomial' cannot be free/],
    ['rbf(bounded(0, 1))', /bounded\(lower, upper, value\)/],
    ['select(rbf)', /select takes a list of column numbers/],
    ['constructor', /no kernel 'constructor'/],
  ])('explains what is wrong with %j', (written, message) => {
    expect(() => parseKernel(written)).toThrow(InvalidInputError);
    expect(() => parseKernel(written)).toThrow(message);
  });

  it('asks for a text, and for a kernel', () => {
    expect(() => parseKernel(rbf() as never)).toThrow(/takes a text/);
    expect(() => text('rbf' as never)).toThrow(/takes kernels/);
  });

  it('comes back with the same paths, parameters and JSON for any kernel', () => {
    fc.assert(
      fc.property(kernelTree, (kernel) => {
        for (const again of [
          parseKernel(text(kernel)),
          kernelFromJSON(JSON.parse(JSON.stringify(kernelToJSON(kernel)))),
        ]) {
          expect(again.parameters).toEqual(kernel.parameters);
          expect(paths(again)).toEqual(paths(kernel));
          expect(kernelToJSON(again)).toEqual(kernelToJSON(kernel));
        }
      }),
      { numRuns: 200, seed: 4 },
    );
  });
});

it('a sum in a model is evaluated under the paths of its flattened children', () => {
  const Y = Matrix.from(X.map(([a, b]) => [a! + b!, a! - b!, a!]));
  const kernel = add(rbf(), add(multiply(linear(), rbf()), bias()));
  const { gradients } = evaluate(gplvm(Y, { latentDim: 1, kernel, noise: 0.1 }));
  expect(Object.keys(gradients)).toEqual([
    'latents',
    'mapping.kernel.rbf.variance',
    'mapping.kernel.rbf.lengthscale',
    'mapping.kernel.linear.variance',
    'mapping.kernel.rbf2.variance',
    'mapping.kernel.rbf2.lengthscale',
    'mapping.kernel.bias.variance',
    'mapping.noise',
  ]);
});

it('mlp has values far out too, where rounding takes the argument of the arcsine beyond 1', () => {
  const points = Array.from({ length: 60 }, (_, i) => [1e8 * (1 + i / 7)]);
  const far = covariance(mlp(), points, points);
  points.forEach(([x], i) => {
    // 2/π·asin(s/(1 + s)) = 1 − 2/π·√(2/s)·(1 + O(1/s)), s = 1 + x².
    const expected = 1 - (2 / Math.PI) * (Math.SQRT2 / x!);
    expect(Math.abs(far.at(i, i) - expected)).toBeLessThan(2e-8);
  });
  expect(covariance(mlp(), points).data.every((entry) => entry > 0.9 && entry < 1)).toBe(true);
});

it.each<[string, Kernel]>([
  ['white()', white({ variance: 0.3 })],
  ['scale(rbf() + bias(), 2.5)', scale(add(rbf(), bias()), 2.5)],
  ['select(linear() * rbf(), [1])', select(multiply(linear(), rbf()), [1])],
])('%s between two sets of points is the corner of its Gram matrix, and so is its diagonal', (_, kernel) => {
  const others = X.map(([a, b]) => [a! + 0.3, b! * 0.7]);
  const both = covariance(kernel, [...X, ...others]).toArrays();
  expectClose(
    covariance(kernel, X, others),
    both.slice(0, X.length).map((row) => row.slice(X.length)),
    1e-15,
  );
  const diagonal = withFloat64(() => {
    const A = matrixTensor(Matrix.from(X));
    const p = Object.fromEntries(paths(kernel).map((path) => [path, op.scalar(initial(kernel)[path] as number)]));
    return Array.from(doublesOf(kernel.diagonal(p, A, A)));
  });
  expectClose(
    diagonal,
    X.map((_row, i) => both[i]![i]!),
    1e-15,
  );
});

describe('parameters that are out of range', () => {
  it('are refused: a degree below 1, lengthscales that are not one for each dimension', () => {
    for (const degree of [0, -1, 1.5]) expect(() => polynomial({ degree })).toThrow(/a whole number from 1, but/);
    for (const lengthscale of [[1], [1, 2, 3]]) {
      const given = () => covariance(rbf({ lengthscale }), X);
      if (lengthscale.length === 1) expect(given).not.toThrow();
      else expect(given).toThrow(/3 lengthscales, but its inputs have 2 columns/);
    }
    const wide = X.map((row) => [...row, 1]);
    expect(() => covariance(rbf({ lengthscale: [1, 2] }), wide)).toThrow(
      /2 lengthscales, but its inputs have 3 columns/,
    );
  });
});
