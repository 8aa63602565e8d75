import { availableParallelism } from 'node:os';
import { afterEach, expect, it, vi } from 'vitest';
import type { FitProblem } from '../../src/inference/fit/fitProblem.ts';
import { shareNativeThreads } from '../../src/inference/workers/runInWorkers.ts';

/** A library of the process that uses so many threads. */
const library: { threads: number | undefined } = { threads: 64 };
vi.mock('../../src/engine/native/index.ts', () => ({
  findNative: ({ threads }: { threads?: number } = {}) => {
    library.threads = threads ?? library.threads;
    return { threads: library.threads };
  },
}));
const problem = (engine: 'native' | 'wasm') => ({ engine, chosenEngine: { engine } }) as unknown as FitProblem;

afterEach(() => {
  library.threads = 64;
});

it('gives each worker its part of the processors, and the library its own number back', async () => {
  const giveBack = await shareNativeThreads(problem('native'), 2);
  expect(library.threads).toBe(Math.max(1, Math.floor(availableParallelism() / 2)));
  giveBack();
  expect(library.threads).toBe(64);
  (await shareNativeThreads(problem('native'), 100_000))();
  expect(library.threads).toBe(64);
});

it('leaves fewer threads alone, and a library that does not report how many it uses, and other engines', async () => {
  for (const [engine, threads] of [
    ['native', 1],
    ['native', undefined],
    ['wasm', 64],
  ] as const) {
    library.threads = threads;
    const giveBack = await shareNativeThreads(problem(engine), 1);
    expect(library.threads).toBe(threads);
    giveBack();
    expect(library.threads).toBe(threads);
  }
});
