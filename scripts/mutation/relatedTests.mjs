// Which tests are nearest to a source, by imports of names from the sources that declare them: an index that passes names on is no step.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

/** Loading these takes Redis, a browser or minutes. */
const LEFT_OUT = /\.realData\.test\.ts$|^test\/(browser|bench|examples)\//;
/** What is compiled from src/engine/wasm/assembly, and what is read in its place. */
const COMPILED = ['src/engine/wasm/assembly/', 'src/engine/wasm/engineModule.ts'];

/** @returns (file) => paths of tests that import it, on whatever way, nearest first */
export function relatedTests(root) {
  const importers = importersIn(root);
  const size = (file) => statSync(join(root, file)).size;
  return (file) => {
    const first = file.startsWith(COMPILED[0]) ? COMPILED[1] : file;
    const distances = new Map([[first, 0]]);
    for (const next of distances.keys()) {
      for (const importer of importers.get(next) ?? []) {
        if (!distances.has(importer)) distances.set(importer, distances.get(next) + 1);
      }
    }
    const tests = [...distances.keys()].filter((one) => one.endsWith('.test.ts') && !LEFT_OUT.test(one));
    const rank = (test) => distances.get(test) - (isNamesake(test, file) ? 2 : 0);
    return tests.sort((a, b) => rank(a) - rank(b) || shared(b, file) - shared(a, file) || size(a) - size(b));
  };
}

const isNamesake = (test, file) => basename(test).split('.')[0].toLowerCase() === basename(file, '.ts').toLowerCase();

/** How many folders below src and test are the same. */
function shared(test, file) {
  const [a, b] = [test, file].map((path) => dirname(path).split('/').slice(1));
  const differing = a.findIndex((folder, i) => folder !== b[i]);
  return differing < 0 ? a.length : differing;
}

/** By file: those that import something that it declares. */
function importersIn(root) {
  const files = ['src', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((file) => file.endsWith('.ts') && !file.includes('assembly/'))
      .map((file) => `${folder}/${file}`),
  );
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram(
    files.map((file) => join(root, file)),
    { ...options, noEmit: true },
  );
  const checker = program.getTypeChecker();
  const importers = new Map();
  for (const file of files) {
    const source = program.getSourceFile(join(root, file));
    for (const target of new Set([...importedBy(source, checker), ...namedIn(source)])) {
      const path = relative(root, target);
      if (path === file || !/^(src|test)\//.test(path)) continue;
      if (!importers.has(path)) importers.set(path, []);
      importers.get(path).push(file);
    }
  }
  return importers;
}

/** Files that declare what a source imports; what it takes for a type only is left out. */
function importedBy(source, checker) {
  return source.statements.flatMap((statement) => {
    if (!(ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) || !statement.moduleSpecifier)
      return [];
    const clause = ts.isImportDeclaration(statement) ? statement.importClause : statement;
    if (clause?.isTypeOnly) return [];
    const names = ts.isImportDeclaration(statement) ? clause?.namedBindings : statement.exportClause;
    if (names?.elements === undefined) {
      const module = checker.getSymbolAtLocation(statement.moduleSpecifier);
      return (module?.declarations ?? []).map((declaration) => declaration.getSourceFile().fileName);
    }
    return names.elements
      .filter(({ isTypeOnly }) => !isTypeOnly)
      .flatMap(({ name }) => {
        const symbol = checker.getSymbolAtLocation(name);
        const declared = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
        return (declared?.declarations ?? []).map((declaration) => declaration.getSourceFile().fileName);
      });
  });
}

/** Files that a source names as text, to have them loaded by a worker or imported later. */
function namedIn(source) {
  const texts = source.text.matchAll(/['"`]((?:\.{1,2}\/|src\/)[\w./-]+\.ts)['"`]/g);
  return [...texts]
    .map(([, path]) =>
      path.startsWith('src/')
        ? resolve(source.fileName.split('/test/')[0], path)
        : resolve(dirname(source.fileName), path),
    )
    .filter((path) => existsSync(path));
}
