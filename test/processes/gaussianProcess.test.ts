import { describe, expect, it } from 'vitest';
import { tensorMatrix } from '../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../src/engine/tensors/gradients.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import type { Tensor2D } from '../../src/engine/tensors/tensorflow.ts';
import {
  add,
  bias,
  covariance,
  defineLikelihood,
  gaussian,
  gaussianProcess,
  InvalidInputError,
  latentVariableModel,
  linear,
  Matrix,
  positive,
  rbf,
} from '../../src/index.ts';
import { likelihoodFromJSON } from '../../src/model/index.ts';
import { valueTensors } from '../../src/model/part.ts';
import { expectClose } from '../tolerance.ts';
import { conditioned } from './conditioned.ts';
import { logDensityOf, momentsOf } from './denseGaussian.ts';

const X = [[0.1], [0.9], [-0.6], [1.7]];
const Y = [
  [0.3, -1],
  [0.8, 0.2],
  [-0.4, 0.9],
  [1.1, -0.3],
];
const A = [[0.4], [-2]];
const column = (j: number) => Y.map((row) => row[j]!);

const laplace = defineLikelihood({
  name: 'laplace',
  parameters: { width: 1 },
  logDensity: (p, f, y) =>
    op.neg(op.add(op.div(op.abs(op.sub(y, f)), p.width), op.log(op.mul(2, p.width)))) as Tensor2D,
});

describe.each([
  ['a dense kernel', rbf({ lengthscale: 0.8 })],
  ['a kernel of low rank', add(linear({ variance: 0.7 }), bias({ variance: 0.2 }))],
])('a Gaussian process as a part, with %s', (_name, kernel) => {
  const process = gaussianProcess({ kernel, noise: [0.1, 0.4] });
  const values = Object.fromEntries(Object.entries(process.parameters).map(([key, { initial }]) => [key, initial]));
  const K = covariance(kernel, X).toArrays();

  it('has the density of its columns, and a gradient in the observations', () => {
    withFloat64(() => {
      const p = valueTensors(values);
      const [inputs, data] = [op.tensor<Tensor2D>(X), op.tensor<Tensor2D>(Y)];
      const { value, gradients } = valueAndGradients(() => process.logDensity(p, inputs, data), [data]);
      const noise = [0.1, 0.4];
      const parts = noise.map((variance, j) => logDensityOf(K, new Array(4).fill(variance), column(j)));
      expectClose([value], [parts[0]! + parts[1]!], 1e-12);
      const h = 1e-4;
      const moved = (step: number) =>
        logDensityOf(
          K,
          new Array(4).fill(0.4),
          column(1).map((y, i) => (i === 2 ? y + step : y)),
        );
      expectClose([gradients[0]![5]!], [(moved(h) - moved(-h)) / (2 * h)], 1e-9);
    });
  });

  it('predicts as tensors and, conditioned once, as numbers', () => {
    withFloat64(() => {
      const known = conditioned(process, values, Matrix.from(X), Matrix.from(Y));
      const moments = known.moments!([op.tensor<Tensor2D>(A)]);
      const [inputs, data, points] = [X, Y, A].map((rows) => op.tensor<Tensor2D>(rows));
      const { mean, variance, noise } = process.predict(valueTensors(values), inputs!, data!, points!);
      expect(noise.shape).toEqual([2]);
      const across = covariance(kernel, A, X).toArrays();
      const own = A.map((a) => covariance(kernel, [a]).at(0, 0));
      const expected = A.map((_, n) =>
        [0.1, 0.4].map((v, j) => momentsOf(K, new Array(4).fill(v), column(j), across[n]!, own[n]!)),
      );
      const means = expected.map((row) => row.map((moments) => moments.mean));
      const variances = expected.map((row) => row.map((moments) => moments.variance));
      expectClose(tensorMatrix(mean), means, 1e-12);
      expectClose(tensorMatrix(variance), variances, 1e-12);
      expectClose(tensorMatrix(moments.mean), means, 1e-12);
      expectClose(tensorMatrix(moments.variance), variances, 1e-12);
    });
  });
});

