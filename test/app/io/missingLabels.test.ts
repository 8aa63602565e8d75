import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pipeFlow } from '../../../src/app/data/index.ts';
import { readLabels } from '../../../src/app/io/index.ts';
import {
  dgplvm,
  evaluate,
  gplrf,
  labelGraph,
  Matrix,
  type MatrixLike,
  nearestNeighborError,
  type Projection,
} from '../../../src/index.ts';
import { nearestNeighborScore } from '../../../src/inference/index.ts';
import { latentfield } from '../cli/latentfield.ts';
import { temporaryFolder } from './folder.ts';

const { observations } = pipeFlow({ points: 24, seed: 1 });
const kinds = Array.from({ length: 24 }, (_, i) => (i % 4 === 3 ? '' : i % 2 === 0 ? 'x' : 'y'));
const written = kinds.map((kind, i) => (kind === '' ? ['NA', '', 'null', '?', 'NaN', '-'][i % 6]! : kind));
const rows = observations.toArrays();
const header = [...rows[0]!.map((_, j) => `y${j}`), 'kind'].join(',');
const csv = [header, ...rows.map((row, i) => [...row, written[i]].join(','))].join('\n');

describe('a label that is missing', () => {
  it.each(['pca', 'gplvm', 'gplrf', 'dgplvm'])('does not count as a class for %s, and is gray', async (model) => {
    const { path, write } = temporaryFolder();
    const table = write('t.csv', csv);
    const out = join(path, 'out');
    const args = ['--model', model, '--dim', '2', '--max-iterations', '2', '--seed', '1'];
    const ran = await latentfield(['fit', table, ...args, '--labels', 'kind', '--out', out]);
    expect(ran).toMatchObject({ exitCode: 0 });
    const { table: kept, objective } = JSON.parse(readFileSync(join(out, 'fit.json'), 'utf8'));
    expect(kept.labels).toEqual(kinds);
    const make = { gplrf, dgplvm }[model];
    if (make !== undefined) {
      const own = (labels: string[]) => evaluate(make(observations, labels, { latentDim: 2 })).objective;
      expect(own(written)).toBe(own(kinds));
      expect(own(written)).not.toBe(own(written.map((label) => (label === '?' ? 'other' : label))));
      expect(Number.isFinite(objective)).toBe(true);
    }
    const picture = readFileSync(join(out, 'plot.svg'), 'utf8');
    expect(picture).toContain('>(none)<');
    expect(picture).not.toMatch(/>(NA|null|NaN|\?)</);
  });

  it('is treated as missing in a program too, in the forms that tables use', () => {
    expect(nearestNeighborError([[0], [0.1], [1], [5], [6]], ['a', 'NA', 'a', 'b', 'b'])).toBe(0);
    for (const text of ['NaN', 'n/a', 'null', 'None', '?', ' - ']) {
      expect(labelGraph(['a', text, 'a', text]).sources, text).toEqual(Int32Array.of(0));
    }
    expect(labelGraph(['a', 'other', 'a', 'other']).sources).toEqual(Int32Array.of(0, 1));
  });

  it('is neither scored nor a neighbor', async () => {
    expect(nearestNeighborError([[0], [0.1], [1], [5], [6]], ['a', '', 'a', 'b', 'b'])).toBe(0);
    expect(nearestNeighborError([[0], [0.1], [1], [5]], ['a', null, 'b', undefined])).toBe(1);
    expect(() => nearestNeighborError([[0], [1]], ['a', Number.NaN])).toThrow(/2 labeled points at least/);
    // Training points at 0, 1, 5, 9, of which that at 1 has no label; held-out points at 1.1, 4.9 and 8, of which the last has none.
    const score = nearestNeighborScore([[0], [1], [5], [9], [1.1], [4.9], [8]], ['a', '', 'b', 'b', 'a', 'a', 'NaN']);
    const split = { training: Int32Array.of(0, 1, 2, 3), held: Int32Array.of(4, 5, 6) };
    const latents = Matrix.from([[0], [1], [5], [9]]);
    const project = async (Y: MatrixLike) => {
      const placed = Matrix.from(Y);
      return { latents: placed, logDensity: new Float64Array(placed.rows) } as Projection;
    };
    expect(await score.of({ latents, objective: 0, project }, split)).toBe(0.5);
  });

  it('does not stop select and score of the command line', async () => {
    const { path, write } = temporaryFolder();
    const table = write('t.csv', csv);
    const selected = await latentfield([
      'select',
      table,
      '--model',
      'pca',
      '--labels',
      'kind',
      '--grid',
      '{"latentDim":[1,2]}',
    ]);
    expect(selected).toMatchObject({ exitCode: 0 });
    const out = join(path, 'out');
    await latentfield(['fit', table, '--model', 'pca', '--labels', 'kind', '--out', out]);
    const scored = await latentfield(['score', out, '--data', table, '--labels', 'kind']);
    expect(scored.stdout).toMatch(/of 18 labeled points/);
  });

  it('is a blank line of a file of labels', async () => {
    const { write } = temporaryFolder();
    const labels = ['x', '', 'y', 'NA', '', 'x', ''];
    const expected = ['x', '', 'y', '', '', 'x', ''];
    expect(await readLabels(write('a.csv', `${labels.join('\n')}\n`), { count: 7 })).toEqual(expected);
    expect(await readLabels(write('b.csv', `kind\r\n${labels.join('\r\n')}\r\n`), { count: 7 })).toEqual(expected);
    expect(await readLabels(write('c.csv', `kind\n\nx\ny\n\n`), { count: 2 })).toEqual(['x', 'y']);
    expect(await readLabels(write('d.csv', 'x\n"a\n\nb"\n\ny\n'), { count: 4 })).toEqual(['x', 'a\n\nb', '', 'y']);
    await expect(readLabels(write('e.csv', 'x\n\ny\n'), { count: 5 })).rejects.toThrow(
      'contains 2 labels, but there are 5',
    );
  });
});
