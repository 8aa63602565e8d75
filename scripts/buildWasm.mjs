// Compiles the AssemblyScript kernels to WebAssembly and embeds them, as text, in generated TypeScript modules, so that no bundler has to
// fetch a file: one build for a memory of one thread, and one for threads that share a memory. Does nothing when those modules are newer than their sources; --force compiles anyway, --unthreaded leaves out the
// build for threads. The first module also names what the kernels export: the types of its functions, and the fields of the records that
// replace long lists of arguments, both read from the sources.
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = join(root, 'src/engine/wasm/assembly');
const BUILDS = [
  {
    entry: 'index.ts',
    target: join(root, 'src/engine/wasm/engineModule.ts'),
    says: 'The WebAssembly kernels',
    name: 'engineModule',
    features: ['simd'],
    options: [],
  },
  {
    entry: 'threaded.ts',
    target: join(root, 'src/engine/wasm/threadedEngineModule.ts'),
    says: 'The WebAssembly kernels for threads that share a memory',
    name: 'threadedEngineModule',
    features: ['simd', 'threads'],
    options: ['--sharedMemory'],
  },
];
/** The arena hands out offsets from here on (src/engine/memory.ts). */
const ARENA_START = 1024;

const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const compiler = join(root, 'node_modules/assemblyscript/package.json');
const inputs = [
  ...readdirSync(sources).map((file) => join(sources, file)),
  sources,
  compiler,
  fileURLToPath(import.meta.url),
];
const builds = process.argv.includes('--unthreaded') ? BUILDS.slice(0, 1) : BUILDS;
for (const build of builds) {
  const isCurrent = inputs.every((path) => modified(path) < modified(build.target));
  if (!isCurrent || process.argv.includes('--force')) await make(build);
}

async function make({ target, says, name, ...build }) {
  const { exported, records } = interfaceOf(sources);
  const binary = await compile(build);
  await checkDataSegment(binary, build.features.includes('threads'));
  const draft = `${target}.${process.pid}`;
  writeFileSync(
    draft,
    `/** ${says}, compiled from assembly/ by scripts/buildWasm.mjs; not to be edited. */\n` +
      `export const ${name} =\n  '${textOf(binary)}';\n` +
      (build.entry === 'index.ts' ? `\n${records}\n\n${exported}\n` : ''),
  );
  // Renamed at the end, so that programs that run at the same time never read half a file.
  renameSync(draft, target);
}

/** Types that the sources declare, in TypeScript: of the functions that index.ts exports, and of the classes that they take, as records. */
function interfaceOf(folder) {
  const texts = readdirSync(folder).map((file) =>
    readFileSync(join(folder, file), 'utf8').replace(/\/\*\*[\s\S]*?\*\//g, ''),
  );
  const all = texts.join('\n');
  const names = [...readFileSync(join(folder, 'index.ts'), 'utf8').matchAll(/export \{([^}]*)\}/g)].flatMap(
    ([, list]) =>
      list
        .split(',')
        .map((name) => name.trim())
        .filter(Boolean),
  );
  const classes = [...all.matchAll(/@unmanaged\s+export class (\w+) \{([^}]*)\}/g)];
  const isRecord = (type) => classes.some(([, name]) => name === type);
  const typeOf = (type) => (type === 'bool' ? 'boolean' : type === 'void' ? 'void' : 'number');
  const functions = names.map((name) => {
    const [, list, result] = new RegExp(`export function ${name}\\(([^)]*)\\): (\\w+)`).exec(all);
    const parameters = [...list.matchAll(/(\w+): (\w+)/g)].map(([, parameter, type]) =>
      isRecord(type) ? `record: RecordOf<typeof ${constant(type)}>` : `${parameter}: ${typeOf(type)}`,
    );
    return `  ${name}(${parameters.join(', ')}): ${typeOf(result)};`;
  });
  const records = classes.map(([, name, body]) => {
    const sizes = { f64: 8, bool: 1 };
    const fields = [...body.matchAll(/(\w+): (\w+);/g)].map(([, field, type]) => `${field}: ${sizes[type] ?? 4}`);
    return `/** Bytes of the fields of ${name}, in order. */\nexport const ${constant(name)} = { ${fields.join(', ')} } as const;`;
  });
  return {
    records: records.join('\n\n'),
    exported:
      '/** Offset of a record with these fields in the memory. */\n' +
      'export type RecordOf<Fields> = number & { readonly fields?: Fields };\n\n' +
      '/** Exports of the compiled kernels: offsets in bytes, strides in numbers. They are documented in `assembly/`. */\n' +
      `export interface Kernels {\n${functions.join('\n')}\n}`,
  };
}

function constant(name) {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
}

/**
 * A module as text (src/engine/wasm/instance.ts reads it): the most frequent bytes by a character each, the others by two. It is
 * longer than Base64 and shorter than that and hexadecimal digits once a page is compressed, because it keeps bytes apart.
 */
function textOf(binary) {
  const characters = String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i)).replace(/["$'<\\`]/g, '');
  const single = characters.length - 2;
  const counts = new Uint32Array(256);
  for (const byte of binary) counts[byte]++;
  const usual = [...counts.keys()].sort((a, b) => counts[b] - counts[a]).slice(0, single);
  const others = [...counts.keys()].filter((byte) => !usual.includes(byte));
  const codes = new Map(usual.map((byte, i) => [byte, characters[i]]));
  others.forEach((byte, i) => {
    codes.set(byte, characters[single + Math.floor(i / single)] + characters[i % single]);
  });
  const digits = usual.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return digits + Array.from(binary, (byte) => codes.get(byte)).join('');
}

async function compile({ entry, features, options }) {
  const { default: asc } = await import('assemblyscript/asc');
  let binary;
  const { error, stderr } = await asc.main(
    [
      entry,
      '--outFile',
      'engine.wasm',
      '-O3',
      // Calls outside of the loops that matter stay calls; what those loops call is marked @inline.
      '--shrinkLevel',
      '1',
      '--converge',
      '--noAssert',
      '--runtime',
      'stub',
      ...features.flatMap((feature) => ['--enable', feature]),
      ...options,
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

/** AssemblyScript inlines functions with its `@inline` decorator, which is not TypeScript: the kernels have it in their docstrings. */
function read(path) {
  const file = join(sources, basename(path));
  if (!statSync(file, { throwIfNoEntry: false })) return null;
  return readFileSync(file, 'utf8').replace(/(@inline\s*\*\/\n)/g, '$1@inline ');
}

async function checkDataSegment(binary, shared) {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 65536, shared });
  const { instance } = await WebAssembly.instantiate(binary, {
    env: { memory },
    team: { threadFailed: () => undefined },
  });
  const end = instance.exports.dataEnd.value;
  if (end > ARENA_START) throw new Error(`The kernels' data ends at ${end}, but the arena starts at ${ARENA_START}.`);
}
