import {
  assess,
  defineKernel,
  dgplvm,
  fit,
  gplvm,
  isomap,
  loadFit,
  Matrix,
  meu,
  pca,
  ppca,
  seededRandom,
  tsne,
} from 'latentfield';
import { localScores } from 'latentfield/inference';
import { isAtNoiseFloor } from 'latentfield/models';
import { describe, expect, it, vi } from 'vitest';
import { assessmentPage } from '../../src/app/plot/index.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import type { Tensor2D } from '../../src/engine/tensors/tensorflow.ts';
import {
  aTenth,
  calibrationOf,
  heldOutEntries,
  rowwise,
  withHidden,
} from '../../src/inference/assessment/calibration.ts';
import { aligned, stabilityOf } from '../../src/inference/assessment/stability.ts';
import { refitModel } from '../../src/models/refit.ts';

const noiseOf = (seed: number, N = 120, D = 6) => {
  const random = seededRandom(seed);
  return Matrix.from(Array.from({ length: N }, () => Array.from({ length: D }, () => random.normal())));
};
/** Rows of a linear model with two latent dimensions. */
const planeOf = (seed: number, N = 120, D = 6, noise = 0.3) => {
  const random = seededRandom(seed);
  const W = Array.from({ length: D }, () => [random.normal(), random.normal()]);
  return Matrix.from(
    Array.from({ length: N }, () => {
      const z = [random.normal(), random.normal()];
      return W.map((w) => w[0]! * z[0]! + w[1]! * z[1]! + noise * random.normal());
    }),
  );
};
const few = { starts: 0, bootstraps: 2, dimensions: [] };

describe('an assessment of pure noise', () => {
  it.each([1, 2, 3, 4, 5, 6])('concludes that the map shows nothing, for any model (table %i)', async (seed) => {
    const Y = noiseOf(seed);
    for (const model of [pca(Y, { latentDim: 2 }), ppca(Y, { latentDim: 2 }), isomap(Y, { latentDim: 2 })]) {
      const { findings, structure, doubtful } = await assess(await fit(model), few);
      expect(structure!.isShown).toBe(false);
      expect(findings[0]).toMatchObject({ code: 'nothing', text: expect.stringContaining('shows nothing') });
      expect(doubtful).toHaveLength(120);
    }
  });

  it('concludes so for a Gaussian process and for a neighbor embedding too', { tags: 'long' }, async () => {
    const Y = noiseOf(7, 60, 5);
    for (const model of [gplvm(Y, { latentDim: 2 }), tsne(Y, { perplexity: 10 })]) {
      const { structure } = await assess(await fit(model), { ...few, fit: { maxIterations: 50 } });
      expect(structure!.isShown).toBe(false);
    }
  });

  it('concludes so for a map without any relation to structured data', async () => {
    const Y = planeOf(3);
    const map = await fit(pca(noiseOf(8), { latentDim: 2 }));
    const { structure } = await assess(map, { ...few, bootstraps: 0, observations: Y });
    expect(structure!.isShown).toBe(false);
    expect(structure!.difference).toBeGreaterThan(0.1);
  });
});

