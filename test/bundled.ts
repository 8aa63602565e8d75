import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(root, 'node_modules', '.cache', 'latentfield');
const built = new Map<string, Promise<URL>>();

/**
 * Sources as one file of JavaScript, for a process or a thread that a test starts: it loads in the time that TensorFlow.js takes, where
 * each source on its own takes five times as long.
 *
 * @param entry - from the root of the repository, such as `src/app/workers/fitWorker.ts`
 */
export function bundled(entry: string): Promise<URL> {
  const known = built.get(entry) ?? build(entry);
  built.set(entry, known);
  return known;
}

async function build(entry: string, plugin?: Plugin): Promise<URL> {
  const bundle = await rolldown({
    input: join(root, entry),
    platform: 'node',
    external: (id) => !/^[./]/.test(id),
    plugins: [plugin],
  });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  const { code } = output[0];
  // Named after what it holds, so that whatever runs beside this finds it whole or not at all. Three folders below the root, as the program's sources are.
  const file = join(cache, `latentfield-${createHash('sha256').update(code).digest('hex').slice(0, 16)}.mjs`);
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.${process.pid}`, code);
    renameSync(`${file}.${process.pid}`, file);
  }
  return pathToFileURL(file);
}

/** The entries of the library as Node reads them, by the sources that tests import in their place. */
const BUILT = { 'src/index.ts': 'index.js', 'src/engine/tensors/ops.ts': 'ops.js' };

/** A source as a file of a user: what it imports of the library is the library as it was built, which the library's own workers are too. */
export async function bundledForUsers(entry: string): Promise<URL> {
  const addresses = new Map(
    Object.entries(BUILT).map(([source, file]) => [
      join(root, source),
      new URL(`../dist/node/${file}`, import.meta.url).href,
    ]),
  );
  return build(entry, {
    name: 'built-library',
    resolveId(source: string, importer: string | undefined) {
      const id = importer === undefined ? undefined : addresses.get(join(dirname(importer), source));
      return id === undefined ? undefined : { id, external: true };
    },
  });
}

/** Several sources that share what they both import, as a program and a module that it loads do. */
export async function bundledTogether(...entries: string[]): Promise<URL[]> {
  const bundle = await rolldown({
    input: entries.map((entry) => join(root, entry)),
    platform: 'node',
    external: (id) => !/^[./]/.test(id),
  });
  const { output } = await bundle.write({
    dir: cache,
    format: 'esm',
    entryFileNames: 'latentfield-[name]-[hash].mjs',
    chunkFileNames: 'latentfield-[hash].mjs',
  });
  return entries.map((entry) => {
    const chunk = output.find((one) => one.type === 'chunk' && one.facadeModuleId === join(root, entry));
    return pathToFileURL(join(cache, chunk!.fileName));
  });
}
