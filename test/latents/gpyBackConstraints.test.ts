import { describe, expect, it } from 'vitest';
import {
  add,
  backConstrained,
  bias,
  evaluate,
  fit,
  kernelRegression,
  type LatentMap,
  latentVariableModel,
  linearMap,
  mlpMap,
  rbf,
  white,
} from '../../src/index.ts';
import { reference, sharedReference } from '../reference.ts';
import { expectClose } from '../tolerance.ts';

interface Case {
  dataset: string;
  mapping: 'mlp' | 'kernel' | 'linear';
  mapping_spec: { lengthscale?: number; hidden_dim?: number };
  noise_variance: number;
  jitter: number;
  mapping_params: Record<string, number[][] | number[]>;
  X: number[][];
  log_likelihood: number;
  dmapping: Record<string, number[][] | number[]>;
  dparams: Record<string, number[]>;
}
interface BackConstraintReference {
  datasets: Record<string, { Y: number[][] }>;
  cases: Case[];
}

const maps: Record<Case['mapping'], (spec: Case['mapping_spec']) => LatentMap> = {
  linear: () => linearMap(),
  kernel: ({ lengthscale }) => kernelRegression({ gamma: 1 / lengthscale! ** 2 }),
  mlp: ({ hidden_dim }) => mlpMap({ hidden: hidden_dim! }),
};

const PATHS: Record<string, string> = {
  A: 'latents.weights',
  W1: 'latents.layer1.weights',
  b1: 'latents.layer1.bias',
  W2: 'latents.layer2.weights',
  b2: 'latents.layer2.bias',
};

async function check({ datasets }: BackConstraintReference, expected: Case): Promise<void> {
  const model = latentVariableModel({
    observations: datasets[expected.dataset]!.Y,
    latentDim: 2,
    posterior: backConstrained(maps[expected.mapping](expected.mapping_spec)),
    // The variances at which GPy's values were taken.
    kernel: add(rbf({ variance: 1, lengthscale: 1 }), bias({ variance: 0.5 }), white({ variance: 0.1 })),
    noise: expected.noise_variance + expected.jitter,
    center: false,
  });
  const at = Object.fromEntries(Object.entries(expected.mapping_params).map(([name, value]) => [PATHS[name]!, value]));
  const { objective, gradients } = evaluate(model, at);
  expectClose(objective, expected.log_likelihood, 1e-11, 'log likelihood');
  for (const [name, gradient] of Object.entries(expected.dmapping)) {
    // The likelihood does not change when all latents are moved: GPy's gradient of a shift is rounding.
    if (name === 'b2') expect(Math.max(...(gradients[PATHS[name]!] as number[]).map(Math.abs))).toBeLessThan(1e-10);
    else expectClose(gradients[PATHS[name]!], gradient, 1e-9, name);
  }
  for (const [name, gradient] of Object.entries(expected.dparams)) {
    expectClose(gradients[`mapping.kernel.${name}`], gradient, 1e-9, name);
  }
  expect(
    Object.keys(gradients)
      .filter((path) => path.startsWith('latents'))
      .sort(),
  ).toEqual(Object.keys(at).sort());
  const started = await fit(model, { maxIterations: 0 });
  expect([started.latents.rows, started.latents.columns]).toEqual([expected.X.length, 2]);
}

const tiny = reference<BackConstraintReference>('gpy-bcgplvm-tiny.json');
describe('back-constrained GPLVMs equal GPy', () => {
  it.each(tiny.cases.map((entry) => [entry.mapping, entry] as const))('%s', (_, expected) => check(tiny, expected));
});

const shared = sharedReference<BackConstraintReference>('gpy-bcgplvm.json');
describe.runIf(shared)('back-constrained GPLVMs equal GPy on oil flow (shared/reference/gpy-bcgplvm.json)', () => {
  const oil = (shared?.cases ?? []).filter(({ dataset }) => dataset !== 'tiny');
  it.each(oil.map((entry) => [entry.mapping, entry] as const))('%s', (_, expected) => check(shared!, expected));
});
