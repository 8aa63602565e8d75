// Makes dist/node/ of dist/: the entries of the package in the few files that Node reads ("node" in the exports of package.json) instead of a thousand that
// each cost a resolution, a reading and a link. Modules that an entry loads on demand stay in separate files. The programs that Node starts by their path (the command line,
// threads) are entries too, so that they and a user's file share one library.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { ownNames } from './ownNames.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const folder = join(dist, 'node');
const TENSORS = '@tensorflow/tfjs-core';
const PROGRAMS = ['app/cli/main.js', 'app/queue/queueThread.js', 'app/queue/shards/shardThread.js'];
const WORKER = 'app/workers/fitWorker.js';

const nameOf = (path) => path.slice(0, -3).replaceAll('/', '-');
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const entries = Object.values(exports).flatMap(({ node, default: file }) =>
  node === undefined ? [] : [[basename(node, '.js'), join(root, file)]],
);
const programs = [...PROGRAMS, WORKER].map((path) => [nameOf(path), join(dist, path)]);

/** Its names, as Node's own look for the names of a CommonJS file reads its megabyte character by character. */
const names = Object.keys(createRequire(import.meta.url)(TENSORS)).filter((name) => /^[A-Za-z_$][\w$]*$/.test(name));
const CODE = `import { createRequire } from 'node:module';
export const { ${names.join(', ')} } = createRequire(import.meta.url)('${TENSORS}');
`;

const bundle = await rolldown({
  input: Object.fromEntries([...entries, ...programs]),
  platform: 'node',
  external: (id) => !id.startsWith('.') && !id.startsWith('/') && id !== TENSORS,
  plugins: [
    ownNames,
    {
      name: 'files-of-dist',
      resolveId: (source) => (source === TENSORS ? `\0${TENSORS}` : undefined),
      load: (id) => (id === `\0${TENSORS}` ? CODE : undefined),
      transform(text, id) {
        if (!id.startsWith(dist) || !text.includes('import.meta.url')) return undefined;
        const there = `new URL('../${relative(dist, id)}', import.meta.url).href`;
        return text
          .replaceAll('import.meta.url', there)
          .replace(`const FILE = '../../${WORKER}'`, `const FILE = '../../node/${nameOf(WORKER)}.js'`);
      },
    },
  ],
  onLog(level, log) {
    if (level === 'warn' && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') throw new Error(log.message);
  },
});
// Comments, which are for the readers of dist/, would be a third of the text that Node reads.
const output = {
  dir: folder,
  format: 'es',
  comments: false,
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
};
const generated = (await bundle.generate(output)).output;
const [first, help] = ['index', 'app-cli-main'].map((name) => atOnce(generated, name));
const groups = [
  { name: 'foundation', test: (id) => first.has(id) && help.has(id) },
  { name: 'latentfield', test: (id) => first.has(id) },
];
await bundle.write({ ...output, codeSplitting: { groups } });
for (const path of PROGRAMS) {
  const [start] = readFileSync(join(dist, path), 'utf8').split('\n');
  const there = relative(dirname(path), `node/${nameOf(path)}.js`);
  writeFileSync(join(dist, path), `${start.startsWith('#!') ? `${start}\n` : ''}import '${there}';\n`);
}

/** The modules that an entry imports at once. */
function atOnce(files, entry) {
  const chunks = files.filter(({ isEntry, name }) => isEntry && name === entry);
  for (const { imports } of chunks) {
    chunks.push(...files.filter((chunk) => imports.includes(chunk.fileName) && !chunks.includes(chunk)));
  }
  return new Set(chunks.flatMap(({ modules }) => Object.keys(modules)));
}
