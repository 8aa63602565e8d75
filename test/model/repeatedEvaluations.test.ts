import {
  add,
  bayesianGplvm,
  bias,
  dgplvm,
  drill,
  fixed,
  gplrf,
  gplvm,
  linear,
  llGplvm,
  logDensityOf,
  Matrix,
  type Model,
  matern32,
  meu,
  mlp,
  mpme,
  multiply,
  periodic,
  poisson,
  rankGplvm,
  rationalQuadratic,
  rbf,
  tpslvm,
  tsneGplvm,
  white,
} from 'latentfield';
import { describe, expect, it } from 'vitest';
import { models as twelve } from './language/twelveModels.ts';

const rows = (N: number) => Array.from({ length: N }, (_, i) => [Math.sin(i), Math.cos(2 * i), i / 5]);
const Y = Matrix.from(rows(12));
const labels = Y.toArrays().map((_, i) => i % 3);
const counts = Matrix.from(labels.map((_, i) => [i % 4, (i * 3) % 5, 1]));
const holed = Matrix.from(Y);
holed.data[4] = Number.NaN;
const two = { latentDim: 2 };

const ofVariables = (name: keyof typeof twelve) => () =>
  twelve[name]({
    y: Matrix.from(rows(7)),
    t: Matrix.from(rows(7).map((_, i) => [i])),
    x: Matrix.from(rows(7).map((_, i) => [i, (i * i) % 3, 1])),
  } as never) as Model;

/** Models whose evaluations are repeated. */
const repeated: Record<string, () => Model> = {
  gplvm: () => gplvm(Y, two),
  'a Matérn kernel': () => gplvm(Y, { ...two, kernel: add(matern32(), bias()) }),
  'a sum of kernels': () => gplvm(Y, { ...two, kernel: add(rbf(), linear(), white()) }),
  'a product of kernels': () => gplvm(Y, { ...two, kernel: multiply(rbf(), linear()) }),
  'a held variance': () => gplvm(Y, { ...two, kernel: rbf({ variance: fixed(2) }) }),
  'a held lengthscale': () => gplvm(Y, { ...two, kernel: rbf({ lengthscale: fixed(2) }) }),
  'lengthscales a column': () => gplvm(Y, { ...two, kernel: rbf({ lengthscale: [1, 2] }) }),
  'a held noise': () => gplvm(Y, { ...two, noise: fixed(0.1) }),
  mlp: () => gplvm(Y, { ...two, kernel: mlp() }),
  periodic: () => gplvm(Y, { ...two, kernel: periodic() }),
  rationalQuadratic: () => gplvm(Y, { ...two, kernel: rationalQuadratic() }),
  'missing entries': () => gplvm(holed, { ...two, missing: 'ignore' }),
  dynamics: () => gplvm(Y, { ...two, dynamics: true }),
  'a back-constraint': () => gplvm(Y, { ...two, backConstraint: 'mlp' }),
  'inducing inputs': () => gplvm(Y, { ...two, inducing: 5 }),
  counts: () => bayesianGplvm(counts, { latentDim: 1, inducing: 5, likelihood: poisson() }),
  tpslvm: () => tpslvm(Y, two),
  gplrf: () => gplrf(Y, labels, two),
  llGplvm: () => llGplvm(Y, { ...two, neighbors: 3 }),
  rankGplvm: () => rankGplvm(Y, two),
  tsneGplvm: () => tsneGplvm(Y, two),
  meu: () => meu(Y, { ...two, neighbors: 3 }),
  mpme: () => mpme(Y, two),
  drill: () => drill(Y, { neighbors: 3 }),
  ...Object.fromEntries(
    (
      [
        'robust',
        'heteroscedastic',
        'grouped',
        'deep',
        'alongGraph',
        'secondOrder',
        'onCircle',
        'timed',
        'horseshoe',
      ] as const
    ).map((name) => [`the variables of ${name}`, ofVariables(name)]),
  ),
};

/** Those that read numbers of tensors on the way: expectations of rbf, eigenvalues of columns' noise, bases of classes. */
const made: Record<string, () => Model> = {
  bayesianGplvm: () => bayesianGplvm(Y, { ...two, inducing: 5 }),
  'noise a column': () => gplvm(Y, { ...two, noise: [0.1, 0.2, 0.3] }),
  dgplvm: () => dgplvm(Y, labels, two),
  'the variables of bent': ofVariables('bent'),
};

/** Evaluates an opened model at ten points, each beside one that was just opened; returns how often its terms were computed. */
function timesComputed(model: Model): number {
  let computed = 0;
  const counted: Model = {
    ...model,
    assemble(seed, options) {
      const assembly = model.assemble(seed, options);
      const terms: typeof assembly.terms = (values, context) => {
        computed++;
        return assembly.terms(values, context);
      };
      return Object.create(assembly, { terms: { value: terms } });
    },
  };
  const opened = logDensityOf(counted, { seed: 1 });
  for (let k = 0; k < 10; k++) {
    const x = opened.start.map((entry, i) => entry + 0.01 * Math.sin(7 * k + i));
    const once = logDensityOf(model, { seed: 1 });
    expect(opened.evaluate(x)).toEqual(once.evaluate(x));
    once.dispose();
  }
  opened.dispose();
  return computed;
}

describe('evaluations of an opened model', () => {
  it.each(Object.keys(repeated))('of %s are repeated with the bits of the first', (name) => {
    // Two are recorded; the third, fourth and eighth are compared.
    expect(timesComputed(repeated[name]!())).toBe(5);
  });

  it.each(Object.keys(made))('of %s are made each time, with the same bits', (name) => {
    expect(timesComputed(made[name]!())).toBe(10);
  });
});
