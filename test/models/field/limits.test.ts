import { type Checkpoint, drill, evaluate, type Fit, fit, lbfgsb, meu, mpme } from 'latentfield';
import { fitSteps } from 'latentfield/inference';
import { describe, expect, it } from 'vitest';
import { expectClose } from '../../tolerance.ts';
import { swissRoll } from '../spectral/columns.ts';

const points = swissRoll(200);
const model = () => meu(points, { neighbors: 5, basePrecision: 1e-4 });
const weightsOf = (result: Fit) => result.parameters['field.weights'] as number[];

/** c/2·|projected gradient| in z = w/s, s = φ/c, from the gradient that `evaluate` gives at the result. */
function gradientNormOf(result: Fit, of = model(), scaleOf?: Float64Array): number {
  const weights = weightsOf(result);
  const gradient = evaluate(of, { 'field.weights': weights }).gradients['field.weights'] as number[];
  const unit = evaluate(of, { 'field.weights': weights.map(() => 0) }).gradients['field.weights'] as number[];
  // At w = 0, R = 2/λ: the gradient c/λ − φ/2 tells φ, and with it the scale c/φ.
  const scale = scaleOf ?? Float64Array.from(unit, (entry) => 3 / (2 * (3 / 1e-4 - entry)));
  return gradient.reduce((most, g, e) => {
    const up = scale[e]! * g;
    return Math.max(most, Math.abs(up > 0 ? up : Math.max(up, -weights[e]! / scale[e]!)));
  }, 0);
}

/** The result is the end of its trace, and its numbers are those at its own point. */
function expectMeasured(result: Fit): void {
  const last = result.trace.at(-1)!;
  expect(last.iteration).toBe(result.diagnostics.iterations);
  expectClose(last.objective, result.objective, 1e-12);
  expect(last.gradientNorm).toBe(result.diagnostics.gradientNorm);
  expectClose(result.objective, evaluate(model(), { 'field.weights': weightsOf(result) }).objective, 1e-12);
  expect(Math.abs(result.diagnostics.gradientNorm - gradientNormOf(result))).toBeLessThan(
    1e-5 * result.diagnostics.gradientNorm + 1e-10,
  );
}

