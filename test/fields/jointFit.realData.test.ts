// @module-tag long
import { describe, it } from 'vitest';
import { readTable } from '../../src/app/io/index.ts';
import { sharedFile } from '../reference.ts';
import { expectJointFits } from './jointFit.ts';

// 200 points take minutes: the reproduction joint-field fits them to the end; the conditions hold at any latents.
const sets = [
  ['oil flow', 'oil_train_X.npy', 60, { distances: 300, moments: 300 }, true],
  ['the motion capture of a run', 'run1_X.npy', 55, { distances: 300, moments: 300 }, true],
  ['USPS', 'usps_X.npy', 100, { distances: 20, moments: 3 }, false],
] as const;

describe('latents fitted together with a field over them meet the conditions of the field, and are stationary within 300 evaluations', () => {
  for (const [name, file, points, most, isStationary] of sets) {
    const path = sharedFile(`data/${file}`);
    it.runIf(path)(`on ${points} rows of ${name} (shared/data/${file})`, async () => {
      const { observations } = await readTable(path!);
      const rows = Array.from({ length: points }, (_, i) => observations.row(i));
      await expectJointFits(rows, 7, most, isStationary);
    });
  }
});
