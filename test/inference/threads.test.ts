import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import { lazily } from '../../src/core/progressiveWork.ts';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import { startThreads } from '../../src/engine/threads.ts';
import { type FitOptions, fit, fitSteps } from '../../src/inference/index.ts';
import { add, bias, rbf } from '../../src/kernels/index.ts';
import type { Fit } from '../../src/model/fit.ts';
import { evaluate } from '../../src/model/open.ts';
import { fixed } from '../../src/model/parameter.ts';
import { gplvm, pca } from '../../src/models/index.ts';
import { bundled } from '../bundled.ts';

const { observations } = pipeFlow({ points: 300, seed: 1 });
const model = () => gplvm(observations, { latentDim: 2, kernel: add(rbf(), bias()) });
const options: FitOptions = { maxIterations: 3, engine: 'wasm' };
/** Fits of this model and those options have enough to share that threads start. */
const long = () => gplvm(pipeFlow({ points: 500, seed: 1 }).observations, { latentDim: 2 });
const longer: FitOptions = { engine: 'wasm', maxEvaluations: 60 };
const onOne = lazily(() => fit(long(), { ...longer, threads: 1 }));
const bitsOf = ({ latents, parameters, objective, terms, trace, status, message }: Fit) =>
  JSON.stringify([latents, parameters, objective, terms, trace, status, message]);

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

describe('a fit on threads', () => {
  it('falls back to one where there is no shared memory, and gives the reason', async () => {
    vi.stubGlobal('SharedArrayBuffer', undefined);
    const { diagnostics } = await fit(pca(observations, { latentDim: 2 }), { engine: 'wasm', threads: 2 });
    expect(diagnostics).toMatchObject({
      engine: 'wasm',
      threads: 1,
      threadsReason: expect.stringMatching(/Cross-Origin-Embedder-Policy/) as string,
    });
  });

  it('has the bits of a fit on one where a smooth covariance is of low rank', async () => {
    const { observations } = pipeFlow({ points: 700, seed: 1 });
    const kernel = add(rbf({ variance: fixed(1), lengthscale: fixed(3) }), bias({ variance: fixed(0.1) }));
    const smooth = gplvm(observations, { latentDim: 2, kernel, noise: fixed(0.1) });
    const threads = await startThreads(2);
    const [one, two] = [
      await fit(smooth, { ...options, maxIterations: 2, threads: 1 }),
      await fit(smooth, { ...options, maxIterations: 2, threads }),
    ];
    await threads.dispose();
    expect(two.diagnostics.threads).toBe(2);
    expect(two.diagnostics.covarianceRank).toBeGreaterThan(0);
    expect(bitsOf(two)).toBe(bitsOf(one));
  });

  it('has the bits of a fit on one where LATENTFIELD_THREADS asks for more', { tags: 'long' }, async () => {
    vi.stubEnv('LATENTFIELD_THREADS', '3');
    const named = await fit(long(), longer);
    const most = Math.min(3, Math.max(2, availableParallelism()));
    expect(named.diagnostics.threads).toBe(most);
    vi.unstubAllEnvs();
    expect(bitsOf(named)).toBe(bitsOf(await onOne()));
  });

  it('has the bits of a fit on one, however its threads start', async () => {
    const live = withFloat64(({ memory64 }) => memory64.liveBytes);
    const alone = await onOne();
    expect(alone.diagnostics.threads).toBe(1);
    const own = await fit(long(), { ...longer, threads: 2 });
    expect(own.diagnostics).toMatchObject({ engine: 'wasm', threads: 2 });
    expect(own.diagnostics.threadsReason).toBeUndefined();
    const threads = await startThreads(2);
    const given = await fit(long(), { ...longer, threads });
    expect([given.diagnostics.threads, threads.count]).toEqual([2, 2]);
    for (const result of [own, given]) expect(bitsOf(result)).toBe(bitsOf(alone));
    const X = Array.from({ length: 50 }, (_, i) => [i / 25 - 1, 0.3]);
    expect(threads.run(() => given.predict(X))).toEqual(alone.predict(X));
    const components = await fit(pca(observations, { latentDim: 2 }), { engine: 'wasm', threads });
    expect(components.diagnostics.threads).toBe(2);
    expect(components.latents).toEqual((await fit(pca(observations, { latentDim: 2 }), { engine: 'wasm' })).latents);
    await threads.dispose();
    expect(withFloat64(({ memory64 }) => memory64.liveBytes)).toBe(live);
  });

  it('are not started for a short one, and the diagnostics report it', async () => {
    const short = await fit(model(), { ...options, threads: 2 });
    expect(short.diagnostics).toMatchObject({
      threads: 1,
      threadsReason: expect.stringMatching(/too little to share/) as string,
    });
    expect(bitsOf(short)).toBe(bitsOf(await fit(model(), options)));
  });

  it('are at most as many as there are processors', async () => {
    const { diagnostics } = await fit(pca(observations, { latentDim: 2 }), { engine: 'wasm', threads: 100_000 });
    expect(diagnostics.threads).toBe(Math.max(2, availableParallelism()));
    expect(diagnostics.threadsReason).toMatch(
      /^100000 threads were requested, but this machine has processors for \d+\.$/,
    );
  });

  it('has the bits of one on the way, and steps that outlive its threads', async () => {
    const threads = await startThreads(2);
    const parameters = { 'mapping.kernel.rbf.lengthscale': 0.7, 'mapping.noise': 0.05 };
    const alone = await evaluate(model(), parameters);
    const shared = await threads.run(() => evaluate(model(), parameters));
    expect(shared).toEqual(alone);
    await threads.dispose();
    const steps = fitSteps(pca(observations, { latentDim: 2 }), { engine: 'wasm', threads: 2 });
    const first = await steps.next();
    await steps.return(undefined as never);
    expect(first.done).toBe(false);
    if (!first.done) expect(first.value.result().diagnostics.threadsReason).toBe('The threads have been disposed.');
  });

  it('reports that plain TypeScript has one', async () => {
    const { diagnostics } = await fit(gplvm(pipeFlow({ points: 20, seed: 1 }).observations, { latentDim: 1 }), {
      maxIterations: 0,
      engine: 'typescript',
      threads: 2,
    });
    expect([diagnostics.threads, diagnostics.threadsReason]).toEqual([1, 'The TypeScript engine runs on one thread.']);
  });

  it('refuses invalid numbers of threads', async () => {
    for (const threads of [0, 1.5, -1, Number.NaN, 'two', {}]) {
      await expect(fit(pca(observations, { latentDim: 1 }), { threads: threads as number })).rejects.toThrow(/threads/);
    }
    await expect(startThreads(0)).rejects.toThrow(/whole number of threads from 1, but 0 was given/);
    for (const named of ['no', '0', '1.5']) {
      vi.stubEnv('LATENTFIELD_THREADS', named);
      await expect(fit(model(), options)).rejects.toThrow(
        `LATENTFIELD_THREADS must be a whole number of threads from 1 or 'auto', but it is '${named}'`,
      );
    }
  });
});

