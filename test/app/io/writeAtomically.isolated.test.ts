import crypto from 'node:crypto';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { temporaryName, writeAtomically } from '../../../src/core/fileWriting.ts';
import { ownIdentity } from '../../../src/core/processes.ts';
import { InvalidInputError } from '../../../src/index.ts';
import { temporaryFolder } from './folder.ts';

it('a link at the path of the temporary file is not written through', async () => {
  const { path: folder } = temporaryFolder();
  const foreseen = vi.spyOn(crypto, 'randomBytes').mockImplementation(() => Buffer.alloc(8));
  syncBuiltinESMExports();
  const victim = join(folder, 'victim.txt');
  writeFileSync(victim, 'kept');
  symlinkSync(victim, await temporaryName(join(folder, 'fit.json'), await ownIdentity()));
  await expect(writeAtomically(join(folder, 'fit.json'), 'new')).rejects.toThrow(InvalidInputError);
  expect(readFileSync(victim, 'utf8')).toBe('kept');
  expect(readdirSync(folder)).not.toContain('fit.json');
  // The link is gone with the failed attempt; the next one writes.
  await writeAtomically(join(folder, 'fit.json'), 'new');
  expect(readFileSync(join(folder, 'fit.json'), 'utf8')).toBe('new');
  foreseen.mockRestore();
  syncBuiltinESMExports();
});
