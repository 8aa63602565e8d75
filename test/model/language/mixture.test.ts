import { describe, expect, it } from 'vitest';
import * as op from '../../../src/engine/tensors/ops.ts';
import {
  defineDensity,
  defineModel,
  evaluate,
  fit,
  fixed,
  gaussian,
  gaussianProcess,
  InvalidInputError,
  known,
  latent,
  linearMap,
  loadFit,
  logDensityOf,
  Matrix,
  mapped,
  mixture,
  observed,
  rbf,
  real,
  samplePrior,
  simplex,
  studentT,
} from '../../../src/index.ts';
import { checkDensity } from '../../../src/testing/index.ts';

/** log N(x | m, s²I) of each row. */
const around = defineDensity({
  name: 'around',
  parameters: { mean: real(0), width: fixed(1) },
  logDensity: (p, { value }) =>
    op.sum<op.Tensor1D>(
      op.sub(
        op.mul(-0.5, op.square(op.div(op.sub(value, p.mean), p.width))),
        op.add(op.log(p.width), 0.5 * Math.log(2 * Math.PI)),
      ),
      1,
    ),
  sample: (p, random, shape) => {
    const normals = Float64Array.from({ length: shape[0] * shape[1] }, () => random.normal());
    return op.add<op.Tensor2D>(p.mean, op.mul(p.width, op.tensor<op.Tensor2D>(normals, shape)));
  },
});
const two = () =>
  mixture([around({ mean: real(-2), width: fixed(0.5) }), around({ mean: real(1) })], { weights: [0.3, 0.7] });

const normal = (x: number, m: number, s: number) => Math.exp(-0.5 * ((x - m) / s) ** 2) / (s * Math.sqrt(2 * Math.PI));