describe("threads: 'auto'", () => {
  it('starts them in a fit where they pay, with the bits of one', async () => {
    const live = withFloat64(({ memory64 }) => memory64.liveBytes);
    const [own, one] = [await fit(long(), longer), await onOne()];
    const count = Math.min(4, availableParallelism());
    expect(own.diagnostics.threads).toBe(count > 1 ? count : undefined);
    expect(bitsOf(own)).toBe(bitsOf(one));
    expect(withFloat64(({ memory64 }) => [memory64.liveBytes, memory64.isShared])).toEqual([live, false]);
  });

  it('starts none in a short fit, or on another engine', async () => {
    for (const engine of ['wasm', 'typescript'] as const) {
      const { diagnostics } = await fit(model(), { maxIterations: 1, engine, threads: 'auto' });
      expect([diagnostics.threads, diagnostics.threadsReason]).toEqual([undefined, undefined]);
    }
    vi.stubEnv('LATENTFIELD_THREADS', 'auto');
    expect((await fit(model(), options)).diagnostics.threads).toBeUndefined();
  });

  it('starts none outside the main thread of Node, which may have others there', async () => {
    const program = fileURLToPath(await bundled('test/inference/node/freeThreads.ts'));
    const { status, stdout, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8', timeout: 50_000 });
    expect([stderr, stdout, status]).toEqual(['', `${Math.min(4, availableParallelism())} 1\n`, 0]);
  });
});

it('threads that nobody disposed let the process end', async () => {
  const program = fileURLToPath(await bundled('test/inference/node/threadedProcess.ts'));
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8', timeout: 50_000 });
  expect([stderr, stdout, status]).toEqual(['', '2 threads, 300 rows\n', 0]);
});
