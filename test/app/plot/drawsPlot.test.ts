import { describe, expect, it } from 'vitest';
import { chainPlot, latentPlot, pairsPlot, predictivePlot, rankPlot } from '../../../src/app/plot/index.ts';
import {
  type Draws,
  fixed,
  fixedAt,
  gamma,
  latentVariableModel,
  Matrix,
  positive,
  rbf,
  samplePosterior,
} from '../../../src/index.ts';
import { checkPredictive } from '../../../src/inference/index.ts';
import { marks, parseSvg, texts } from './svg.ts';

const prior = gamma({ shape: 2, rate: 2 });
const inputs = [0, 0.4, 0.9, 1.3, 2];
const model = latentVariableModel({
  observations: inputs.map((t) => [Math.sin(2 * t)]),
  latentDim: 1,
  posterior: fixedAt(inputs.map((t) => [t])),
  kernel: rbf({ variance: fixed(1), lengthscale: positive(1, { prior }) }),
  noise: positive(0.1, { prior }),
  center: false,
});
const drawn = samplePosterior(model, { chains: 2, warmup: 40, draws: 60, seed: 1 });
const names = ['mapping.kernel.rbf.lengthscale', 'mapping.noise'];

describe('pictures of draws', () => {
  it('show the chains of each number, a line a chain through all of its draws', async () => {
    const draws = await drawn;
    const root = parseSvg(await chainPlot(draws, { title: 'Two chains', width: 118, height: 100 }));
    const lines = marks(root, 'chains');
    expect(lines.length).toBe(4);
    for (const name of ['Two chains', ...names]) expect(texts(root)).toContain(name);
    // Draws 0 … 59 span the width, two pixels each; the smallest value of both chains is at the bottom.
    const points = lines.slice(0, 2).map(({ attributes }) =>
      attributes
        .d!.slice(1)
        .split('L')
        .map((point) => point.split(',').map(Number)),
    );
    for (const line of points) expect(line.map(([x]) => x)).toEqual(Array.from({ length: 60 }, (_, s) => 2 * s));
    const values = draws.values(names[0]!);
    const [low, high] = [Math.min(...values.data), Math.max(...values.data)];
    for (const [c, line] of points.entries()) {
      line.forEach(([, y], s) => {
        expect(y).toBeCloseTo(100 * (1 - (values.at(c, s) - low) / (high - low)), 1);
      });
    }
  });

  it('show the first six names that are not latents unless others are set, and pairs of the first four', async () => {
    const all = ['latents[0,0]', ...Array.from({ length: 8 }, (_, k) => `p${k}`)];
    const values = (name: string) => new Matrix(Float64Array.from([1, 2, 3, all.indexOf(name)]), 2, 2);
    const draws = { names: all, chains: 2, draws: 2, divergences: [], values } as unknown as Draws;
    const shown = async (svg: Promise<string>) => {
      const found = texts(parseSvg(await svg));
      return all.filter((name) => found.some((text) => text.includes(name)));
    };
    expect(await shown(chainPlot(draws))).toEqual(all.slice(1, 7));
    expect(await shown(rankPlot(draws))).toEqual(all.slice(1, 7));
    expect(await shown(pairsPlot(draws))).toEqual(all.slice(1, 5));
    expect(await shown(chainPlot({ ...draws, names: [all[0]!] } as Draws))).toEqual([all[0]]);
  });

  it('show the ranks of each chain in 20 bins, with the counts of the chain', async () => {
    const draws = await drawn;
    const height = 200;
    const bars = marks(parseSvg(await rankPlot(draws, { names: [names[1]!], height })), 'bars');
    expect(bars.length).toBe(40);
    // All bars of a chain together stand for its 60 draws, 120 ranks in 20 bins being 6 a bin of both.
    const values = draws.values(names[1]!);
    const isBefore = (j: number, k: number) =>
      values.data[j]! < values.data[k]! || (values.data[j] === values.data[k] && j < k);
    const rankOf = (k: number) => Array.from({ length: 120 }, (_, j) => j).filter((j) => isBefore(j, k)).length;
    const counts = [0, 1].map((c) =>
      Array.from(
        { length: 20 },
        (_, bin) =>
          Array.from({ length: 60 }, (_, s) => rankOf(60 * c + s)).filter((rank) => Math.floor(rank / 6) === bin)
            .length,
      ),
    );
    const highest = Math.max(6, ...counts.flat());
    bars.forEach(({ attributes }, k) => {
      const drawnHeight = Number(/v(-?[\d.]+)/.exec(attributes.d!)![1]);
      expect(Math.abs(drawnHeight)).toBeCloseTo(
        (0.9 * (height / 2) * counts[Math.floor(k / 20)]![k % 20]!) / highest,
        1,
      );
    });
  });

  it('show pairs, with transitions that diverged in red over the others', async () => {
    const draws = await drawn;
    const { values } = draws.divergences[0] ?? { values: draws.at(1, 7) };
    const diverged: Draws = { ...draws, divergences: [{ chain: 1, draw: 7, values }] };
    const points = marks(parseSvg(await pairsPlot(diverged)), 'points');
    expect(points.length).toBe(120);
    const red = points.filter(({ attributes }) => attributes.fill === '#d62728');
    expect(red).toEqual([points.at(-1)]);
    await expect(pairsPlot(draws, { names: [names[0]!] })).rejects.toThrow(/two names/);
    await expect(chainPlot(draws, { names: ['mapping.nois'] })).rejects.toThrow(/'mapping.noise'/);
    await expect(rankPlot({} as never)).rejects.toThrow(/what draw returned/);
  });

  it('show a predictive check: all replications, and the observed value where it lies', async () => {
    const check = checkPredictive(await drawn, ({ data }) => Math.max(...data), { draws: 50 });
    const root = parseSvg(await predictivePlot(check, { statistic: 'largest entry', height: 100, width: 200 }));
    const heights = marks(root, 'bars').map(({ attributes }) =>
      Math.abs(Number(/v(-?[\d.]+)/.exec(attributes.d!)![1])),
    );
    const [most] = [Math.max(...heights)];
    expect(most).toBe(100);
    const all = [check.observed, ...check.replicated];
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const [, left, from, right, to] = /M([\d.]+),([\d.]+)L([\d.]+),([\d.]+)/
      .exec(marks(root, 'observed')[0]!.attributes.d!)!
      .map(Number);
    expect(left).toBeCloseTo((200 * (check.observed - low)) / (high - low), 1);
    expect([right, from, to]).toEqual([left, 100, 0]);
    expect(texts(root).join()).toMatch('largest entry');
  });

  it('show points with turned ellipses of two deviations; a diagonal covariance gives the ellipses of its variances', async () => {
    const latents = [
      [0, 0],
      [4, 3],
      [1, 2],
    ];
    const diagonal = latents.map(() => [
      [0.04, 0],
      [0, 0.01],
    ]);
    const options = { latents, width: 300, height: 300, equalScales: true };
    const outlines = async (more: object) =>
      marks(parseSvg(await latentPlot({ ...options, ...more })), 'ellipses').map(({ attributes }) => attributes.d);
    expect(await outlines({ covariances: diagonal })).toEqual(
      await outlines({ variances: latents.map(() => [0.04, 0.01]) }),
    );
    // Variance 0.09 along (1, 1), 0.01 across: up to the right on the screen is turned by −45 degrees.
    const turned = latents.map(() => [
      [0.05, 0.04],
      [0.04, 0.05],
    ]);
    const [path] = await outlines({ covariances: turned });
    const [, long, short, degrees] = /A([\d.]+),([\d.]+),(-?[\d.]+)/.exec(path!)!.map(Number);
    expect(long! / short!).toBeCloseTo(3, 1);
    expect(degrees).toBe(-45);
    await expect(latentPlot({ ...options, covariances: turned.slice(1) })).rejects.toThrow(/as many covariances/);
    await expect(latentPlot({ ...options, covariances: [[[1]], [[1]], [[1]]] })).rejects.toThrow(/2×2/);
  });
});
