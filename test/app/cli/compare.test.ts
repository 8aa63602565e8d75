import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { latentfield, prepared } from './latentfield.ts';

async function table() {
  const { path, write, flow, observations } = await prepared();
  const data = write(
    'data.csv',
    observations
      .toArrays()
      .map((row) => `${row.join(',')}\n`)
      .join(''),
  );
  return {
    path,
    data,
    labels: write('labels.csv', flow.map((label) => `${label}\n`).join('')),
    out: join(path, 'maps'),
  };
}

describe('latentfield compare', () => {
  it('prints held-out and neighborhood scores of each model, and draws each map', async () => {
    const { data, labels, out } = await table();
    const args = [
      'compare',
      data,
      '--labels',
      labels,
      '--models',
      'ppca,gplvm,isomap',
      '--max-seconds',
      '300',
      '--out',
      out,
    ];
    const ran = await latentfield(args);
    expect(ran).toMatchObject({ exitCode: 0, messages: '' });
    const lines = ran.stdout.split('\n');
    expect(lines[0]).toMatch(
      /^model +status +seconds +held out +behind +coverage of 90 % +trustworthiness +continuity +label error +picture$/,
    );
    expect(lines.slice(1, 4).map((line) => line.split(' ')[0])).toEqual(['ppca', 'gplvm', 'isomap']);
    expect(lines[3]).toMatch(/ – +– +– /);
    for (const model of ['ppca', 'gplvm', 'isomap']) {
      expect(readFileSync(join(out, `${model}.svg`), 'utf8')).toContain('<svg');
    }
    expect(await latentfield(args)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('already exists') });
    const began = performance.now();
    const json = await latentfield([...args, '--force', '--json']);
    const whole = (performance.now() - began) / 1000;
    const { rows } = JSON.parse(json.stdout);
    expect(rows).toHaveLength(3);
    // The fits are within the command, however long it takes.
    expect(rows.reduce((sum: number, { seconds }: { seconds: number }) => sum + seconds, 0)).toBeLessThan(whole);
    expect(rows[0].heldOut).toMatchObject({ entries: expect.any(Number), se: expect.any(Number) });
    expect(rows[0].trustworthiness).toBeGreaterThan(0.5);
    expect(rows[2].heldOut).toBeUndefined();
  });

  it('compares maps of a table with missing entries by default, without the models that cannot use one', {
    tags: 'long',
  }, async () => {
    const { path, write, observations } = await prepared();
    const holed = observations.toArrays().map((row, i) => row.map((entry, j) => ((i + 3 * j) % 11 === 0 ? '' : entry)));
    const data = write('holed.csv', holed.map((row) => `${row.join(',')}\n`).join(''));
    const args = ['compare', data, '--models', 'pca,gplvm,meu', '--out', join(path, 'holedMaps')];
    const refused = await latentfield([...args, '--missing', 'error']);
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--missing ignore') });
    const ran = await latentfield([...args, '--json']);
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain('pca is left out.');
    expect(ran.stderr).toContain('gplvm fills in the missing entries for the scores of neighbors.');
    const { rows } = JSON.parse(ran.stdout);
    expect(rows.map(({ model }: { model: string }) => model)).toEqual(['gplvm', 'meu']);
    expect(rows[0].heldOut.entries).toBeGreaterThan(0);
    for (const { trustworthiness, continuity } of rows) {
      expect(trustworthiness).toBeGreaterThan(0.7);
      expect(continuity).toBeGreaterThan(0.7);
    }
  });

  it('stays within its time limit, and reports that fits were stopped', async () => {
    const { data, out } = await table();
    const began = performance.now();
    const ran = await latentfield([
      'compare',
      data,
      '--models',
      'gplvm,bayesian-gplvm',
      '--max-seconds',
      '0.2',
      '--out',
      out,
    ]);
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toMatch(/gplvm +(stopped|maxIterations|maxSeconds)/);
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(existsSync(join(out, 'bayesianGplvm.svg'))).toBe(true);
  });

  it('refuses models that learn from labels, and few rows', async () => {
    const { data, path, out } = await table();
    const labeled = await latentfield(['compare', data, '--models', 'ppca,gplrf', '--out', out]);
    expect(labeled).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('gplrf learns from the labels') });
    expect(await latentfield(['compare', data])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--out'),
    });
    expect(existsSync(join(path, 'maps'))).toBe(false);
  });
});
