import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { InvalidInputError } from '../../src/index.ts';
import { writeAtomically } from '../../src/io/writeAtomically.ts';
import { temporaryFolder } from './folder.ts';

vi.mock('node:crypto', async (original) => ({ ...(await original<object>()), randomUUID: () => 'foreseen' }));

it('a link that stands where the temporary file would be is not written through', async () => {
  const { path: folder } = temporaryFolder();
  const victim = join(folder, 'victim.txt');
  writeFileSync(victim, 'kept');
  symlinkSync(victim, join(folder, 'fit.json.foreseen.tmp'));
  await expect(writeAtomically(join(folder, 'fit.json'), 'new')).rejects.toThrow(InvalidInputError);
  expect(readFileSync(victim, 'utf8')).toBe('kept');
  // The link is gone with the failed attempt; the next one writes.
  await writeAtomically(join(folder, 'fit.json'), 'new');
  expect(readFileSync(join(folder, 'fit.json'), 'utf8')).toBe('new');
});
