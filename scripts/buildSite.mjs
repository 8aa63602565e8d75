// Builds the site into web/dist: the documents of docs/, every error sentence and the reference by typedoc, with its search, and the playground by vite. Static files, all links
// relative. Needs dist/.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { writeErrorPage } from '../web/site/errorSentences.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
rmSync(new URL('../web/dist', import.meta.url), { recursive: true, force: true });
writeErrorPage(fileURLToPath(new URL('../web/site/generated/every-error-sentence.md', import.meta.url)));
for (const command of [
  ['typedoc', '--options', 'web/site/typedoc.json'],
  ['vite', 'build', '--config', 'web/vite.config.ts', '--logLevel', 'warn'],
]) {
  const { status } = spawnSync('npx', ['--no-install', ...command], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
process.stdout.write('The site is in web/dist; `npx vite preview web --outDir dist` shows it.\n');
