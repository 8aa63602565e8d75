import { describe, expect, it } from 'vitest';
import { fit } from '../../src/inference/index.ts';
import { twoPeaks } from './ownSteps.ts';

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
});