describe('an assessment of a plane in six dimensions', () => {
  const Y = planeOf(11);
  it('concludes that intervals cover, the number of dimensions is right and nothing speaks against the map', async () => {
    const result = await fit(ppca(Y, { latentDim: 2 }));
    const steps: [number, number][] = [];
    const found = await assess(result, { bootstraps: 5, onProgress: (done, total) => steps.push([done, total]) });
    expect(found.structure).toMatchObject({ isShown: true, by: 'heldOut' });
    expect(found.supportedDim).toBe(2);
    expect(found.dimensions.map(({ latentDim }) => latentDim)).toEqual([1, 2, 3]);
    expect(found.dimensions[0]!.behind).toBeGreaterThan(5 * found.dimensions[0]!.behindSe);
    for (const { level, coverage, se } of found.calibration!.coverage) {
      expect(Math.abs(coverage - level)).toBeLessThan(Math.max(4 * se, 0.06));
    }
    expect(found.findings).toEqual([{ code: 'sound', text: expect.any(String) }]);
    expect(found.notAssessed['stability over starts']).toContain('does not depend on a start');
    // Three fits with the same map from each start, then five times three numbers of dimensions.
    expect(steps.at(-1)).toEqual([18, 18]);
    expect(found.scores).toEqual(localScores(Y, result.latents));
    const text = String(found);
    for (const { score } of found.summary()) expect(text).toContain(score);
    expect(text).toContain('→ 2');
  });

  it('concludes that one dimension is too few', async () => {
    const found = await assess(await fit(ppca(Y, { latentDim: 1 })), { starts: 0, dimensions: [2, 3] });
    expect(found.supportedDim).toBe(2);
    expect(found.findings.find(({ code }) => code === 'dimensions')!.text).toContain(
      'support 2 latent dimensions, not 1',
    );
  });

  it('reports a noise at its lower limit as intervals that are too narrow, in opened fits too', async () => {
    const distinct = planeOf(3, 8).toArrays();
    const result = await fit(gplvm([...distinct, ...distinct, ...distinct], { latentDim: 2 }), { maxIterations: 1000 });
    expect(result.status).toBe('converged');
    expect(result.message).toContain('The noise reached its lower limit');
    expect([result, await loadFit(result.toJSON())].map((each) => isAtNoiseFloor(each))).toEqual([true, true]);
    const { findings } = await assess(result, { starts: 0, bootstraps: 0, dimensions: [] });
    const codes = findings.map(({ code }) => code);
    expect(codes).toContain('noise');
    expect(codes).not.toContain('sound');
    const others = [pca(Y, { latentDim: 2 }), gplvm(Y, { latentDim: 2 }), tsne(Y, { perplexity: 10 })];
    for (const model of others) expect(isAtNoiseFloor(await fit(model, { maxIterations: 5 }))).toBe(false);
  });

  it('has labels, moved starts and a page that shows all of it', { tags: 'long' }, async () => {
    const labels = Array.from(Y.column(0), (entry) => (entry > 0 ? 'high' : 'low & <rest>'));
    const result = await fit(gplvm(Y, { latentDim: 2 }), { maxIterations: 20 });
    const found = await assess(result, { labels, starts: 2, bootstraps: 1, dimensions: [] });
    expect(found.labels!.nearestNeighborError).toBeLessThan(0.25);
    expect(found.starts!.maps).toBe(2);
    expect(found.bootstraps!.pointwise.overlap.filter(Number.isNaN).length).toBeGreaterThan(20);
    // Fits that reached their limit are repeated with it.
    expect(found.findings[0]!.code).toBe('ended');
    const page = await assessmentPage({ assessment: found, latents: result.latents, labels });
    expect(page.match(/<svg/g)!.length).toBeGreaterThanOrEqual(6);
    expect(page).toContain('low &amp; &lt;rest&gt;');
    expect(page).not.toContain('<script');
    for (const { text } of found.findings) expect(page).toContain(text.slice(0, 40));
    await expect(assessmentPage({ assessment: found, latents: Y.toArrays().slice(1) })).rejects.toThrow('119 latents');
  });

  it('has a page whose curve of neighborhoods kept runs from the first to the last K over the whole width', async () => {
    const result = await fit(pca(planeOf(11, 30), { latentDim: 2 }));
    const found = await assess(result, { ...few, bootstraps: 0 });
    const page = await assessmentPage({ assessment: found, latents: result.latents });
    const [, width, height, drawn] = /viewBox="0 0 (\d+) (\d+)"[^>]*><polyline points="([^"]*)"/.exec(page)!;
    const points = drawn!.split(' ').map((point) => point.split(',').map(Number));
    const { rescaled } = found.scores.coRanking;
    const y = (kept: number) => Number((Number(height) * (1 - kept)).toFixed(1));
    expect([points[0], points.at(-1)]).toEqual([
      [0, y(rescaled[0]!)],
      [Number(width), y(rescaled.at(-1)!)],
    ]);
  });

  it('estimates at its start, and after each fit, about how long the rest takes', { tags: 'long' }, async () => {
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    const slow = defineKernel({
      name: 'slow',
      parameters: { variance: 1, lengthscale: 1 },
      covariance: (p, A, B) => {
        now += A.shape[0] * B.shape[0];
        const squares = op.div(op.squaredDistances(A, B), op.square(p.lengthscale));
        return op.mul<Tensor2D>(p.variance, op.exp(op.mul(-0.5, squares)));
      },
    });
    const model = gplvm(planeOf(5, 24), { latentDim: 2, kernel: slow() });
    const result = await fit(model, { maxIterations: 10, threads: 1 });
    const told: { readonly at: number; readonly left: number }[] = [];
    const onProgress = (_: number, __: number, left: number) => void told.push({ at: now / 1000, left });
    await assess(result, { own: { kernels: { slow } }, fit: { threads: 1 }, onProgress }).finally(() =>
      clock.mockRestore(),
    );
    expect(told).toHaveLength(16);
    expect(told.at(-1)!.left).toBe(0);
    for (const { at, left } of told.slice(0, -1)) {
      const taken = told.at(-1)!.at - at;
      expect(Math.abs(Math.log2(left / taken))).toBeLessThan(1);
    }
  });

  it('is the same twice, and stops on request', async () => {
    const result = await fit(ppca(Y, { latentDim: 2 }));
    expect(String(await assess(result, few))).toBe(String(await assess(result, few)));
    const stop = new AbortController();
    const under = assess(result, { ...few, signal: stop.signal, onProgress: () => stop.abort('enough') });
    await expect(under).rejects.toBe('enough');
  });

  it('lists its open questions, and explains invalid input', async () => {
    const sequence = await fit(gplvm(Y, { latentDim: 2, dynamics: true }), { maxIterations: 2 });
    const { notAssessed, bootstraps } = await assess(sequence, few);
    expect(bootstraps).toBeUndefined();
    expect(notAssessed['stability over rows and held-out entries']).toContain('a sequence (dynamics)');
    const result = await fit(pca(Y, { latentDim: 2 }));
    await expect(assess(result, { neighbors: 30 })).rejects.toThrow('fewer neighbors than a quarter');
    await expect(assess(result, { observations: Y.toArrays().slice(1) })).rejects.toThrow('119 rows of observations');
    await expect(assess(result, { labels: ['a'] })).rejects.toThrow('1 labels were given');
    await expect(assess(result, { bootstrap: 3 } as never)).rejects.toThrow("Did you mean 'bootstraps'?");
    await expect(assess({} as never)).rejects.toThrow('assess takes what fit returned');
  });
});

