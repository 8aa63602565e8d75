// Makes dist/browser/ of dist/: `latentfield.js`, the library for `<script type="module">` without bundler or import map (code for pictures is loaded
// from files in the same folder when the first picture is drawn), `worker.js`, one file for its workers, `map.js`, which draws a map into an element and loads models on
// demand, `draw-map.js`, which draws the map of a fit and loads none, and `widget.js`, the same as an anywidget in one file.
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { entries } from '../web/entries.mjs';
import { bundlePageDeclarations } from './bundleDeclarations.mjs';
import { MODULES } from './modules.mjs';
import { ownNames } from './ownNames.mjs';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const folder = join(dist, 'browser');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const LIBRARY = `
${MODULES.map(({ file }) => `export * from './${file}';`).join('\n')}
export * as data from './app/data/index.js';
export * as io from './app/io/inBrowsers.js';
export * as ops from './engine/tensors/ops.js';
export * as plot from './app/plot/index.js';
export { fitInWorker, serveFits } from './app/workers/index.js';
`;

/** The bundle of one entry, which is code, or a file of dist/. */
async function make(entry, code, options) {
  const start = resolve(dist, entry);
  const bundle = await rolldown({
    input: { [options.name]: start },
    platform: 'browser',
    plugins: [
      ownNames,
      {
        name: 'entry-and-worker',
        resolveId: (source) => (source === start ? start : entries.find(({ find }) => find.test(source))?.replacement),
        load: (id) => (id === start && code !== undefined ? code : undefined),
        // Both files are in one folder.
        transform: (text, id) =>
          id === join(dist, 'inference/workers/pool.js')
            ? text.replaceAll("'../../app/workers/fitWorker.js'", "'./worker.js'")
            : undefined,
      },
    ],
    onLog(level, log) {
      // In one file everything is there at once.
      if (level === 'warn' && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') throw new Error(log.message);
    },
    // Looked for in Node only.
    external: [/^node:/, 'koffi'],
  });
  const { name, together = false, ...rest } = options;
  const output = {
    dir: folder,
    format: 'es',
    minify: true,
    entryFileNames: '[name].js',
    // In the same folder, as any of them may start a worker.
    chunkFileNames: '[name]-[hash].js',
    ...rest,
  };
  const first = together ? modulesAtOnce(await bundle.generate(output)) : undefined;
  const groups = [{ name: `${name}-parts`, test: (id) => first.has(id) }];
  await bundle.write({ ...output, ...(together && { codeSplitting: { groups } }) });
}

/** The modules of the entry, and of all that it imports at once: a page has them in one file more instead of thirty, which bundlers keep as it is. */
function modulesAtOnce({ output }) {
  const chunks = output.filter(({ isEntry }) => isEntry);
  for (const { imports } of chunks) {
    chunks.push(...output.filter((chunk) => imports.includes(chunk.fileName) && !chunks.includes(chunk)));
  }
  return new Set(chunks.flatMap(({ modules }) => Object.keys(modules)));
}

await make('browser-entry.js', LIBRARY, { name: 'latentfield' });
await make('app/workers/fitWorker.js', undefined, { name: 'worker', codeSplitting: false });
for (const [name, source, options] of [
  ['map', 'map.ts', { together: true }],
  ['draw-map', 'drawMap.ts', { codeSplitting: false }],
  ['widget', 'widget.ts', { codeSplitting: false }],
]) {
  await make(`../web/url/${source}`, undefined, { name, ...options });
  await bundlePageDeclarations(name, source);
}
// It exports nothing, and a separate line states so, so that no tool treats it as CommonJS.
appendFileSync(join(folder, 'worker.js'), '\nexport {};\n');
writeFileSync(join(folder, 'latentfield.d.ts'), LIBRARY.replaceAll("'./", "'../").trimStart());
// A worker's file exports nothing.
writeFileSync(join(folder, 'worker.d.ts'), 'export {};\n');
