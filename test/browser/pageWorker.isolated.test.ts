import { readFileSync } from 'node:fs';
import { fit, gplvm, Matrix, pca } from 'latentfield';
import { LEAST_TRUSTWORTHINESS, localScores } from 'latentfield/inference';
import { parseTable } from 'latentfield/io';
import { comparedRows } from 'latentfield/models';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Answers, Reply, Request } from '../../web/playground/page.worker.ts';
import { DEFAULTS } from '../../web/playground/settings.ts';

/** 178 wines of three growers, 13 measurements in units that differ a thousandfold (Aeberhard & Forina, UCI, CC BY 4.0). */
const bytes = new Uint8Array(readFileSync(new URL('../tables/wine.csv', import.meta.url)));
const settings = { ...DEFAULTS, set: 'own', labels: 'class', maxIterations: 200 };

/** Requests to all workers that wait for their replies: workers in one thread share `self`. */
const answers = new Map<number, (reply: Reply) => void>();
let count = 0;

/** The worker of the page, within this thread. */
async function startedWorker() {
  let listen: (event: { data: unknown }) => Promise<void> = async () => {};
  vi.stubGlobal('self', {
    addEventListener: (_: string, listener: typeof listen) => {
      listen = listener;
    },
    postMessage: (reply: Reply) => 'id' in reply && answers.get(reply.id)!(reply),
  });
  vi.resetModules();
  await import('../../web/playground/page.worker.ts');
  return <K extends keyof Answers>(request: Extract<Request, { kind: K }>): Promise<Answers[K]> =>
    new Promise((resolve, reject) => {
      const id = count++;
      answers.set(id, (reply) =>
        'error' in reply ? reject(new Error(reply.error)) : resolve((reply as { value: Answers[K] }).value),
      );
      listen({ data: { id, request } });
    });
}

describe('the worker of the playground, given columns in different units', () => {
  let ask: Awaited<ReturnType<typeof startedWorker>>;
  let rows: Matrix;
  let latents: Matrix;
  let components: Matrix;
  beforeAll(async () => {
    const { observations, columns, labels } = await parseTable(bytes, 'wine.csv', { labels: 'class' });
    const result = await fit(gplvm(observations, { latentDim: 2 }), { maxIterations: 200, seed: 0 });
    rows = await comparedRows(result);
    latents = result.latents;
    components = (await fit(pca(rows, { latentDim: 2 }))).latents;
    ask = await startedWorker();
    const given = { columns, labels, labelColumn: 'class', ids: undefined, idColumn: 'id' };
    const { data, rows: N, columns: D } = observations;
    await ask({ kind: 'fit', settings, rows: { ...given, observations: { data, rows: N, columns: D } } });
  });

  it('compares rows in the units of the fit: trustworthiness 0.948, 9 rows in doubt by the rule of assess', async () => {
    const compared = (await ask({ kind: 'compared' }))!;
    expect(compared.rows.data).toEqual(rows.data);
    const found = await ask({ kind: 'scores', Y: compared.rows, X: latents, labels: undefined });
    const expected = localScores(rows, latents, { neighbors: 10 });
    expect(found.trustworthiness).toBe(expected.overall.trustworthiness);
    expect(found.trustworthiness!.toFixed(3)).toBe('0.948');
    const { trustworthiness } = found.byRow!;
    expect(trustworthiness).toEqual(expected.pointwise.trustworthiness);
    expect(trustworthiness.filter((value) => value < LEAST_TRUSTWORTHINESS)).toHaveLength(9);
  });

  it('measures differences of rows of the table by the deviations that the fit divides by', async () => {
    const { unit } = (await ask({ kind: 'compared' }))!;
    const { observations } = await parseTable(bytes, 'wine.csv', { labels: 'class' });
    for (const j of [0, 7, 12]) {
      const column = observations.column(j);
      const mean = column.reduce((a, b) => a + b) / column.length;
      const variance = column.reduce((sum, value) => sum + (value - mean) ** 2, 0) / column.length;
      expect(unit[j]! / Math.sqrt(variance)).toBeCloseTo(1, 12);
    }
  });

  it('keeps settings and limits of rounds in a saved fit, which loads with the same units and scores', async () => {
    const text = await ask({ kind: 'json' });
    expect(JSON.parse(text).table.page).toEqual({ settings, rounds: [200] });
    const again = await startedWorker();
    const opened = await again({ kind: 'open', text });
    expect(opened.settings).toEqual(settings);
    expect((await again({ kind: 'compared' }))!.rows.data).toEqual(rows.data);
    // Saved and opened once more.
    const twice = await startedWorker();
    expect((await twice({ kind: 'open', text: await again({ kind: 'json' }) })).settings).toEqual(settings);
  });

  it('scores 2000 of more than 3000 rows', { tags: 'long' }, async () => {
    const Y = Matrix.from(Array.from({ length: 3600 }, (_, i) => [i % 60, Math.floor(i / 60), 0]));
    const X = Matrix.from(Y.toArrays().map(([a, b]) => [a!, b!]));
    const found = await ask({ kind: 'scores', Y, X, labels: undefined });
    expect(found).toMatchObject({ trustworthiness: 1, scored: 2000, byRow: undefined });
  });

  it('gives PCA the units of the fit', async () => {
    const found = await ask({ kind: 'scores', Y: rows, X: components, labels: undefined });
    expect(found.trustworthiness).toBe(localScores(rows, components, { neighbors: 10 }).overall.trustworthiness);
  });
});