describe('calibration', () => {
  it('covers what normal predictions should, and sees intervals that are too narrow', () => {
    const random = seededRandom(2);
    const entry = (row: number, factor: number) => {
      const [mean, deviation] = [random.normal(), 0.5 + random.uniform()];
      const value = mean + deviation * random.normal();
      return { row, column: 0, value, mean, deviation: factor * deviation, columnMean: 0, columnDeviation: 1 };
    };
    const rows = Array.from({ length: 5000 }, (_, i) => i);
    const right = calibrationOf(rows.map((row) => entry(row, 1)))!;
    for (const { level, coverage, se } of right.coverage) {
      expect(se).toBeCloseTo(Math.sqrt((level * (1 - level)) / 5000), 3);
      expect(Math.abs(coverage - level)).toBeLessThan(4 * se);
    }
    for (const share of right.pit) expect(Math.abs(share - 0.1)).toBeLessThan(0.02);
    const narrow = calibrationOf(rows.map((row) => entry(row, 0.5)))!;
    // P(|z| < 1.645/2)
    expect(narrow.coverage[2]!.coverage).toBeCloseTo(0.589, 1);
    expect(narrow.coverage[2]!.intervalScore).toBeGreaterThan(right.coverage[2]!.intervalScore);
    expect(narrow.pit[0]! + narrow.pit[9]!).toBeGreaterThan(0.4);
    expect(calibrationOf([])).toBeUndefined();
  });

  it('hides a third of the entries of each row and predicts these only', () => {
    const Y = planeOf(4, 30, 6);
    Y.data[3] = Number.NaN;
    const shown = withHidden(Y, seededRandom(1));
    const hidden = Array.from({ length: 30 }, (_, i) => shown.row(i).filter(Number.isNaN).length);
    expect(hidden).toEqual([3, ...new Array(29).fill(2)]);
    const prediction = { mean: Matrix.zeros(30, 6), variance: new Matrix(new Float64Array(180).fill(4), 30, 6) };
    const entries = heldOutEntries(
      Y,
      shown,
      prediction,
      Array.from({ length: 30 }, (_, i) => 100 + i),
      Y,
    );
    expect(entries).toHaveLength(60);
    expect(
      entries.every(({ deviation, row, value, column }) => deviation === 2 && Y.at(row - 100, column) === value),
    ).toBe(true);
  });

  it('takes entries of one row as dependent in its standard errors', () => {
    const twice = [0, 0, 1, 1, 2, 2].map((row) => ({ row }));
    const alone = [0, 1, 2].map((row) => ({ row }));
    expect(rowwise(twice, [1, 1, 2, 2, 6, 6])).toEqual(rowwise(alone, [1, 2, 6]));
    expect(rowwise(alone, [1, 2, 6]).se).toBeCloseTo(Math.sqrt(14 / 2 / 3), 12);
  });
});

