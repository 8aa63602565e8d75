// Functions of the sources that each test calls, by V8's coverage: `npm run mutate` runs those that call the function with a fault.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import ts from 'typescript';

const ASSEMBLY = 'src/engine/wasm/assembly/';

/**
 * Runs all tests once, and records the functions that each calls, unless `path` contains the record already.
 *
 * @returns ({ file, start }) => paths of tests that call the function around this position, the most informative per second first
 */
export function callingTests(root, path) {
  if (!existsSync(path)) {
    const args = ['--no-install', 'vitest', 'run', '--config', 'scripts/mutation/executed.config.ts'];
    const env = { ...process.env, LATENTFIELD_ENGINE: 'wasm', LATENTFIELD_EXECUTED: path };
    const { status } = spawnSync('npx', args, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) console.log('Some tests fail without any fault.');
  }
  const runs = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const callers = new Map();
  const note = (key, run) => {
    if (!callers.has(key)) callers.set(key, new Set());
    callers.get(key).add(run);
  };
  for (const run of runs) {
    for (const key of run.called) {
      if (!key.endsWith('#')) note(key, run);
      note(key.split('#')[0], run);
    }
  }
  return ({ file, start }) => {
    const keys = keysOf(root, file, start);
    const around = new Set(keys.flatMap((key) => [...(callers.get(key) ?? [])]));
    const found = around.size > 0 ? around : callers.get(file);
    const rank = (run) => (isNamesake(run.test, file) ? 0 : run.called.length * Math.sqrt(1 + run.seconds));
    // Coverage sees no test for pages, threads and code that runs while modules are loaded: the tests in the matching folder are used.
    const beside = (a, b) => shared(b.test, file) - shared(a.test, file);
    return [...(found ?? runs)]
      .sort((a, b) => (found === undefined ? beside(a, b) : 0) || rank(a) - rank(b))
      .map(({ test }) => test);
  };
}

/** How many folders below src and test are the same. */
function shared(test, file) {
  const [a, b] = [test, file].map((path) => dirname(path).split('/').slice(1));
  const differing = a.findIndex((folder, i) => folder !== b[i]);
  return differing < 0 ? a.length : differing;
}

const isNamesake = (test, file) => basename(test).split('.')[0].toLowerCase() === basename(file, '.ts').toLowerCase();

/** The function around a position, or the file if there is none; for a compiled routine, the functions that lead to it. */
function keysOf(root, file, start) {
  if (!file.startsWith(ASSEMBLY)) return [`${file}${functionAround(parsed(root, file), start)}`];
  const routines = exportedFrom(root, basename(file, '.ts'));
  const folder = 'src/engine/wasm';
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.ts') && !/Module\.ts$/.test(name))
    .flatMap((name) => {
      const source = parsed(root, `${folder}/${name}`);
      const calls = [...source.text.matchAll(/\bkernels\.(\w+)/g)].filter(([, routine]) => routines.has(routine));
      return calls.map(({ index }) => `${folder}/${name}${functionAround(source, index)}`);
    });
}

/** Routines that assembly/index.ts passes on from a file there, or from one that imports it. */
function exportedFrom(root, name) {
  const importsOf = (file) =>
    readFileSync(join(root, ASSEMBLY, file), 'utf8').matchAll(/(?:\{([^}]*)\} )?from '\.\/(\w+)'/g);
  const files = readdirSync(join(root, ASSEMBLY)).filter((file) => file.endsWith('.ts') && file !== 'index.ts');
  const reached = new Set([name]);
  for (const one of reached) {
    for (const file of files) {
      if ([...importsOf(file)].some(([, , imported]) => imported === one)) reached.add(basename(file, '.ts'));
    }
  }
  const passedOn = [...importsOf('index.ts')].filter(([, , from]) => reached.has(from));
  return new Set(passedOn.flatMap(([, names]) => names.split(',').map((one) => one.trim())));
}

const sources = new Map();

function parsed(root, file) {
  if (!sources.has(file)) {
    const text = readFileSync(join(root, file), 'utf8');
    sources.set(file, ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  }
  return sources.get(file);
}

/** `#name` of the innermost named function around a position, as V8 names it; empty without one. */
function functionAround(source, start) {
  let name = '';
  const visit = (node) => {
    if (start < node.getFullStart() || start >= node.getEnd()) return;
    if (ts.isFunctionLike(node)) name = nameOf(node) ?? name;
    ts.forEachChild(node, visit);
  };
  visit(source);
  return name === '' ? '' : `#${name}`;
}

function nameOf(node) {
  if (ts.isConstructorDeclaration(node)) return node.parent.name?.text;
  if (node.name !== undefined) return node.name.text;
  const { parent } = node;
  if (ts.isBinaryExpression(parent)) return ts.isIdentifier(parent.left) ? parent.left.text : undefined;
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent)
    ? parent.name.text
    : undefined;
}
