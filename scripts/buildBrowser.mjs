// Makes dist/browser/ of dist/: `latentfield.js`, the library for `<script type="module">` without bundler or import map (what draws pictures is loaded
// from files beside it when the first picture is drawn), and `worker.js`, one file for its workers.
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const folder = join(dist, 'browser');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const LIBRARY = `
export * from './index.js';
export * as data from './data/index.js';
export * as io from './io/inBrowsers.js';
export * as ops from './tensors/ops.js';
export * as plot from './plot/index.js';
export { fitInWorker, serveFits } from './workers/index.js';
`;

/** The bundle of one entry, which is code, or a file of dist/. */
async function make(entry, code, options) {
  const start = join(dist, entry);
  const bundle = await rolldown({
    input: { [options.name]: start },
    platform: 'browser',
    plugins: [
      {
        name: 'entry-and-worker',
        resolveId: (source) => (source === start ? start : undefined),
        load: (id) => (id === start && code !== undefined ? code : undefined),
        // Both files stand in one folder.
        transform: (text, id) =>
          id === join(dist, 'inference/workers/pool.js')
            ? text.replaceAll("'../../workers/fitWorker.js'", "'./worker.js'")
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
  const { name: _, ...output } = options;
  await bundle.write({
    dir: folder,
    format: 'es',
    minify: true,
    entryFileNames: '[name].js',
    // In the same folder, as any of them may start a worker.
    chunkFileNames: '[name]-[hash].js',
    ...output,
  });
}

await make('browser-entry.js', LIBRARY, { name: 'latentfield' });
await make('workers/fitWorker.js', undefined, { name: 'worker', codeSplitting: false });
// It exports nothing, and says so on a line of its own, that nobody takes it for CommonJS.
appendFileSync(join(folder, 'worker.js'), '\nexport {};\n');
writeFileSync(join(folder, 'latentfield.d.ts'), LIBRARY.replaceAll("'./", "'../").trimStart());
// A worker's file exports nothing.
writeFileSync(join(folder, 'worker.d.ts'), 'export {};\n');