describe('stability', () => {
  it('does not see a turn, a reflection, a shift and a scale', () => {
    const X = noiseOf(5, 40, 2);
    const [c, s] = [Math.cos(1), Math.sin(1)];
    const turned = Matrix.from(X.toArrays().map(([a, b]) => [3 * (c * a! - s * b!) + 7, -3 * (s * a! + c * b!) - 2]));
    const { disparity, displacement } = aligned(X, turned);
    expect(disparity).toBeLessThan(1e-14);
    expect(Math.max(...displacement)).toBeLessThan(1e-12);
    expect(stabilityOf(X, [{ points: Int32Array.from(X.toArrays().keys()), latents: turned }], 5)!.overlap).toBe(1);
  });

  it('is the Procrustes statistic of SciPy where maps differ', () => {
    // scipy.spatial.procrustes([[0,0],[1,0],[1,2],[0,3]], [[0,0],[2,0],[1,1],[0,5]])
    const X = Matrix.from([
      [0, 0],
      [1, 0],
      [1, 2],
      [0, 3],
    ]);
    const other = Matrix.from([
      [0, 0],
      [2, 0],
      [1, 1],
      [0, 5],
    ]);
    const { disparity, displacement } = aligned(X, other);
    expect(disparity).toBeCloseTo(SCIPY_DISPARITY, 12);
    // What is left after the alignment, in squares of the root mean square radius.
    expect(displacement.reduce((sum, d) => sum + d * d, 0) / 4).toBeCloseTo(SCIPY_DISPARITY, 12);
  });
});
const SCIPY_DISPARITY = 0.20906492445896285;

describe('a model made again', () => {
  it('is the model of the rows, labels among them, or of other dimensions', async () => {
    const Y = planeOf(6, 20, 4);
    const labels = Array.from({ length: 20 }, (_, i) => (i % 3 === 0 ? 'a' : 'b'));
    const { model } = (await fit(dgplvm(Y, labels, { latentDim: 2 }), { maxIterations: 1 })).toJSON();
    const rows = Int32Array.from([0, 1, 4, 7, 9, 12, 15, 18]);
    const some = refitModel(model, { rows }).toJSON() as unknown as Record<string, { arguments: [number[]] }[]> & {
      observations: number[][];
    };
    expect(some.observations).toEqual(Array.from(rows, (i) => Array.from(Y.row(i))));
    expect(some.priors![0]!.arguments[0]).toHaveLength(8);
    const three = refitModel((await fit(gplvm(Y, { latentDim: 2 }), { maxIterations: 1 })).toJSON().model, {
      latentDim: 3,
    });
    expect((await fit(three, { maxIterations: 0 })).latents.columns).toBe(3);
  });
});

