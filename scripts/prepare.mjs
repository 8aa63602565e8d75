// Installs what is missing, compiles the WebAssembly kernels and (with --build) builds dist/ when it is out of date, so that a
// fresh clone needs no other command.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const modified = (path) => (existsSync(join(root, path)) ? statSync(join(root, path)).mtimeMs : 0);
const newest = (folder) =>
  readdirSync(join(root, folder), { recursive: true }).reduce(
    (latest, file) => Math.max(latest, modified(join(folder, file))),
    0,
  );

function npm(...args) {
  const { status } = spawnSync('npm', args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
}

if (modified('node_modules/.package-lock.json') < modified('package-lock.json')) npm('ci', '--no-audit', '--no-fund');
await import('./buildWasm.mjs');
await import('./buildOptions.mjs');
const built = modified('dist/index.js');
// Embeds are built from web/url, the page of explore from web/playground.
const isOld = Math.max(newest('src'), newest('web/url'), newest('web/playground'), modified('package.json')) > built;
if (process.argv.includes('--build') && isOld) {
  npm('run', '--silent', 'build');
}
