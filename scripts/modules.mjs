// The modules whose names together are the library: the modules of package.json with a form for bundlers (the condition "browser").
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { name: library, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Import path, name in dist/public, and file within dist of each module. */
export const MODULES = Object.entries(exports)
  .filter(([, { browser }]) => browser !== undefined)
  .map(([path, { browser, default: file }]) => ({
    path: library + path.slice(1),
    name: basename(browser, '.js'),
    file: file.replace('./dist/', ''),
  }));

/** All that the modules export, of the library that is built in a folder. */
export async function libraryIn(dist = join(root, 'dist')) {
  const modules = MODULES.map(({ file }) => import(pathToFileURL(join(dist, file)).href));
  return Object.assign({}, ...(await Promise.all(modules)));
}
