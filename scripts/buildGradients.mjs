// Gathers from @tensorflow/tfjs-core the gradients of the operations that the float64 backend has, in one generated module. That
// package registers gradients only as ES modules that Node does not load (no extensions, no "type"); a bundle of them, on the
// public exports of the package, loads everywhere. Does nothing when the module is newer than its sources; --force makes it anyway.
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'src/engine/tensors/stockGradients.ts');
const PACKAGE = '@tensorflow/tfjs-core';
const manifest = createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`);
const sources = join(dirname(manifest), 'dist');

/** Gradients of operations that the backend has not: networks of images. */
const LEFT_OUT = /^(AvgPool|MaxPool|Conv|Depthwise|Dilation|Resize|BatchToSpace|SpaceToBatch|ComplexAbs|LRN|MirrorPad)/;
/** Those that the library's own take the place of altogether (src/engine/tensors/float64/gradients). */
const OWN =
  /^(SquaredDifference|RealDiv|Reciprocal|Maximum|Minimum|Tile|Select|GreaterEqual|Erf|LeakyRelu|Selu|ClipByValue|Abs|Sum|Mean|Cumsum|FusedBatchNorm)_grad/;

/** Modules that are more than the gradients need of them. */
const REPLACED = {
  'engine.js': `import { engine } from '${PACKAGE}';\nexport const ENGINE = /* @__PURE__ */ engine();`,
  'util.js': `export * from './util_base.js';`,
  'base.js':
    `import { getAxesPermutation, getUndoAxesPermutation } from './ops/axis_util.js';\n` +
    'export const backend_util = { getAxesPermutation, getUndoAxesPermutation };',
};

/** Methods of tensors, which are not there unless somebody registers them, as calls of the operations. */
function withoutMethods(code) {
  const calls = code.replace(
    /\b(\w+)\.(reshape|split|slice)\((?=newShape|permutedX|x\.shape|batchSize|i, 1)/g,
    '$2Tensor($1, ',
  );
  if (calls === code) return code;
  const used = ['reshape', 'split', 'slice'].filter((name) => calls.includes(`${name}Tensor(`));
  return used.map((name) => `import { ${name} as ${name}Tensor } from '../ops/${name}';\n`).join('') + calls;
}

const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const isCurrent = [manifest, fileURLToPath(import.meta.url)].every((path) => modified(path) < modified(target));
if (!isCurrent || process.argv.includes('--force')) await make();

async function make() {
  const { rolldown } = await import('rolldown');
  const exported = new Set(Object.keys(await import(PACKAGE)));
  const files = readdirSync(join(sources, 'gradients')).filter(
    (file) => /_grad\.js$/.test(file) && !LEFT_OUT.test(file) && !OWN.test(file),
  );
  const configs = files.map((file) => {
    const [, name] = readFileSync(join(sources, 'gradients', file), 'utf8').match(/export const (\w+GradConfig)/);
    return { name, file };
  });
  const entry = `${configs.map(({ name, file }) => `import { ${name} } from './gradients/${file}';`).join('\n')}
export const stockGradients = [${configs.map(({ name }) => name).join(', ')}];`;

  const bundle = await rolldown({
    input: 'stock-gradients',
    external: [PACKAGE],
    plugins: [
      {
        name: 'public-exports-of-tfjs-core',
        resolveId(source, importer) {
          if (source === 'stock-gradients' || source === PACKAGE) return { id: source, external: source === PACKAGE };
          const path = importer === 'stock-gradients' ? join(sources, source) : resolve(dirname(importer), source);
          return path.endsWith('.js') ? path : `${path}.js`;
        },
        load(id) {
          if (id === 'stock-gradients') return entry;
          const replacement = REPLACED[relative(sources, id)];
          if (replacement !== undefined) return replacement;
          if (id.startsWith(join(sources, 'gradients'))) return withoutMethods(readFileSync(id, 'utf8'));
          // A module whose exports are all public is replaced by the package itself.
          const own = readFileSync(id, 'utf8');
          const names = Array.from(own.matchAll(/^export (?:const|function|let|class) (\w+)/gm), ([, name]) => name);
          const isPublic = names.every((name) => exported.has(name) || name.endsWith('_'));
          if (!isPublic) return undefined;
          return `export { ${names.filter((name) => exported.has(name)).join(', ')} } from '${PACKAGE}';`;
        },
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'es' });
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  // One notice stands for those of the files.
  const code = output[0].code
    .replace(/^\/\*\*\n\* @license[\s\S]*?\*\/\n/gm, '')
    .replace(/^\/\/.*\n/gm, '')
    .replace('const stockGradients =', 'const stockGradients: readonly GradConfig[] =');
  const notice = `// @ts-nocheck
/**
 * @license
 * Gradients of ${PACKAGE} ${version}, gathered by scripts/buildGradients.mjs; not to be edited.
 * Copyright 2018-2024 Google LLC. All Rights Reserved. Licensed under the Apache License, Version 2.0,
 * http://www.apache.org/licenses/LICENSE-2.0
 */
import type { GradConfig } from '${PACKAGE}';
`;
  const draft = `${target}.${process.pid}`;
  writeFileSync(draft, notice + code);
  renameSync(draft, target);
}
