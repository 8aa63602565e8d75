// Compiles the AssemblyScript kernels to WebAssembly and embeds them, as base64, in a generated TypeScript module, so that no
// bundler has to fetch a file. Does nothing when that module is newer than its sources; --force compiles anyway.
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = join(root, 'src/core/wasm/assembly');
const target = join(root, 'src/core/wasm/engineModule.ts');
/** The arena hands out offsets from here on (src/core/float64/memory.ts). */
const ARENA_START = 1024;

const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const compiler = join(root, 'node_modules/assemblyscript/package.json');
const inputs = [
  ...readdirSync(sources).map((file) => join(sources, file)),
  sources,
  compiler,
  fileURLToPath(import.meta.url),
];
const isCurrent = inputs.every((path) => modified(path) < modified(target));
if (!isCurrent || process.argv.includes('--force')) await build();

async function build() {
  const binary = await compile();
  await checkDataSegment(binary);
  const draft = `${target}.${process.pid}`;
  writeFileSync(
    draft,
    '/** The WebAssembly kernels, compiled from assembly/ by scripts/buildWasm.mjs; not to be edited. */\n' +
      `export const engineModule =\n  '${Buffer.from(binary).toString('base64')}';\n`,
  );
  // Renamed into place, so that whatever runs beside this never reads half a file.
  renameSync(draft, target);
}

async function compile() {
  const { default: asc } = await import('assemblyscript/asc');
  let binary;
  const { error, stderr } = await asc.main(
    [
      'index.ts',
      '--outFile',
      'engine.wasm',
      '-O3',
      '--noAssert',
      '--runtime',
      'stub',
      '--enable',
      'simd',
      '--importMemory',
      '--initialMemory',
      '1',
      '--maximumMemory',
      '65536',
      '--memoryBase',
      '16',
      '--stackSize',
      '0',
      '--use',
      'abort=',
    ],
    {
      readFile: (name, folder) => read(join(folder, name)),
      writeFile: (name, contents) => {
        if (name === 'engine.wasm') binary = contents;
      },
      listFiles: () => [],
    },
  );
  if (error) throw new Error(`AssemblyScript could not compile the kernels: ${error.message}\n${stderr.toString()}`);
  return binary;
}

/** AssemblyScript inlines what has its `@inline` decorator, which is no TypeScript: the kernels say it in their docstrings. */
function read(path) {
  const file = join(sources, basename(path));
  if (!statSync(file, { throwIfNoEntry: false })) return null;
  return readFileSync(file, 'utf8').replace(/(@inline\s*\*\/\n)/g, '$1@inline ');
}

async function checkDataSegment(binary) {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 65536 });
  const { instance } = await WebAssembly.instantiate(binary, { env: { memory } });
  const end = instance.exports.dataEnd.value;
  if (end > ARENA_START) throw new Error(`The kernels' data ends at ${end}, but the arena starts at ${ARENA_START}.`);
}
