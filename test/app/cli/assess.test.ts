import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Fit, fit, ppca } from '../../../src/index.ts';
import { latentfield, prepared } from './latentfield.ts';

async function fitted() {
  const { path, write, flow, observations } = await prepared();
  const result: Fit = await fit(ppca(observations, { latentDim: 2 }));
  write('fit.json', JSON.stringify(result.toJSON()));
  return { path, labels: write('labels.csv', flow.map((label) => `${label}\n`).join('')) };
}

describe('latentfield assess', () => {
  it('prints findings and scores, and writes a page', async () => {
    const { path, labels } = await fitted();
    const args = ['assess', path, '--labels', labels, '--restarts', '0', '--bootstraps', '2', '--dimensions', '1'];
    const ran = await latentfield(args);
    expect(ran).toMatchObject({ exitCode: 0, stderr: '1 of 4 fits\n2 of 4 fits\n3 of 4 fits\n4 of 4 fits\n' });
    const page = join(path, 'assessment.html');
    expect(ran.stdout.startsWith('ppca: 30 points, latent dimension 2\n')).toBe(true);
    for (const score of ['trustworthiness', 'nearest-neighbor error', 'coverage of 90 %', 'behind the best']) {
      expect(ran.stdout).toContain(score);
    }
    expect(ran.stdout.endsWith(`${page}\n`)).toBe(true);
    expect(readFileSync(page, 'utf8')).toContain('Intervals of');
    // The page is not replaced unless asked for.
    expect(await latentfield(args)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('already exists') });
    const json = await latentfield([...args, '--force', '--json']);
    const { scores, dimensions, files, findings } = JSON.parse(json.stdout);
    expect(scores['coverage of 90 %'].se).toBeGreaterThan(0);
    expect(dimensions).toHaveLength(2);
    expect(files).toEqual([page]);
    expect(findings.length).toBeGreaterThan(0);
  });

  it('lists the accepted numbers of dimensions', async () => {
    const { path } = await fitted();
    const ran = await latentfield(['assess', path, '--dimensions', '1,x']);
    expect(ran).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("such as 1,3, or 'none'") });
  });
});