describe('what is wrong with a process', () => {
  const model = (options: object) =>
    latentVariableModel({ observations: Y, latentDim: 1, kernel: rbf(), ...(options as { noise?: number }) });
  it.each<[string, () => unknown, RegExp]>([
    ['a misspelled option', () => gaussianProcess({ kernel: rbf(), nois: 1 } as never), /Did you mean 'noise'/],
    ['no kernel', () => gaussianProcess({} as never), /Option 'kernel' of gaussianProcess takes kernels/],
    [
      'both',
      () => gaussianProcess({ kernel: rbf(), noise: 1, likelihood: gaussian() }),
      /either noise or a likelihood/,
    ],
    ['another likelihood', () => gaussianProcess({ kernel: rbf(), likelihood: laplace() }), /'laplace' was given/],
    [
      'the same in a model',
      () => model({ likelihood: laplace() }),
      /Under likelihood 'laplace' .* Give their number, such as inducing: 50/,
    ],
    ['no likelihood', () => model({ likelihood: 3 }), /must be a likelihood, such as poisson/],
    ['too few columns', () => model({ noise: [1, 2, 3] }), /3 variances, one per column, but the observations are 4×2/],
    ['too few rows', () => model({ likelihood: gaussian({ variance: [1, 2], per: 'row' }) }), /Give 4, or one number/],
    ['a number per row', () => gaussian({ variance: 1, per: 'row' }), /takes a list of them, but the number 1/],
    ['an unknown share', () => gaussian({ variance: [1], per: 'rows' }), /'column' or 'row', but 'rows'|rows/],
    ['a matrix', () => gaussian({ variance: positive(Matrix.from([[1]])) }), /but a matrix was given/],
    ['a negative variance', () => gaussian({ variance: [1, -1] }), /must be greater than 0, but -1/],
    ['an unknown name', () => gaussian({ varience: 1 } as never), /Did you mean 'variance'/],
    ['no word', () => defineLikelihood({ name: 'a b', parameters: {}, logDensity: (_p, f) => f }), /one word/],
  ])('%s', (_name, make, message) => {
    expect(make).toThrow(InvalidInputError);
    expect(make).toThrow(message);
  });
});

describe('likelihoods', () => {
  it('have parameters by path and come back from JSON', () => {
    expect(Object.keys(gaussian().parameters)).toEqual(['noise']);
    const own = laplace({ width: 0.5 });
    expect(Object.keys(own.parameters)).toEqual(['likelihood.width']);
    for (const likelihood of [own, gaussian({ variance: [1, 2], per: 'row' }), gaussian({ variance: 3 })]) {
      const again = likelihoodFromJSON(JSON.parse(JSON.stringify(likelihood)), { laplace });
      expect(again.toJSON()).toEqual(likelihood.toJSON());
      expect(again.parameters).toEqual(likelihood.parameters);
    }
    expect(() => likelihoodFromJSON(own.toJSON())).toThrow(/no likelihood 'laplace'/);
  });

  it('give densities and moments entry by entry', () => {
    withFloat64(() => {
      const [f, y] = [op.tensor<Tensor2D>([[0, 1]]), op.tensor<Tensor2D>([[0.5, 1.5]])];
      const p = { noise: op.tensor([0.25, 4]) };
      const likelihood = gaussian({ variance: [0.25, 4] });
      const expected = [0.25, 4].map((v) => -0.5 * (Math.log(2 * Math.PI * v) + 0.25 / v));
      expectClose(tensorMatrix(likelihood.entryDensity(p, f, y)), expected, 1e-15);
      const { mean, variance } = likelihood.moments(p, f, op.tensor<Tensor2D>([[1, 2]]));
      expectClose(tensorMatrix(mean), [0, 1], 0);
      expectClose(tensorMatrix(variance), [1.25, 6], 1e-15);
      const width = { 'likelihood.width': op.scalar(0.5) };
      expectClose(tensorMatrix(laplace().entryDensity(width, f, y)), [-1, -1], 1e-15);
      expect(() => laplace().moments(width, f, y)).toThrow(/give defineLikelihood its moments/);
    });
  });
});
