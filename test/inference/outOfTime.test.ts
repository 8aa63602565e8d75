import { afterEach, describe, expect, it, vi } from 'vitest';
import { completed, watched } from '../../src/core/progressiveWork.ts';
import { seededRandom } from '../../src/core/random.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import type { Tensor2D } from '../../src/engine/tensors/tensorflow.ts';
import { evaluate, fit, fitAt, gplvm, Matrix, meu, OptimizationError, tsne } from '../../src/index.ts';
import { beginsWithin, OutOfTime } from '../../src/inference/fit/fitOptions.ts';
import { openProblem } from '../../src/inference/fit/fitProblem.ts';
import { type RunEvent, runFrom } from '../../src/inference/fit/run.ts';
import type { ObjectiveFunction } from '../../src/inference/minimize/scaledObjective.ts';
import { stopping } from '../../src/inference/minimize/solution.ts';
import { defineKernel } from '../../src/kernels/index.ts';

const { normal } = seededRandom(3);
const points = new Matrix(
  Float64Array.from({ length: 700 * 20 }, () => normal()),
  700,
  20,
);

/** A clock that continues by so many seconds whenever it is read. */
function clock(seconds: number) {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 1000 * seconds;
    return now;
  });
}
afterEach(() => void vi.restoreAllMocks());

describe('limit of seconds before there is a result', () => {
  it('continues within the limit, and ends long work beyond it with an estimate', () => {
    clock(1);
    let left = 2500;
    const watch = beginsWithin(2.5, () => left);
    watch(0.1);
    watch(0.2);
    left = -500;
    // Two readings of the clock lie between .1 and .3: 2 s for .2 of the work, 7 for the rest, half a second late.
    expect(() => watch(0.3)).toThrow(new OutOfTime(2.5, 10));
  });

  it('ends work that is as good as done', () => {
    clock(1);
    const watch = beginsWithin(2.5, () => -1);
    watch(0.1);
    expect(() => watch(0.95)).not.toThrow();
    expect(() => watch(0.1)).not.toThrow();
    expect(() => watch(0.2)).toThrow(OutOfTime);
  });

  it('returns the memory of ended work, and watches no other work afterwards', () => {
    let released = 0;
    const work = function* () {
      try {
        yield 0.5;
        return 'done';
      } finally {
        released++;
      }
    };
    const end = () => {
      throw new OutOfTime(1, 2);
    };
    expect(() => watched(end, () => completed(work()))).toThrow(OutOfTime);
    expect(released).toBe(1);
    expect(completed(work())).toBe('done');
  });

  it('rejects a t-SNE map whose neighbors are not found in time', async () => {
    clock(1);
    const map = fit(tsne(points), { maxSeconds: 3, threads: 1 });
    await expect(map).rejects.toThrow(/maxSeconds = 3 passed before the search had begun.*Raise the limit/);
    await expect(map).rejects.toBeInstanceOf(OptimizationError);
  });

  it('starts a mapping at the principal components, and reports it, where there is no time for its map', async () => {
    const model = gplvm(points, { latentDim: 2, init: 'tsne' });
    const drive = async () => undefined;
    const made = await model.choose!({ seed: 0, maxSeconds: 3, drive });
    expect(evaluate(made.model).objective).toBe(evaluate(gplvm(points, { latentDim: 2 })).objective);
    expect(made.message).toContain('started at the principal components');
  });
});

describe('limit of seconds', () => {
  it('is exact to a tenth, including the steps after the search of a mapping', async () => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const slow = defineKernel({
      name: 'slow',
      parameters: { variance: 1 },
      covariance: (p, A, B) => {
        now += 200;
        return op.mul(p.variance, op.exp(op.neg(op.squaredDistances(A, B)))) as Tensor2D;
      },
    });
    const Y = points.toArrays().slice(0, 30);
    const { status } = await fit(gplvm(Y, { latentDim: 1, kernel: slow() }), { maxSeconds: 4, threads: 1 });
    expect(status).toBe('stopped');
    expect(now).toBeGreaterThan(3000);
    expect(now).toBeLessThanOrEqual(4400);
  });

  it.each([
    ["Newton's method, between whose evaluations are curvatures", 100],
    ['a search that evaluates by itself', 600],
  ])('is exact to a tenth, including the results derived from %s', async (_, N) => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 20;
      return now;
    });
    const problem = openProblem(meu(points.toArrays().slice(0, N), { neighbors: 10 }), { seed: 0 });
    const objective: ObjectiveFunction = (x, of) => {
      now += 1000;
      return problem.objective(x, of);
    };
    const slow = { ...problem, objective: Object.assign(objective, problem.objective) };
    const stop = stopping(undefined, 4);
    const start = { number: 0, origin: { init: 'model', width: 0 }, x: problem.start } as const;
    const settings = { relativeDecrease: 0, tolerance: 0 };
    let ended: RunEvent | undefined;
    for await (const event of runFrom(slow, start, settings, stop.signal, stop.reserve)) ended = event;
    expect(ended).toMatchObject({ kind: 'end', solution: { status: 'stopped' } });
    // Latents and terms take about as much as an evaluation of all.
    expect(now + 1000).toBeLessThanOrEqual(4400);
    stop.release();
    problem.dispose();
  });
});

it('a fit at set values reports how many seconds it took', () => {
  vi.spyOn(performance, 'now').mockReturnValueOnce(1000).mockReturnValue(3500);
  expect(fitAt(gplvm([[0], [1], [3]], { latentDim: 1 })).diagnostics.seconds).toBe(2.5);
});
