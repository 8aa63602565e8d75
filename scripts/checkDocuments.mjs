// Compiles every ```ts block of README.md, CONTRIBUTING.md, the home page, docs/ and the docstrings of src/ against dist/, strictly, and runs
// those in Markdown. The blocks of a document make one program, read from its top; a docstring's block is a separate program, where
// exports of the library and the names of scripts/documents/context.d.ts need no import.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { END_OF_BLOCK, lineOf, programOf } from './documents/programOf.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const prepared = [process.execPath, [join(root, 'scripts/prepare.mjs'), '--build']];
if (spawnSync(...prepared, { stdio: 'inherit' }).status !== 0) process.exit(1);
const { exports: entries } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
// Inside the package, so that it finds itself by name.
const place = join(root, 'documents-check');
rmSync(place, { recursive: true, force: true });
mkdirSync(place, { recursive: true });
process.on('exit', () => rmSync(place, { recursive: true, force: true }));

const read = (file) => readFileSync(join(root, file), 'utf8');
const filesIn = (folder, ending) =>
  readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));

const options = {
  ...{ noEmit: true, strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true, types: ['node'] },
  ...{ target: ts.ScriptTarget.ES2022, lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'] },
  ...{ module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
};
// Docstrings of names that no entry exports import their file: declarations of all files are built here, and the package contains a bundle per entry.
const declarations = join(place, 'declarations');
const { status: emitted } = spawnSync(
  process.execPath,
  [
    ...[fileURLToPath(import.meta.resolve('typescript/bin/tsc')), '-p', 'tsconfig.build.json', '--noCheck'],
    ...['--emitDeclarationOnly', '--outDir', declarations],
  ],
  { cwd: root, stdio: 'inherit' },
);
if (emitted !== 0) process.exit(emitted ?? 1);
const declared = (types) => types.replace('./dist', declarations);
options.paths = Object.fromEntries(
  Object.entries(entries)
    .filter(([, { types }]) => types !== undefined && !types.startsWith('./dist/browser/'))
    .map(([entry, { types }]) => [entry.replace('.', 'latentfield'), [declared(types)]]),
);
const publicNames = namesOfEntries();

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'web/site/index.md',
  ...filesIn('docs', '.md').filter((file) => !file.startsWith('docs/api')),
];
const chosen = process.argv.slice(2).filter((file) => file.endsWith('.md'));
const programs =
  chosen.length > 0
    ? chosen.flatMap((file) => programOf(file, read(file)))
    : [...documents.flatMap((file) => programOf(file, read(file))), ...filesIn('src', '.ts').flatMap(docstringsOf)];

function docstringsOf(file) {
  const text = read(file);
  return [...text.matchAll(/^ *\* ```ts\n([\s\S]*?)^ *\* ```$/gm)].map(({ 1: block, index }, number) => {
    const code = block.replace(/^ *\* ?/gm, '');
    const lines = code.split('\n');
    const first = lineOf(text, index) + 1;
    return {
      name: `${file.replace(/\W/g, '_')}_${number}.ts`,
      code: `${importsFor(code, file)}\n${code}`,
      places: [`${file}:${first}`, ...lines.map((_, i) => `${file}:${first + i}`)],
    };
  });
}

/** Names that a docstring may use without an import: the exports of its file, then of the package. */
function importsFor(code, file) {
  const bare = code.replace(/\/\/.*$/gm, '');
  const own = [
    ...bare.matchAll(/(?:const|let|function|class|interface|type)\s+(?:\{([^}]*)\}|\[([^\]]*)\]|(\w+))/g),
  ].flatMap((found) => (found[1] ?? found[2] ?? found[3]).split(',').map((name) => name.split(':').at(-1).trim()));
  const imported = [...bare.matchAll(/import (?:type )?\{([^}]*)\}/g)].flatMap(([, names]) =>
    names.split(',').map((name) => name.trim()),
  );
  const taken = new Set([...own, ...imported]);
  if (/import \* as op/.test(bare)) taken.add('op');
  const used = new Set(bare.match(/(?<![.\w'])[A-Za-z_]\w*\b(?!'|:(?!:))/g) ?? []);
  const lines = [];
  const take = (names, from) => {
    const wanted = names.filter((name) => used.has(name) && !taken.has(name));
    for (const name of wanted) taken.add(name);
    if (wanted.length > 0) lines.push(`import { ${wanted.join(', ')} } from '${from}';`);
  };
  take(exportsOf(file), moduleOf(file));
  for (const [from, names] of publicNames) take(names, from);
  for (const other of filesIn(dirname(file), '.ts')) take(exportsOf(other), moduleOf(other));
  if (used.has('Tensor2D')) lines.push("import type { Tensor2D } from '@tensorflow/tfjs-core';");
  if (used.has('op') && !taken.has('op')) lines.push("import * as op from 'latentfield/ops';");
  return `export {};${lines.join(' ')}`;
}

function moduleOf(file) {
  return `./${relative(place, join(declarations, file.replace(/^src/, '').replace(/\.ts$/, '.js')))}`;
}

/** Each name once, also where a function has several signatures. */
function exportsOf(file) {
  const found = read(file).matchAll(/^export (?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm);
  return [...new Set([...found].map(([, name]) => name))];
}

/** Exports of each entry point. */
function namesOfEntries() {
  const paths = Object.entries(entries).filter(
    ([entry, to]) => to.types !== undefined && entry !== './ops' && !to.types.startsWith('./dist/browser/'),
  );
  const files = paths.map(([, { types }]) => declared(types));
  const program = ts.createProgram(files, options);
  const checker = program.getTypeChecker();
  return paths.map(([entry], i) => {
    const symbol = checker.getSymbolAtLocation(program.getSourceFile(files[i]));
    const names = checker.getExportsOfModule(symbol).map(({ name }) => name);
    return [entry.replace('.', 'latentfield'), names];
  });
}

for (const { name, code } of programs) writeFileSync(join(place, name), code);
const context = join(place, 'context.d.ts');
writeFileSync(context, read('scripts/documents/context.d.ts'));
// Import of a worker's file in a docstring.
writeFileSync(join(place, 'cauchy.d.ts'), 'export declare const cauchy: () => import("latentfield").Kernel;');
const program = ts.createProgram([context, ...programs.map(({ name }) => join(place, name))], options);
const wrong = ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
  const known = programs.find(({ name }) => file?.fileName.endsWith(`/${name}`));
  const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line;
  return `${known?.places[line] ?? file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n  ')}`;
});

const running = programs.filter(({ runs }) => runs);
if (wrong.length === 0) {
  for (const { name, code, places, outputs } of running) {
    const script = join(place, name.replace(/ts$/, 'mjs'));
    writeFileSync(
      script,
      ts.transpileModule(code, { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 } })
        .outputText,
    );
    const { status, stdout, stderr } = spawnSync(process.execPath, [script], { cwd: place, encoding: 'utf8' });
    if (status !== 0) wrong.push(`${places[0].replace(/:.*/, '')}: the program of this document fails:\n${stderr}`);
    const printed = stdout.split(`${END_OF_BLOCK}\n`);
    for (const [block, { output, place }] of outputs.entries()) {
      if (status !== 0 || output === undefined || output === printed[block]) continue;
      wrong.push(`${place}: the output shown is not the one printed:\n${printed[block]}`);
    }
  }
}
if (wrong.length > 0) {
  console.error(`${wrong.join('\n')}\n\n${wrong.length} blocks of documents are not as they should be.`);
  process.exit(1);
}
console.log(`${programs.length} programs of documents compile; ${running.length} of them, in Markdown, run.`);
