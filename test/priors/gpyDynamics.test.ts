import { describe, expect, it } from 'vitest';
import { add, dynamics, evaluate, fit, latentVariableModel, linear, loadFit, rbf, white } from '../../src/index.ts';
import { reference } from '../reference.ts';
import { expectClose } from '../tolerance.ts';
import { density } from './priorDensity.ts';

interface Case {
  tag: string;
  X: number[][];
  hyper: { variance: number; lengthscale: number; white: number; linear: number };
  difference_target: boolean;
  log_p: number;
  dX: number[][];
  dparams: Record<string, number>;
  log_p_plus_x1_unit_gaussian: number;
}
const { cases } = reference<{ cases: Case[] }>('gpy-dynamics.json');

const PATHS: Record<string, string> = {
  variance: 'kernel.rbf.variance',
  lengthscale: 'kernel.rbf.lengthscale',
  white: 'kernel.white.variance',
  linear: 'kernel.linear.variance',
};

const kernelOf = ({ hyper }: Case) => {
  const smooth = rbf({ variance: hyper.variance, lengthscale: hyper.lengthscale });
  const noise = white({ variance: hyper.white });
  return hyper.linear > 0 ? add(smooth, linear({ variance: hyper.linear }), noise) : add(smooth, noise);
};

describe('dynamics equal the reference (gpy-dynamics.json)', () => {
  it.each(cases.map((entry) => [entry.tag, entry] as const))('%s', (_, expected) => {
    const order = expected.difference_target ? 'difference' : 'next';
    const kernel = kernelOf(expected);
    const without = density(dynamics({ kernel, order, initial: 'none' }), expected.X);
    expectClose(without.value, expected.log_p, 1e-12, 'log p');
    expectClose(without.gradients.X, expected.dX, 1e-10, 'dX');
    for (const [name, gradient] of Object.entries(expected.dparams)) {
      expectClose(without.gradients[PATHS[name]!], gradient, 1e-10, name);
    }
    const { value } = density(dynamics({ kernel, order }), expected.X);
    expectClose(value, expected.log_p_plus_x1_unit_gaussian, 1e-12, 'log p with p(x₁)');
  });

  it('as a term of a model, with parameters under priors.dynamics', async () => {
    const [expected] = cases as [Case];
    const Y = expected.X.map(([a, b]) => [a! + b!, a! - b!, a! * b!]);
    const model = latentVariableModel({
      observations: Y,
      latentDim: 2,
      init: expected.X,
      kernel: rbf(),
      noise: 0.1,
      priors: [dynamics()],
    });
    const at = {
      'priors.dynamics.kernel.rbf.variance': expected.hyper.variance,
      'priors.dynamics.kernel.rbf.lengthscale': expected.hyper.lengthscale,
      'priors.dynamics.kernel.white.variance': expected.hyper.white,
    };
    const { objective, terms, gradients } = evaluate(model, at);
    expectClose(terms.dynamics, expected.log_p_plus_x1_unit_gaussian, 1e-12);
    expectClose(objective, terms.mapping! + terms.dynamics!, 1e-14);
    for (const [name, gradient] of Object.entries(expected.dparams)) {
      expectClose(gradients[`priors.dynamics.${PATHS[name]}`], gradient, 1e-10, name);
    }
    const result = await fit(model, { maxIterations: 3 });
    const again = loadFit(JSON.parse(JSON.stringify(result)));
    expect(again.predict([[0, 0]])).toEqual(result.predict([[0, 0]]));
    expect(again.parameters).toEqual(result.parameters);
  });
});
