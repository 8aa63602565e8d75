import { describe, it } from 'vitest';
import { swissRoll } from '../models/spectral/columns.ts';
import { expectJointFits } from './jointFit.ts';

describe('latents fitted together with a field over them meet the conditions of the field', () => {
  it('on a Swiss roll', { tags: 'long' }, async () => {
    await expectJointFits(swissRoll(24), 4, { distances: 300, moments: 300 });
  });
});
