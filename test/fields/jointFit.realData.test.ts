import { describe, it } from 'vitest';
import { readTable } from '../../src/io/index.ts';
import { sharedFile } from '../reference.ts';
import { expectJointFits } from './jointFit.ts';

// The conditions hold at any latents, and a precision of 200 points takes seconds.
const sets = [
  ['oil flow', 'oil_train_X.npy', 60, { distances: 300, moments: 50 }],
  ['the motion capture of a run', 'run1_X.npy', 55, { distances: 300, moments: 50 }],
  ['USPS', 'usps_X.npy', 200, { distances: 100, moments: 5 }],
] as const;

describe('latents fitted together with a field over them meet the conditions of the field', () => {
  for (const [name, file, points, most] of sets) {
    const path = sharedFile(`data/${file}`);
    it.runIf(path)(`on ${points} rows of ${name} (shared/data/${file})`, async () => {
      const { observations } = await readTable(path!);
      const rows = Array.from({ length: points }, (_, i) => observations.row(i));
      await expectJointFits(rows, 7, most);
    });
  }
});
