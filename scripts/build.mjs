// Builds dist/ from src/ from scratch, so that no file of an earlier build is ever shipped. With --unchecked it only translates,
// for callers that have checked the types already.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

await import('./buildWasm.mjs');
await import('./buildOptions.mjs');
const root = fileURLToPath(new URL('..', import.meta.url));
const typescript = createRequire(import.meta.url).resolve('typescript/bin/tsc');
rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
const unchecked = process.argv.includes('--unchecked') ? ['--noCheck'] : [];
const declarations = mkdtempSync(join(tmpdir(), 'latentfield-declarations-'));
process.on('exit', (code) => {
  rmSync(declarations, { recursive: true, force: true });
  // A build that failed midway would look like a whole one that is up to date.
  if (code !== 0) rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
});
const { status } = spawnSync(
  process.execPath,
  [typescript, '-p', 'tsconfig.build.json', '--declarationDir', declarations, ...unchecked],
  { cwd: root, stdio: 'inherit' },
);
if (status !== 0) process.exit(status ?? 1);
const { bundleDeclarations } = await import('./bundleDeclarations.mjs');
await bundleDeclarations(declarations);
await import('./flatEntry.mjs');
await import('./buildBrowser.mjs');
await import('./buildExplorer.mjs');
await import('./buildNode.mjs');
chmodSync(new URL('../dist/app/cli/main.js', import.meta.url), 0o755);