describe('an assessment of a table with missing entries', () => {
  const holed = (Y: Matrix, seed: number) => {
    const { uniform } = seededRandom(seed);
    return new Matrix(
      Y.data.map((entry) => (uniform() < 0.2 ? Number.NaN : entry)),
      Y.rows,
      Y.columns,
    );
  };
  const only = { starts: 0, bootstraps: 0, shuffled: 0, dimensions: [] };

  it('hides a tenth of the observed entries of fitted rows, and counts the intervals that contain them', async () => {
    const Y = holed(planeOf(21, 200, 8), 1);
    const steps: number[] = [];
    const result = await fit(ppca(Y, { latentDim: 2, missing: 'ignore' }));
    const found = await assess(result, { ...only, onProgress: (done, total) => void steps.push(done, total) });
    expect(steps).toEqual([0, 1, 1, 1]);
    const { entries, coverage } = found.holes!;
    const observed = Y.data.filter((entry) => !Number.isNaN(entry)).length;
    expect(Math.abs(entries / observed - 0.1)).toBeLessThan(0.02);
    const ninety = coverage.find(({ level }) => level === 0.9)!;
    expect(Math.abs(ninety.coverage - 0.9)).toBeLessThan(3 * ninety.se);
    expect(String(found)).toMatch(/coverage of 90 %, holes +0?\.\d+ +± .* entries hidden in \d+ rows/);
    expect(found.notAssessed).not.toHaveProperty('intervals of missing entries');
  });

  for (const [name, make] of [
    ['meu', (Y: Matrix) => meu(Y, { latentDim: 2, missing: 'ignore' })],
    // Each row is filled in by a map of the others.
    ['gplvm', (Y: Matrix) => gplvm(Y, { latentDim: 2, missing: 'ignore' })],
  ] as const) {
    it(`counts what a fit without these entries fills in: ${name}`, { tags: 'long' }, async () => {
      const Y = holed(planeOf(22, 24, 5), 2);
      const few = { maxIterations: 10 };
      const found = (await assess(await fit(make(Y), few), { ...only, fit: few })).holes!;
      const hidden = withHidden(Y, seededRandom(0), aTenth);
      const { mean, variance } = await (await fit(make(hidden), few)).impute(hidden);
      let [inside, count] = [0, 0];
      Y.data.forEach((y, at) => {
        if (Number.isNaN(y) || !Number.isNaN(hidden.data[at]!)) return;
        count++;
        if (Math.abs(y - mean.data[at]!) <= 1.6448536269514722 * Math.sqrt(variance.data[at]!)) inside++;
      });
      expect(found.entries).toBe(count);
      expect(found.coverage.find(({ level }) => level === 0.9)!.coverage).toBeCloseTo(inside / count, 12);
    });
  }

  it('fits no more where nothing is missing, except on request, and explains why it cannot', async () => {
    const plane = planeOf(23, 60, 6);
    const complete = await fit(ppca(plane, { latentDim: 2, missing: 'ignore' }));
    expect((await assess(complete, only)).holes).toBeUndefined();
    expect((await assess(complete, { ...only, holes: 2 })).holes!.rows).toBeGreaterThan(10);
    const map = await assess(await fit(isomap(plane, { latentDim: 2 })), { ...only, holes: 1 });
    expect(map.holes).toBeUndefined();
    expect(map.notAssessed['intervals of missing entries']).toMatch(/missing|NaN/);
  });
});
