// The modules whose names together are the library: the modules of package.json with a form for bundlers (the condition "browser").
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Names of modules in dist/public, with their files within dist. */
export const MODULES = Object.values(exports)
  .filter(({ browser }) => browser !== undefined)
  .map(({ browser, default: file }) => ({ name: basename(browser, '.js'), file: file.replace('./dist/', '') }));

/** All that the modules export, of the library that is built in a folder. */
export async function libraryIn(dist = join(root, 'dist')) {
  const modules = MODULES.map(({ file }) => import(pathToFileURL(join(dist, file)).href));
  return Object.assign({}, ...(await Promise.all(modules)));
}
