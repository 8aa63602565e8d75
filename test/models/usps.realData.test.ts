// @module-tag long
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readTable } from '../../src/app/io/index.ts';
import { fit, gplrf, kernelRegression, Matrix, seededRandom } from '../../src/index.ts';
import { sharedFile } from '../reference.ts';

const digits = sharedFile('data/usps_X.npy');
const PER_CLASS = 10;

/** The rate of test points whose nearest training point is of another class. */
function testError(X: Matrix, classes: readonly number[], Z: Matrix, expected: readonly number[]): number {
  const points = Array.from({ length: X.rows }, (_, j) => X.row(j));
  const wrong = expected.filter((label, i) => {
    const z = Z.row(i);
    const distances = points.map((x) => x.reduce((sum, entry, d) => sum + (entry - z[d]!) ** 2, 0));
    return classes[distances.indexOf(Math.min(...distances))] !== label;
  });
  return wrong.length / Z.rows;
}

describe.runIf(digits)('GPLRF of USPS, 10 digits a class (shared/data/usps_X.npy)', () => {
  it('classifies 1000 of the other digits in 9 latent dimensions better than their pixels do', async () => {
    const { observations: matrix } = await readTable(digits!);
    const bytes = new Uint8Array(readFileSync(sharedFile('data/usps_y.npy')!));
    const labels = Array.from(new Int32Array(bytes.slice(128).buffer));
    const random = seededRandom(1);
    const keys = labels.map(() => random.uniform());
    const order = labels.map((_, i) => i).sort((a, b) => keys[a]! - keys[b]!);
    const taken = new Map<number, number>();
    const training = order.filter((i) => {
      taken.set(labels[i]!, (taken.get(labels[i]!) ?? 0) + 1);
      return taken.get(labels[i]!)! <= PER_CLASS;
    });
    const test = order.filter((i) => !training.includes(i)).slice(0, 1000);
    const pixels = (rows: number[]) =>
      Matrix.from(rows.map((i) => Array.from(matrix.row(i), (entry) => (entry + 1) / 2)));
    const [Y, Ynew] = [pixels(training), pixels(test)];
    const classes = training.map((i) => labels[i]!);
    const expected = test.map((i) => labels[i]!);
    const model = gplrf(Y, classes, {
      latentDim: 9,
      strength: 100,
      backConstraint: kernelRegression({ gamma: 0.01 }),
    });
    const result = await fit(model, { maxIterations: 100 });
    const { latents } = await result.project(Ynew);
    expect(testError(result.latents, classes, latents, expected)).toBeLessThan(testError(Y, classes, Ynew, expected));
  });
});
