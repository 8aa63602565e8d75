import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../src/core/errors.ts';
import { type Checkpoint, type FitOptions, fit } from '../../src/inference/index.ts';
import type { Fit } from '../../src/model/fit.ts';
import { twoPeaks } from './ownSteps.ts';

/** Every checkpoint of a fit, and the fit. */
async function saved(options: FitOptions) {
  const states: Checkpoint[] = [];
  const checkpoint = (state: Checkpoint) => {
    states.push(JSON.parse(JSON.stringify(state)) as Checkpoint);
  };
  const result = await fit(twoPeaks(), { ...options, checkpoint, checkpointInterval: 0 });
  return { result, states };
}

const bitsOf = ({ latents, objective, trace, status, message, diagnostics }: Fit) => {
  const { seconds: _, ...rest } = diagnostics;
  return JSON.stringify([latents, objective, trace, status, message, rest]);
};

describe("a model's own steps", () => {
  it('are within the limit on evaluations of the start that they go on from alone', async () => {
    const alone = await fit(twoPeaks());
    const { evaluations } = alone.diagnostics;
    const result = await fit(twoPeaks(), { restarts: { count: 4, width: 0 }, maxEvaluations: evaluations + 1 });
    expect(result.status).toBe('converged');
    expect(result.trace).toEqual(alone.trace);
    expect(result.trace.at(-1)!.evaluations).toBe(evaluations);
    // The solver evaluates as often from each of the five, which are the same point.
    const { trace } = await fit(twoPeaks(), { tolerance: 5 });
    expect(result.diagnostics.evaluations).toBe(evaluations + 4 * trace.at(-1)!.evaluations);
    const short = await fit(twoPeaks(), { restarts: { count: 4, width: 0 }, maxEvaluations: evaluations - 3 });
    expect(short.trace).toEqual(alone.trace.slice(0, -3));
    expect(short.message).toContain(`maxEvaluations = ${evaluations - 3}`);
  });

  it('go on from any checkpoint to the same bits', async () => {
    const { result, states } = await saved({ restarts: 2 });
    const begun = states.filter(({ refinement }) => refinement !== undefined);
    expect(begun.length).toBeGreaterThan(5);
    for (const resume of begun) expect(bitsOf(await fit(twoPeaks(), { resume }))).toBe(bitsOf(result));
  });

  it('are forgotten when the solver goes on from where they began', async () => {
    const { result, states } = await saved({});
    const solved = states.filter(({ refinement }) => refinement === undefined).at(-1)!;
    const { state, trace } = solved.starts[0]!;
    expect(state.iterations).toBe(trace.at(-1)!.iteration);
    expect(result.trace.length).toBeGreaterThan(trace.length + 5);
    const exact: FitOptions = { tolerance: 1e-3, relativeDecrease: 0 };
    const whole = await fit(twoPeaks(), exact);
    expect(whole.trace.length).toBeGreaterThan(trace.length);
    for (const resume of states) expect(bitsOf(await fit(twoPeaks(), { ...exact, resume }))).toBe(bitsOf(whole));
  });

  it('are forgotten when another start wins', async () => {
    const restarts = { count: 1, width: 6 };
    const more: FitOptions = { restarts, seed: 17, relativeDecrease: 0 };
    const { result, states } = await saved({ ...more, maxIterations: 4 });
    expect(result.latents.at(0, 0)).toBeLessThan(0);
    expect(states.at(-1)!.refinement).toMatchObject({ start: 0 });
    const whole = await fit(twoPeaks(), more);
    expect(whole.latents.at(0, 0)).toBeCloseTo(1.0123, 3);
    const after: Checkpoint[] = [];
    const resumed = await fit(twoPeaks(), {
      resume: states.at(-1)!,
      relativeDecrease: 0,
      checkpoint: (state) => {
        after.push(state);
      },
    });
    expect(bitsOf(resumed)).toBe(bitsOf(whole));
    const { state, trace } = after.at(-1)!.starts[0]!;
    expect(trace.at(-1)!.iteration).toBe(state.iterations);
  });

  it.each([
    ['start', 1],
    ['start', -1],
    ['iterations', 0.5],
    ['x', { base64: btoa('\0\0\0\0\0\0\xf8\x7f') }],
  ])('are refused with a damaged %s', async (name, value) => {
    const { states } = await saved({});
    const { refinement, ...rest } = states.at(-1)!;
    const resume = { ...rest, refinement: { ...refinement, [name]: value } } as Checkpoint;
    const refused = fit(twoPeaks(), { resume });
    await expect(refused).rejects.toThrow(InvalidInputError);
    await expect(refused).rejects.toThrow(`own steps in the checkpoint is damaged: its '${name}' is not`);
  });
});
