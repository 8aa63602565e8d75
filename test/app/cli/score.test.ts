import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeTable } from '../../../src/app/io/index.ts';
import { continuity, type Fit, fit, gplvm, Matrix, nearestNeighborError, trustworthiness } from '../../../src/index.ts';
import { latentfield, prepared } from './latentfield.ts';

/** A folder with a fit at its start, as `latentfield fit` leaves it, and the data with and without labels. */
async function fitted() {
  const { path, write, data, flow, observations } = await prepared();
  const result: Fit = await fit(gplvm(observations, { latentDim: 2 }), { maxIterations: 0 });
  write('fit.json', JSON.stringify(result.toJSON()));
  const labels = write('labels.csv', flow.map((label) => `${label}\n`).join(''));
  return { path, write, data, labels, flow, observations, result };
}

describe('latentfield score', () => {
  it('gives the objective alone', async () => {
    const { path, result } = await fitted();
    expect(await latentfield(['score', path])).toMatchObject({
      exitCode: 0,
      stdout: `gplvm: 30 points, maxIterations\nobjective ${result.objective}\n`,
      stderr: '',
    });
    const ran = await latentfield(['score', path, '--json']);
    expect(JSON.parse(ran.stdout)).toEqual({
      model: 'gplvm',
      objective: result.objective,
      status: 'maxIterations',
      points: 30,
    });
  });

  it('gives the nearest-neighbor error with labels, trustworthiness and continuity with data', async () => {
    const { path, data, labels, flow, observations, result } = await fitted();
    const { latents } = result;
    const error = nearestNeighborError(latents, flow);
    expect(error).toBeGreaterThan(0);
    const scores = {
      labeled: 30,
      nearestNeighborError: error,
      neighbors: 4,
      trustworthiness: trustworthiness(observations, latents, 4),
      continuity: continuity(observations, latents, 4),
    };
    for (const given of ['flow', '12', labels]) {
      const args = ['score', path, '--data', data, '--labels', given, '--neighbors', '4'];
      // With a file of labels, the data must be numbers alone.
      if (given === labels) {
        const numbers = join(path, 'numbers.csv');
        await writeTable(
          numbers,
          observations,
          Array.from({ length: 12 }, (_, j) => `y${j}`),
        );
        args[3] = numbers;
      }
      const ran = await latentfield([...args, '--json']);
      expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
      expect(JSON.parse(ran.stdout)).toMatchObject(scores);
      const lines = (await latentfield(args)).stdout.split('\n');
      expect(lines.slice(2, 5)).toEqual([
        `nearest-neighbor error ${error} (${Math.round(30 * error)} of 30 labeled points take another label from the nearest other one among the latents)`,
        `trustworthiness ${scores.trustworthiness} (4 neighbors)`,
        `continuity ${scores.continuity} (4 neighbors)`,
      ]);
    }
    const alone = JSON.parse((await latentfield(['score', path, '--labels', labels, '--json'])).stdout);
    expect(alone.nearestNeighborError).toBe(error);
    expect(alone).not.toHaveProperty('trustworthiness');
  });

  it('leaves points without a label out of the error', async () => {
    const { path, write, flow, result } = await fitted();
    const labels = write('some.csv', flow.map((label, i) => `${i < 12 ? 'NaN' : label}\n`).join(''));
    const { stdout } = await latentfield(['score', path, '--labels', labels, '--json']);
    const rest = Matrix.from(result.latents.toArrays().slice(12));
    expect(JSON.parse(stdout)).toMatchObject({
      labeled: 18,
      nearestNeighborError: nearestNeighborError(rest, flow.slice(12)),
    });
  });

  it('ends with 2 for wrong input', async () => {
    const { path, write, data, labels, flow } = await fitted();
    const short = write('short.csv', '1,2,3\n4,5,6\n7,8,9\n');
    const few = write('few.csv', flow.map((label, i) => `${i > 0 ? 'NaN' : label}\n`).join(''));
    const cases: [readonly string[], string][] = [
      [[], "missing required argument 'dir'"],
      [[join(path, 'absent')], 'contains no fit.json. Give the folder'],
      [
        [path, '--labels', 'flow'],
        "There is no file 'flow' of labels. Give one, or --data with a column of that name.",
      ],
      [[path, '--neighbors', '3'], '--neighbors is for trustworthiness and continuity, which take --data.'],
      [[path, '--data', data, '--neighbors', '0'], 'It must be a whole number from 1.'],
      [[path, '--data', data, '--labels', 'flow', '--neighbors', '15'], 'less than N/2 = 15, but 15 was given'],
      [[path, '--data', short], 'The fit has 30 points, but the data have 3 rows. Give the data that were fitted.'],
      [[path, '--data', data, '--labels', 'kind'], "has no column 'kind' for the labels"],
      [[path, '--labels', short], 'has 3 columns, but labels are a single one'],
      [[path, '--labels', few], 'A nearest-neighbor error takes 2 labeled points, but there are 1.'],
      [[path, '--labels', labels, '--k', '3'], "unknown option '--k'"],
    ];
    for (const [args, message] of cases) {
      const ran = await latentfield(['score', ...args]);
      expect(ran.stderr).toContain(message);
      expect(ran.stdout).toBe('');
      expect(ran.exitCode).toBe(2);
    }
  });
});
