import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { progressBar, rowsNote, timeBudget } from '../../../src/app/cli/streams.ts';
import { Matrix, tsne, umap } from '../../../src/index.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A fit of 1000 iterations on a clock of the test's own: what a log shows of it. */
function followed(isTTY = false, { search, seconds = Infinity }: { search?: object; seconds?: number } = {}) {
  const written: string[] = [];
  const stderr = Object.assign(Object.create(null), { isTTY, write: (text: string) => written.push(text) > 0 });
  const bar = progressBar(stderr, { search, secondsLeft: () => seconds });
  const after = (seconds: number, iteration?: number) => {
    vi.advanceTimersByTime(1000 * seconds);
    if (iteration !== undefined) bar.update({ iteration, evaluations: iteration, objective: -12.5, gradientNorm: 1 });
    return written.splice(0).join('');
  };
  const within = (seconds: number, name: string, part: number) => {
    vi.advanceTimersByTime(1000 * seconds);
    bar.update({ iteration: 0, evaluations: 0, objective: NaN, gradientNorm: NaN, stage: { name, part } });
    return written.splice(0).join('');
  };
  return { bar, after, within };
}

it('a log gives lines ever more rarely, and from half of the limit on how long the rest may take', () => {
  const { bar, after } = followed();
  expect(after(2, 0)).toBe('');
  expect(after(4, 4)).toContain('5 s: iteration 0 of at most 1000, objective -12.500000\n');
  expect(after(4, 8)).toContain('8 s: iteration 4 of at most 1000, objective -12.500000\n');
  expect(after(90, 100)).not.toContain('left');
  after(400, 600);
  // 596 iterations in about 750 s, 400 to go.
  expect(after(400)).toMatch(/iteration 600 of at most 1000, objective -12\.500000, at most [78] min left\n/);
  bar.stop();
  expect(after(1000)).toBe('');
});

it('no estimate is longer than the rest of a limit', () => {
  const { bar, after } = followed(false, { seconds: 30 });
  after(2, 0);
  after(4, 4);
  after(400, 600);
  expect(after(400)).toContain('at most 30 s left\n');
  bar.stop();
});

const Y = Array.from({ length: 12 }, (_, i) => [Math.sin(i), Math.cos(i)]);
it.each([umap(Y, { neighbors: 4, steps: 990 }), tsne(Y, { perplexity: 3, steps: 990 })])(
  'a log of a schedule ($name), which runs to its end, reports how long the rest takes',
  ({ search }) => {
    const { bar, after } = followed(false, { search: search! });
    expect(after(60, 1)).not.toContain('left');
    // Twenty rounds in all, of 10 s each.
    const rest = Array.from({ length: 10 }, (_, k) => after(10, k + 2)).join('');
    expect(rest).toMatch(/iteration 8 of at most 20, .*, about 2 min left\n/);
    bar.stop();
  },
);

it('a log of slow iterations has no estimate after the first: most searches end long before their limit', () => {
  const { bar, after } = followed();
  expect(after(4, 0)).toBe('');
  expect(after(2)).toBe('5 s: iteration 0 of at most 1000, objective -12.500000\n');
  expect(after(1, 1)).toBe('');
  expect(after(1)).toBe('8 s: iteration 1 of at most 1000, objective -12.500000\n');
  bar.stop();
});

it('a log of a solution that is computed names the stage and how much of it is done', () => {
  const { bar, within } = followed();
  expect(within(1, 'neighbors', 0)).toBe('');
  expect(within(4, 'neighbors', 0)).toBe('5 s: neighbors\n');
  expect(within(2, 'neighbors', 0.4)).toBe('');
  expect(within(1, 'shortest paths', 0.256)).toBe('8 s: neighbors, 40 %\n');
  expect(within(4, 'shortest paths', 0.256)).toBe('12 s: shortest paths, 25 %\n');
  bar.stop();
});

it('a terminal shows the stage instead of an objective that does not exist yet', () => {
  const { bar, within } = followed(true);
  within(1, 'neighbors', 0.5);
  expect(within(1, 'shortest paths', 0.25)).not.toContain('NaN');
  bar.stop();
});

it('the time of many rows is estimated from some of them, and shared preparation counts once', async () => {
  // A call takes 2 s and half a second a row; the first one, which prepares what all use, 40 s more.
  let prepared = 40;
  const work = async ({ rows }: Matrix) => {
    vi.advanceTimersByTime(1000 * (2 + rows / 2 + prepared));
    prepared = 0;
  };
  expect(await rowsNote(Matrix.zeros(1000, 3), 'placing', work)).toBe('note: placing 1000 rows takes about 8 min\n');
  expect(await rowsNote(Matrix.zeros(199, 3), 'placing', work)).toBe('');
  const quick = async () => void vi.advanceTimersByTime(9000);
  expect(await rowsNote(Matrix.zeros(1000, 3), 'placing', quick)).toBe('');
});

it('a tenth of the seconds of a command is for the steps after the fit', () => {
  const budget = timeBudget(20);
  vi.advanceTimersByTime(3040);
  expect(budget.left()).toBeCloseTo(16.96, 9);
  expect(budget.forFit()).toBe(14.9);
  vi.advanceTimersByTime(18_000);
  expect([budget.left() < 0, budget.forFit()]).toEqual([true, 0]);
  expect([timeBudget(undefined).left(), timeBudget(undefined).forFit()]).toEqual([Infinity, undefined]);
});
