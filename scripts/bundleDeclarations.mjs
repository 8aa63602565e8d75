// Bundles the declarations of a folder, one file each as the compiler wrote them, into one file of dist/ for each entry of the package, and a few that entries share.
// The files for pages get one declaration file each, made from their sources.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Types that no entry exports, as nobody has to name them: what others are computed with. */
const LOCAL = ['OptionsIn', 'OptionsOf', 'RankOf', 'JoinedPaths', 'LeafPaths'];

export async function bundleDeclarations(folder) {
  const types = Object.values(exports).flatMap(({ types: file }) => file?.match(/^\.\/dist\/(.*)\.d\.ts$/)[1] ?? []);
  const names = [...types.filter((name) => !name.startsWith('browser/')), 'app/io/inBrowsers'];
  const bundle = await rollup({
    input: Object.fromEntries(names.map((name) => [name, join(folder, `${name}.d.ts`)])),
    external: (id) => /^[^./]/.test(id),
    plugins: [dts()],
    onLog(level, log) {
      const names = /with no public re-export: ([\w, ]+)\./.exec(log.message)?.[1].split(', ') ?? [''];
      if (level === 'warn' && !names.every((name) => LOCAL.includes(name))) throw new Error(log.message);
    },
  });
  await bundle.write({
    dir: join(root, 'dist'),
    format: 'es',
    entryFileNames: '[name].d.ts',
    chunkFileNames: ({ name }) => `types/${name.replace(/\.d$/, '')}.d.ts`,
    minifyInternalExports: false,
  });
}

/** Writes the declarations of a file for pages, from its source in web/url, to dist/browser. */
export async function bundlePageDeclarations(name, source) {
  const bundle = await rollup({
    input: join(root, 'web/url', source),
    external: 'latentfield',
    plugins: [dts()],
  });
  await bundle.write({
    file: join(root, 'dist/browser', `${name}.d.ts`),
    format: 'es',
    paths: { latentfield: '../index.js' },
  });
}
