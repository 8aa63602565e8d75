import {
  adam,
  bayesianGplvm,
  type Checkpoint,
  defineDensity,
  defineModel,
  evaluate,
  fit,
  gplvm,
  latent,
  lbfgs,
  Matrix,
  minimize,
  normal,
  observed,
  poisson,
  real,
  seededRandom,
  standardNormal,
} from 'latentfield';
import { type FitStep, fitSteps } from 'latentfield/inference';
import type { PointRows } from 'latentfield/model';
import * as op from 'latentfield/ops';
import { describe, expect, it } from 'vitest';
import { batches } from '../../src/inference/fit/batches.ts';
import { openProblem } from '../../src/inference/fit/fitProblem.ts';
import type { Evaluation, Step } from '../../src/model/solver.ts';

const random = seededRandom(1);
const N = 40;
const Y = Array.from({ length: N }, (_, i) => {
  const t = (2 * Math.PI * i) / N;
  return [Math.cos(t), Math.sin(t), Math.cos(2 * t)].map((y) => y + 0.05 * random.normal());
});
const model = bayesianGplvm(Y, { latentDim: 2, inducing: 8 });

describe('batches', () => {
  it('go through all rows once an epoch, in another order each time, which the seed decides', () => {
    const at = batches(10, 4, 3);
    const epoch = (k: number) => [0, 1, 2].flatMap((b) => Array.from(at(3 * k + b).rows));
    expect(epoch(0).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(epoch(1)).not.toEqual(epoch(0));
    expect(at(2).scale).toBe(5);
    // Asked for again, as after an interruption.
    expect(batches(10, 4, 3)(4)).toEqual(at(4));
  });

  it.each([
    ['gaussian', model],
    [
      'poisson',
      bayesianGplvm(
        Y.map((row) => row.map((y) => Math.round(3 + 2 * y))),
        { latentDim: 2, inducing: 5, likelihood: poisson() },
      ),
    ],
  ])('of an epoch average to the bound of all rows: %s', (_, own) => {
    const problem = openProblem(own, { seed: 0, batchSize: 10 });
    try {
      const values = [0, 1, 2, 3].map(
        (iteration) => problem.compute(() => problem.objective(problem.start, { iteration })).value,
      );
      const average = values.reduce((sum, value) => sum + value) / 4;
      expect(Math.abs(average / -problem.densityAt(problem.start).value - 1)).toBeLessThan(1e-11);
    } finally {
      problem.dispose();
    }
  });
});

describe('adam', () => {
  it('moves each variable as if it were alone, where evaluations see some of them', () => {
    const target = [1, -2, 3];
    const slope = (x: number, i: number) => 2 * (x - target[i]!);
    const seen = [[0, 1], [1, 2], [0, 1, 2], [2], [0, 2]];
    const places = (k: number) => Int32Array.from(seen[k % seen.length]!);
    const x = new Float64Array(3);
    const gradient = new Float64Array(3);
    for (const i of places(0)) gradient[i] = slope(0, i);
    const run = adam({ learningRate: 0.1 }).begin({ x, value: 0, gradient, places: places(0) }, { lower: x, upper: x });
    let answer: Evaluation = run.iterate;
    let evaluations = 1;
    while (evaluations < 21) {
      const step = run.steps.next(answer).value as Step;
      if (step.kind !== 'evaluate') continue;
      const own = places(evaluations++);
      answer = { value: 0, places: own, gradient: Float64Array.from(own, (i) => slope(step.point[i]!, i)) };
    }
    run.steps.next(answer);
    for (const i of [0, 1, 2]) {
      const steps = Array.from({ length: 20 }, (_, k) => k).filter((k) => places(k).includes(i)).length;
      const alone = minimize(
        ([own]) => ({ value: (own! - target[i]!) ** 2, gradient: [slope(own!, i)] }),
        [0],
        adam({ learningRate: 0.1, stochastic: true }),
        { maxIterations: steps, tolerance: 0 },
      );
      expect(run.iterate.x[i]).toBe(alone.x[0]);
    }
  });
});

describe('a fit in batches', () => {
  it('comes near the optimum of the collapsed bound', { tags: 'long' }, async () => {
    const whole = await fit(model, { maxIterations: 300 });
    const result = await fit(model, {
      batchSize: 10,
      solver: adam({ learningRate: (k) => 0.03 / (1 + k / 400) }),
      maxIterations: 1500,
    });
    expect(result.objective).toBeLessThan(whole.objective + 1e-6);
    // The bound starts hundreds below.
    const start = (await fit(model, { maxIterations: 0 })).objective;
    expect((whole.objective - result.objective) / (whole.objective - start)).toBeLessThan(0.2);
  });

  it('shows its epochs, and ends where the bound of an epoch no longer rises, with the bound of all rows', {
    tags: 'long',
  }, async () => {
    const epochs: number[] = [];
    const result = await fit(model, {
      batchSize: 10,
      maxEpochs: 400,
      solver: adam({ learningRate: (k) => 0.1 / (1 + k / 40) }),
      onProgress: ({ epoch }) => {
        epochs.push(epoch!);
      },
    });
    expect(epochs.slice(0, 6)).toEqual([0, 0.25, 0.5, 0.75, 1, 1.25]);
    expect(result.status).toBe('converged');
    expect(result.message).toMatch(/averaged over an epoch has not improved in 5 epochs, after \d+/);
    expect(epochs.at(-1)).toBeLessThan(400);
    expect(epochs.at(-1)! % 1).toBe(0);
    const whole = evaluate(bayesianGplvm(Y, { latentDim: 2, inducing: 8, bound: 'uncollapsed' }), result.parameters);
    expect(Math.abs(result.objective / whole.objective - 1)).toBeLessThan(1e-11);
    const short = await fit(model, { batchSize: 10, maxEpochs: 3 });
    expect(short.diagnostics.iterations).toBe(12);
    expect(short.status).toBe('maxIterations');
    expect(short.message).toMatch(/^Reached the limit of 3 epochs before converging \(12 iterations/);
    await expect(fit(model, { maxEpochs: 3 })).rejects.toThrow(/Give batchSize too/);
  });

  it('starts q(u) from some of the rows where there are many, near where all of them would', () => {
    const many = Array.from({ length: 9000 }, (_, i) => [
      Math.cos(i / 700),
      Math.sin(i / 900),
      i % 2000 === 1 ? 0.5 : Number.NaN,
    ]);
    const all = boundOfStart(many);
    const some = boundOfStart(many.filter((_, i) => i % 3 === 0 || i % 2000 === 1));
    expect(Math.abs(all / some - 1)).toBeLessThan(0.1);
  });

  /** The bound of the start, a row. */
  function boundOfStart(rows: number[][]) {
    const own = bayesianGplvm(rows, { latentDim: 1, inducing: 6, missing: 'ignore', bound: 'uncollapsed' });
    return evaluate(own).terms.mapping! / rows.length;
  }

  it('continues from a checkpoint with the same bits', async () => {
    const options = { batchSize: 16, seed: 5 };
    const uninterrupted = await fit(model, { ...options, maxIterations: 12 });
    let last: Checkpoint | undefined;
    await fit(model, { ...options, maxIterations: 7, checkpoint: (checkpoint) => (last = checkpoint) });
    const resumed = await fit(model, { batchSize: 16, maxIterations: 12, resume: JSON.parse(JSON.stringify(last)) });
    expect(resumed.parameters).toEqual(uninterrupted.parameters);
    expect(resumed.objective).toBe(uninterrupted.objective);
  });

  it('moves the latents of its points and no others', async () => {
    const start = await fit(model, { batchSize: 10, seed: 2, maxIterations: 0 });
    const moved = await fit(model, { batchSize: 10, seed: 2, maxIterations: 1 });
    const rows = Array.from({ length: N }, (_, i) => i);
    const isMoved = (i: number) => start.latents.row(i).some((x, d) => x !== moved.latents.at(i, d));
    expect(rows.filter(isMoved)).toEqual(Array.from(batches(N, 10, 2)(0).rows).toSorted((a, b) => a - b));
    expect(moved.parameters['mapping.noise']).not.toBe(start.parameters['mapping.noise']);
  });

  it('has the gradient of the batch in the variables that it uses, by finite differences', () => {
    const problem = openProblem(model, { seed: 0, batchSize: 16 });
    try {
      const { placesOf, at } = problem.inBatches!;
      const x = problem.start.slice();
      const places = placesOf(2);
      expect(places).toHaveLength(problem.layout.size - 4 * (N - 8));
      const { gradient } = problem.compute(() => at(x, 2));
      expect(gradient).toHaveLength(places.length);
      for (let k = 0; k < places.length; k += 7) {
        const value = (step: number) => {
          const moved = x.slice();
          moved[places[k]!]! += step;
          return problem.compute(() => at(moved, 2)).value;
        };
        const slope = (value(1e-5) - value(-1e-5)) / 2e-5;
        expect(Math.abs(slope - gradient[k]!)).toBeLessThan(1e-5 * Math.max(1, Math.abs(slope)));
      }
    } finally {
      problem.dispose();
    }
  });

  it('runs solvers that take whole gradients too', async () => {
    const { takesPlaces: _, ...own } = adam({ stochastic: true });
    const result = await fit(model, { batchSize: 10, solver: own, maxIterations: 40 });
    const start = await fit(model, { batchSize: 10, maxIterations: 0 });
    expect(result.objective).toBeGreaterThan(start.objective + 10);
  });

  it('gives the latents of a step until the next one', async () => {
    const steps = fitSteps(model, { batchSize: 20, maxIterations: 4 });
    const seen: FitStep[] = [];
    for await (const step of steps) {
      expect(step.latents.rows).toBe(N);
      seen.push(step);
    }
    expect(seen).toHaveLength(5);
    expect(() => seen[1]!.result()).toThrow(/Iteration 1 of this fit in batches is over/);
  });

  it('refuses parameters of points with a prior, as a batch would cover a part only', async () => {
    const data = [[1], [2], [3]];
    const rows: PointRows = {
      kind: 'latents',
      name: 'own',
      parameters: () => ({ latents: real(Matrix.from(data), { prior: normal({ mean: 0, deviation: 1 }) }) }),
      from: () => rows,
      mapsObservations: false,
      features: (Z) => Z,
      apply: (p) => p.latents as op.Tensor2D,
      toJSON: () => ({ name: 'own' }),
    };
    const near = defineDensity({
      name: 'near',
      logDensity: (_, { value, given }) => op.neg(op.sum(op.square(op.sub(value, given[0]!)), 1)),
    });
    const own = defineModel({
      name: 'own',
      variables: (Z: number[][]) => {
        const x = latent({ dim: 1, posterior: rows });
        return { x, y: observed(Z, { density: near(), given: x }) };
      },
    });
    await expect(fit(own(data), { batchSize: 2 })).rejects.toThrow(/The prior of 'x' is on the rows of all points/);
  });

  it('refuses what cannot be done', async () => {
    await expect(fit(model, { batchSize: 41 })).rejects.toThrow(/at most 40, the number of points, but 41/);
    await expect(fit(model, { batchSize: 8, solver: lbfgs() })).rejects.toThrow(
      /noisy, which the solver 'lbfgs' cannot use/,
    );
    await expect(fit(model, { batchSize: 8, workers: 2 })).rejects.toThrow(/without workers/);
    await expect(fit(gplvm(Y, { latentDim: 2 }), { batchSize: 8 })).rejects.toThrow(
      /cannot be evaluated on some of its rows/,
    );
    // Rows of x are independent, and what is said of y is one number for all of them.
    const joined = defineDensity({
      name: 'joined',
      logDensity: (_, { value, given }) => op.neg(op.sum(op.square(op.sub(value, given[0]!)))),
    });
    const own = defineModel({
      name: 'own',
      variables: (Z: number[][]) => {
        const x = latent({ dim: 3, density: standardNormal() });
        return { x, y: observed(Z, { density: joined(), given: x }) };
      },
    });
    await expect(fit(own(Y), { batchSize: 8 })).rejects.toThrow(/cannot be evaluated on some of its rows/);
  });
});