describe('the steps of a sparse field', async () => {
  const whole = await fit(model());

  it('are its iterations, and the result is measured where it is', () => {
    expect(whole.status).toBe('converged');
    expect(whole.diagnostics.kktResidual).toBeLessThan(1e-11);
    expect(whole.diagnostics.gradientNorm).toBeLessThan(1e-10);
    expect(whole.trace.map(({ iteration }) => iteration)).toEqual(Array.from(whole.trace.keys()));
    expect(whole.trace.length).toBeGreaterThan(15);
    for (const [k, { objective, evaluations }] of whole.trace.slice(1).entries()) {
      expect(objective).toBeGreaterThanOrEqual(whole.trace[k]!.objective - 1e-9);
      expect(evaluations).toBeGreaterThan(whole.trace[k]!.evaluations);
    }
    expectMeasured(whole);
    expect(whole.message).toMatch(/^Converged: .* \(\d+ iterations, \d+ evaluations\)\. The optimality/);
  });

  it.each([0, 3, 12])('end after maxIterations = %i', async (maxIterations) => {
    const result = await fit(model(), { maxIterations });
    expect(result.status).toBe('maxIterations');
    expect(result.diagnostics.iterations).toBe(maxIterations);
    expect(result.message).toContain(`Reached the limit of maxIterations = ${maxIterations} before converging`);
    expect(result.message).not.toContain('Converged');
    expect(result.diagnostics.kktResidual).toBeGreaterThan(1e-6);
    expectMeasured(result);
    expect(result.trace).toEqual(whole.trace.slice(0, maxIterations + 1));
  });

  it('give the best of all points when they run out, not where a bound was guessed', async () => {
    for (let maxIterations = 6; maxIterations < 19; maxIterations++) {
      const result = await fit(model(), { maxIterations });
      expect(result.objective).toBeGreaterThanOrEqual(whole.trace[maxIterations]!.objective - 1e-9);
    }
  });

  it('end at an explicit tolerance', async () => {
    const result = await fit(model(), { tolerance: 0.3 });
    const first = whole.trace.findIndex(({ gradientNorm }) => gradientNorm <= 0.3);
    expect(result.status).toBe('converged');
    expect(result.trace).toEqual(whole.trace.slice(0, first + 1));
    expect(result.diagnostics.criterion).toMatch(
      /^the largest entry of the projected gradient, .* within the tolerance 0\.3/,
    );
    expectMeasured(result);
  });

  it('end at a limit of evaluations', async () => {
    const result = await fit(model(), { maxEvaluations: 30 });
    expect(result.status).toBe('maxIterations');
    expect(result.message).toContain('limit of maxEvaluations = 30');
    const over = whole.trace.findIndex(({ evaluations }) => evaluations >= 30);
    expect(result.trace).toEqual(whole.trace.slice(0, over + 1));
    expectMeasured(result);
  });

  it('are reported to onProgress, which may stop them', async () => {
    const seen: number[] = [];
    const result = await fit(model(), {
      onProgress: ({ iteration, objective }) => {
        seen.push(objective);
        return iteration < 9;
      },
    });
    expect(seen).toEqual(whole.trace.slice(0, 10).map(({ objective }) => objective));
    expect(result.status).toBe('stopped');
    expect(result.message).toMatch(/^Stopped by onProgress, which returned false \(9 iterations/);
    expect(result.trace).toEqual(whole.trace.slice(0, 10));
    expectMeasured(result);
  });

  it('are steps of fitSteps, whose fit on the way disturbs nothing', async () => {
    const steps = fitSteps(model());
    let last: Fit | undefined;
    for (;;) {
      const step = await steps.next();
      if (step.done) {
        expect(step.value.latents.data).toEqual(whole.latents.data);
        expect(step.value.trace).toEqual(whole.trace);
        break;
      }
      if (step.value.iteration % 7 !== 4) continue;
      last = step.value.result();
      expectClose(last.objective, step.value.objective, 1e-12);
      expect(step.value.latents.rows).toBe(points.length);
    }
    expect(last!.diagnostics.iterations).toBe(18);
  });

  it('continue from a checkpoint to the same bits', async () => {
    const states: Checkpoint[] = [];
    const kept = await fit(model(), {
      checkpointInterval: 0,
      checkpoint: (state) => {
        states.push(JSON.parse(JSON.stringify(state)) as Checkpoint);
      },
    });
    expect(states.length).toBeGreaterThan(whole.trace.length);
    for (const k of [3, 8, 12, 18, states.length - 1]) {
      const seen: number[] = [];
      const resumed = await fit(model(), {
        resume: states[k]!,
        onProgress: ({ iteration }) => {
          seen.push(iteration);
        },
      });
      expect(resumed.parameters).toEqual(kept.parameters);
      expect(resumed.trace).toEqual(kept.trace);
      expect(resumed.message).toBe(kept.message);
      expect(resumed.diagnostics.evaluations).toBe(kept.diagnostics.evaluations);
      const saved = states[k]!.starts[0]!.trace.length;
      expect(seen).toEqual(whole.trace.slice(saved).map(({ iteration }) => iteration));
    }
    const limited = await fit(model(), { resume: states[10]!, maxIterations: 14 });
    expect(limited.trace).toEqual(whole.trace.slice(0, 15));
  });

  it('are not begun after an abort, and the start is measured', async () => {
    const result = await fit(model(), { signal: AbortSignal.abort() });
    expect(result.status).toBe('stopped');
    expect(result.message.match(/[Ss]topped/g)).toHaveLength(1);
    expect(weightsOf(result).every((w) => w === 0)).toBe(true);
    const gradient = evaluate(model(), { 'field.weights': weightsOf(result) }).gradients['field.weights'] as number[];
    const largest = Math.max(...gradient);
    // R = 2/λ without weights, so the largest violation c·R/φ − 1 is that of the shortest edge: φ = 2·(c/λ − gradient).
    const shortest = 2 * (3 / 1e-4 - largest);
    expectClose(result.diagnostics.kktResidual, 6 / 1e-4 / shortest - 1, 1e-9);
  });
});

describe('stopping ends at the best point so far', () => {
  const noisy = swissRoll(60);
  const holed = noisy.map((row, i) => row.map((entry, d) => ((i + d) % 7 === 0 ? Number.NaN : entry)));

  it.each<[string, () => ReturnType<typeof meu> | ReturnType<typeof drill>, object]>([
    ['quadratic approximation', () => mpme(noisy, { basePrecision: 1e-3 }), {}],
    ['rounds of EM', () => meu(holed, { neighbors: 6, basePrecision: 0.05, missing: 'ignore' }), {}],
    ['a path of penalties', () => drill(noisy.slice(0, 24), { neighbors: 5 }), {}],
    [
      'another solver',
      () => meu(points, { neighbors: 5, basePrecision: 1e-4 }),
      { solver: lbfgsb(), maxIterations: 400 },
    ],
  ])('of %s', async (_, make, options) => {
    const whole = await fit(make(), options);
    expect(whole.status).toBe('converged');
    const own = whole.trace.findLastIndex(({ gradientNorm }) => gradientNorm > 1e-4);
    expect(whole.trace[own]!.iteration).toBe(own);
    expect(own).toBeLessThan(whole.trace.length - 1);
    const stopped = await fit(make(), { ...options, onProgress: ({ iteration }) => iteration < own });
    expect(stopped.status).toBe('stopped');
    expect(stopped.trace).toEqual(whole.trace.slice(0, own + 1));
    expectClose(stopped.objective, stopped.trace.at(-1)!.objective, 1e-10);
    expect(stopped.message).toMatch(/^Stopped by onProgress, which returned false \(\d+/);
    expect(stopped.diagnostics.kktResidual).toBeGreaterThan(whole.diagnostics.kktResidual!);
    expect(stopped.diagnostics.gradientNorm).toBe(stopped.trace.at(-1)!.gradientNorm);
    const limited = await fit(make(), { ...options, maxIterations: own });
    expect(limited.status).toBe('maxIterations');
    expect(limited.parameters).toEqual(stopped.parameters);
    expect(limited.diagnostics.kktResidual).toBe(stopped.diagnostics.kktResidual);
  });

  it.each<[string, () => ReturnType<typeof meu> | ReturnType<typeof drill>]>([
    ['quadratic approximation', () => mpme(noisy, { basePrecision: 1e-3, slackPenalty: 0.01 })],
    ['rounds of EM', () => meu(holed, { neighbors: 6, basePrecision: 0.05, missing: 'ignore' })],
    ['a path of penalties', () => drill(noisy.slice(0, 24), { neighbors: 5 })],
  ])('and %s resumes from a checkpoint with the same bits', async (_, make) => {
    const states: Checkpoint[] = [];
    const checkpoint = (state: Checkpoint) => {
      states.push(JSON.parse(JSON.stringify(state)) as Checkpoint);
    };
    const whole = await fit(make(), { checkpointInterval: 0, checkpoint });
    expect(states.length).toBeGreaterThan(5);
    const every = Math.ceil(states.length / 6);
    for (const resume of states.filter((_, k) => k % every === 0 || k === states.length - 1)) {
      const resumed = await fit(make(), { resume });
      expect(resumed.parameters).toEqual(whole.parameters);
      expect(resumed.trace).toEqual(whole.trace);
      expect({ ...resumed.diagnostics, seconds: 0 }).toEqual({ ...whole.diagnostics, seconds: 0 });
      expect(resumed.message).toBe(whole.message);
    }
  });
});
