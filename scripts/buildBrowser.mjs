// Makes dist/browser/ of dist/: `latentfield.js`, the library for `<script type="module">` without bundler or import map (code for pictures is loaded
// from files in the same folder when the first picture is drawn), `worker.js`, one file for its workers, `map.js`, which draws a map into an element and loads models on
// demand, `draw-map.js`, which draws the map of a fit and loads none, and `widget.js`, the same as an anywidget in one file.
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { entries } from '../web/entries.mjs';
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

const DECLARED = {
  map: `import type { Fit } from '../index.js';

/** What map may be given. */
export interface MapOptions {
  /** The name of a model, 'pca' unless given; others are loaded when they are asked for. */
  readonly model?: string | undefined;
  /** Options of the model, such as { latentDim: 2 }. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  /** One a row: colors. */
  readonly labels?: readonly (string | number)[] | undefined;
  /** Names of the columns, for the row under the pointer. */
  readonly columns?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  readonly maxIterations?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}
/** A map within an element. */
export interface DrawnMap {
  readonly fit: Fit;
  release(): void;
}
/** Draws a map of rows into an element: principal components at once, and the latents of another model when it is fitted. */
export declare function map(element: HTMLElement, rows: readonly (readonly number[])[], options?: MapOptions): Promise<DrawnMap>;
`,
  'draw-map': `import type { Matrix, MatrixLike } from '../index.js';

/** A fit, or any other value with latents; its map decodes if it predicts. */
export interface Mapped {
  /** N×q; the first two dimensions are drawn. */
  readonly latents: MatrixLike;
  predict?(X: Matrix, options: { noise: true }): { readonly mean: Matrix; readonly variance: Matrix };
}
/** What drawMap may be given. */
export interface DrawOptions {
  /** Fitted rows, N×D. */
  readonly rows: readonly (readonly number[])[];
  /** One a row: colors. */
  readonly labels?: readonly (string | number)[] | undefined;
  /** Names of the columns, for the row under the pointer. */
  readonly columns?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}
/** Draws the map of a fit into an element; dragging decodes, if the fit predicts. It loads no model. */
export declare function drawMap(element: HTMLElement, fit: Mapped, options: DrawOptions): Promise<{ release(): void }>;
`,
  widget: `declare const widget: { render(given: { readonly model: unknown; readonly el: HTMLElement }): () => void };
export default widget;
`,
};

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
await make('../web/url/map.ts', undefined, { name: 'map', together: true });
await make('../web/url/drawMap.ts', undefined, { name: 'draw-map', codeSplitting: false });
await make('../web/url/widget.ts', undefined, { name: 'widget', codeSplitting: false });
// It exports nothing, and a separate line states so, so that no tool treats it as CommonJS.
appendFileSync(join(folder, 'worker.js'), '\nexport {};\n');
writeFileSync(join(folder, 'latentfield.d.ts'), LIBRARY.replaceAll("'./", "'../").trimStart());
for (const name of ['map', 'draw-map', 'widget']) writeFileSync(join(folder, `${name}.d.ts`), DECLARED[name]);
// A worker's file exports nothing.
writeFileSync(join(folder, 'worker.d.ts'), 'export {};\n');
