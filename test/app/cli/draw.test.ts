import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fit, gplvm, loadDraws } from '../../../src/index.ts';
import { latentfield, prepared } from './latentfield.ts';

describe('latentfield draw', () => {
  const few = ['--chains', '2', '--warmup', '20', '--draws', '10', '--seed', '1'];

  it('draws hyperparameters with fixed latents, and writes them as a table and for loadDraws', async () => {
    const { path, write, observations, out } = await prepared();
    write(
      'fit.json',
      JSON.stringify((await fit(gplvm(observations, { latentDim: 2 }), { maxIterations: 20 })).toJSON()),
    );
    const args = ['draw', path, '--out', out, '--hold', 'latents', '--priors', 'weak', ...few];
    const ran = await latentfield(args);
    expect(ran.exitCode).toBe(0);
    const [head, ...rows] = readFileSync(join(out, 'draws.csv'), 'utf8').trim().split('\n');
    const again = loadDraws(JSON.parse(readFileSync(join(out, 'draws.json'), 'utf8')));
    expect(head).toBe(`chain,draw,${again.names.join(',')}`);
    expect(again.names).toContain('mapping.noise');
    expect(rows.length).toBe(20);
    expect(ran.stdout).toBe(`${again.summary()}\n`);
    expect(ran.stderr).toContain('Weak priors were added');

    for (const [name, shown] of [
      ['chains.svg', 'mapping.noise'],
      ['ranks.svg', 'rank of mapping.noise'],
      ['pairs.svg', 'mapping.noise'],
    ] as const) {
      expect(readFileSync(join(out, name), 'utf8')).toContain(shown);
      expect(ran.stderr).toContain(join(out, name));
    }
    // The latents are held: there is no map of them.
    expect(existsSync(join(out, 'map.svg'))).toBe(false);

    const refused = await latentfield(args);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch('--force');
    const { stdout } = await latentfield([...args, '--force', '--json']);
    expect(JSON.parse(stdout).summary).toEqual(JSON.parse(JSON.stringify(again.summary())));
  });

  it('names a parameter without a prior, and leaves no folder behind', async () => {
    const { path, write, observations, out } = await prepared();
    write(
      'fit.json',
      JSON.stringify((await fit(gplvm(observations, { latentDim: 1 }), { maxIterations: 0 })).toJSON()),
    );
    const ran = await latentfield(['draw', path, '--out', out, ...few]);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toMatch("'mapping.noise'");
    expect(existsSync(out)).toBe(false);
    expect((await latentfield(['draw', path, '--out', out, '--method', 'gibbs', ...few])).stderr).toMatch('nuts');
  });
});