describe('a mixture', () => {
  it('is the sum of its components’ densities with their weights', () => {
    const rows = [[-1.3], [0.2], [4], [-2], [60]];
    const plain = defineModel({
      name: 'plain',
      variables: ({ y }: { y: Matrix }) => {
        const z = latent({ dim: 1, density: two(), init: rows });
        return { z, y: observed(y, { density: gaussian({ variance: fixed(1) }), given: z, center: false }) };
      },
    });
    const { terms, gradients } = evaluate(plain({ y: Matrix.from(rows) }));
    const densities = rows.map(([x]) => [0.3 * normal(x!, -2, 0.5), 0.7 * normal(x!, 1, 1)] as const);
    // At 60 both underflow: the second is exp(−½·59²) there.
    const last = Math.log(0.7) - 0.5 * 59 ** 2 - 0.5 * Math.log(2 * Math.PI);
    const expected = densities.reduce((sum, [a, b], n) => sum + (n === 4 ? last : Math.log(a + b)), 0);
    expect(Math.abs(terms.z! - expected)).toBeLessThan(1e-11 * Math.abs(expected));
    // Each mean moves with the part of its component in each row.
    const slope = rows.reduce((sum, [x], n) => {
      const [a, b] = densities[n]!;
      return sum + (n === 4 ? 0 : (a / (a + b)) * ((x! + 2) / 0.25));
    }, 0);
    expect(Math.abs((gradients['z.around.mean'] as number) - slope)).toBeLessThan(1e-10);
  });

  it('is consistent in all that follows from it', () => {
    expect(checkDensity(two(), { throws: false }).checks.filter(({ passed }) => !passed)).toEqual([]);
  });

  it('of noises is consistent in all that follows from it', { tags: 'long' }, () => {
    const noises = mixture([gaussian({ variance: 0.1 }), studentT({ scale: 1 })]);
    expect(checkDensity(noises, { columns: 2, throws: false }).checks.filter(({ passed }) => !passed)).toEqual([]);
  });

  it('is drawn from with the shares of its weights', () => {
    const model = defineModel({
      name: 'drawnFrom',
      variables: ({ y }: { y: Matrix }) => {
        const z = latent({ dim: 1, density: two() });
        return { z, y: observed(y, { density: gaussian({ variance: fixed(1) }), given: z }) };
      },
    });
    const [first] = samplePrior(model({ y: Matrix.from(Array.from({ length: 4000 }, (_, n) => [n])) }), {
      draws: 1,
      seed: 5,
    });
    const left = first!.z!.data.filter((entry) => entry < -1).length / 4000;
    const expected = 0.3 * 0.97725 + 0.7 * 0.02275;
    expect(Math.abs(left - expected)).toBeLessThan(4 * Math.sqrt((expected * (1 - expected)) / 4000));
  });

  it('of noise finds the share of outlying rows, predicts with both, and is read from a file with the same answers', async () => {
    const t = Array.from({ length: 60 }, (_, n) => [n / 30 - 1]);
    const y = Matrix.from(
      t.map(([x], n) => [x! + 0.05 * Math.sin(40 * n), -x! + 0.05 * Math.cos(55 * n) + (n % 6 === 0 ? 1.5 : 0)]),
    );
    const robust = defineModel({
      name: 'robust',
      variables: (data: { y: Matrix; t: number[][] }) => {
        const time = known(data.t);
        const f = mapped(time, linearMap(), { dim: 2 });
        const density = mixture([gaussian({ variance: 0.1 }), gaussian({ variance: fixed(1) })]);
        return { time, f, y: observed(data.y, { density, given: f, center: false }) };
      },
    });
    const result = await fit(robust({ y, t }), { maxIterations: 500, tolerance: 1e-8 });
    expect(result.status).toBe('converged');
    const weights = result.parameters['y.weights'] as readonly number[];
    const noise = result.parameters['y.gaussian.noise'] as number;
    // At the maximum a weight is the mean of what its component has in the rows.
    const f = result.values.f!;
    const parts = y.toArrays().map((row, n) => {
      const of = (s: number) => row.reduce((product, entry, d) => product * normal(entry, f.at(n, d), Math.sqrt(s)), 1);
      const [a, b] = [weights[0]! * of(noise), weights[1]! * of(1)];
      return b / (a + b);
    });
    const mean = parts.reduce((sum, part) => sum + part, 0) / 60;
    expect(Math.abs(weights[1]! - mean)).toBeLessThan(1e-6);
    expect(Math.abs(mean - 1 / 6)).toBeLessThan(0.05);
    const at = { time: [[0.3]] };
    const { variance } = result.predict(at, { noise: true }).y;
    expect(Math.abs(variance.data[0]! - (weights[0]! * noise + weights[1]!))).toBeLessThan(1e-12);
    const read = await loadFit(JSON.parse(JSON.stringify(result.toJSON())), { models: { robust } });
    expect(read.predict!(at as never, { noise: true })).toEqual(result.predict(at, { noise: true }));
  });

  it.each<[string, () => unknown, RegExp]>([
    ['one component', () => mixture([around()]), /at least two/],
    ['what is not a density', () => mixture([around(), rbf()] as never), /Component 1.*rbf/],
    ['weights of another number', () => mixture([around(), around()], { weights: simplex(3) }), /2 numbers above 0/],
    ['a misspelled option', () => mixture([around(), around()], { weigths: [1, 1] } as never), /weights/],
    [
      'a density of all rows together',
      () => {
        const model = defineModel({
          name: 'joint',
          variables: ({ y }: { y: Matrix }) => {
            const z = latent({ dim: 1, density: around() });
            const process = () => gaussianProcess({ kernel: rbf() });
            return { z, y: observed(y, { density: mixture([process(), process()]), given: z }) };
          },
        });
        evaluate(model({ y: Matrix.from([[1], [2], [4]]) }));
      },
      /one number per row/,
    ],
  ])('refuses %s', (_, make, message) => {
    expect(make).toThrow(InvalidInputError);
    expect(make).toThrow(message);
  });
});

it('the density of the variables of a mixture has its own gradient, the Jacobian of the weights in it', () => {
  const model = defineModel({
    name: 'clusters',
    variables: ({ y }: { y: Matrix }) => {
      const parts = [around({ mean: real(-2) }), around({ mean: real(0.5) }), around({ mean: real(3) })];
      const x = latent({ dim: 1, init: Matrix.from([[-2], [0], [1], [3]]), density: mixture(parts) });
      const kernel = rbf({ variance: fixed(1), lengthscale: fixed(1) });
      return { x, y: observed(y, { density: gaussianProcess({ kernel, noise: fixed(0.1) }), given: x }) };
    },
  })({ y: Matrix.from([[-1], [0.2], [0.4], [1]]) });
  const opened = logDensityOf(model, { jacobian: true });
  // Three weights are two variables.
  expect(opened.size).toBe(4 + 2 + 3);
  const x = opened.start.map((entry, i) => entry + 0.1 * Math.sin(i));
  const { gradient } = opened.evaluate(x);
  const h = 1e-5;
  gradient.forEach((slope, i) => {
    const at = (step: number) => opened.evaluate(x.with(i, x[i]! + step)).value;
    expect(Math.abs(slope - (at(h) - at(-h)) / (2 * h))).toBeLessThan(1e-7);
  });
  opened.dispose();
});
