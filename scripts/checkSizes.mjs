// Bytes that a page's script without exports loads for a few imports of the built package: bundled, minified and compressed, against a budget each. Pages in one file
// contain what others load later, as from a bundler that does not split code.
// `--parts NAME` lists the largest modules of one of them instead.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
// The first three weighed at most 170, 130 and 10 kB before the first two were written in the language of variables (192 and 163 kB at first), and before
// fits distinguished their endings: to be reached again.
const PAGES = [
  {
    name: 'gplvm',
    code: "import { fit, gplvm } from 'latentfield'; globalThis.page = { fit, gplvm };",
    kilobytes: 186,
  },
  { name: 'mpme', code: "import { fit, mpme } from 'latentfield'; globalThis.page = { fit, mpme };", kilobytes: 147 },
  {
    name: 'minimize',
    code: "import { lbfgs, minimize } from 'latentfield'; globalThis.page = { lbfgs, minimize };",
    kilobytes: 11,
  },
  {
    name: 'embed, one file',
    code: "import { fit, pca } from 'latentfield'; import { drawMap } from 'latentfield/draw-map'; globalThis.page = { drawMap, fit, pca };",
    kilobytes: 220,
    isOneFile: true,
  },
  {
    name: 'drawMap',
    code: "import { drawMap } from 'latentfield/draw-map'; globalThis.page = { drawMap };",
    kilobytes: 15,
    isOneFile: true,
  },
  { name: 'Matrix', code: "import { Matrix } from 'latentfield'; globalThis.page = { Matrix };", kilobytes: 5 },
];
const KILOBYTE = 1000;

const at = process.argv.indexOf('--parts');
if (at >= 0) await listParts(PAGES.find(({ name }) => name === process.argv[at + 1]));
else await compare();

async function compare() {
  let exceeded = false;
  for (const page of PAGES) {
    const size = (await bundled(page)).reduce((sum, { code }) => sum + gzipSync(code).length, 0) / KILOBYTE;
    exceeded ||= size > page.kilobytes;
    process.stdout.write(`${page.name.padEnd(16)}${size.toFixed(1).padStart(7)} kB of ${page.kilobytes}\n`);
  }
  if (!exceeded) return;
  process.stderr.write('A page loads more than its budget; `node scripts/checkSizes.mjs --parts NAME` says what.\n');
  process.exit(1);
}

async function listParts(page) {
  const modules = (await bundled(page)).flatMap((chunk) => Object.entries(chunk.modules));
  const sizes = modules.map(([id, { code }]) => [id, code === null ? 0 : gzipSync(code).length]);
  for (const [id, size] of sizes.sort(([, a], [, b]) => b - a).slice(0, Number(process.argv[at + 2] ?? 50))) {
    process.stdout.write(`${String(size).padStart(8)} ${id.replace(root, '')}\n`);
  }
}

/** The first chunk and those it imports: what a page loads later, when it needs it, does not count. */
async function bundled({ code, isOneFile = false }) {
  const entry = join(root, 'page.mjs');
  const bundle = await rolldown({
    input: entry,
    platform: 'browser',
    plugins: [
      {
        name: 'page',
        resolveId: (source) => (source === entry ? entry : undefined),
        load: (id) => (id === entry ? code : undefined),
      },
    ],
    onLog(level, log) {
      // In one file everything is there at once.
      if (level === 'warn' && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') throw new Error(log.message);
    },
    // Optional, and looked for in Node only.
    external: [/^node:/, 'koffi'],
  });
  const { output } = await bundle.generate({ format: 'es', minify: true, ...(isOneFile && { codeSplitting: false }) });
  const first = output.filter(({ isEntry }) => isEntry);
  const named = (name) => output.find(({ fileName }) => fileName === name);
  for (const chunk of first) first.push(...chunk.imports.map(named).filter((found) => found && !first.includes(found)));
  return first;
}
