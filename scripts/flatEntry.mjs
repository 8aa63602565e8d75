// Writes dist/public/, whose files replace the barrels in bundles for browsers (the condition "browser" of exports in package.json): each is `export *` of one small file for each module
// that defines public names. esbuild splits code by files, and treats all imports of a live barrel as needed at once, so that a page would load
// modules at its start that are meant to load on demand, because the barrel names them too; a star is resolved without the barrel.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { MODULES } from './modules.mjs';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const known = new Map();

/** The file and the name there of each name that a file exports. */
function exportsOf(file) {
  if (known.has(file)) return known.get(file);
  const found = new Map();
  known.set(file, found);
  const { statements } = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const imported = new Map();
  const originIn = (specifier, name) =>
    specifier.startsWith('.') ? exportsOf(join(dirname(file), specifier)).get(name) : undefined;
  for (const { importClause, moduleSpecifier } of statements.filter(ts.isImportDeclaration)) {
    for (const { name, propertyName } of importClause?.namedBindings?.elements ?? []) {
      imported.set(name.text, [moduleSpecifier.text, (propertyName ?? name).text]);
    }
  }
  for (const statement of statements) {
    if (ts.isExportDeclaration(statement)) {
      const { exportClause, moduleSpecifier } = statement;
      const target = moduleSpecifier && join(dirname(file), moduleSpecifier.text);
      if (exportClause === undefined) {
        for (const [name, origin] of exportsOf(target)) found.set(name, origin);
      } else if (ts.isNamespaceExport(exportClause)) {
        found.set(exportClause.name.text, [target, '*']);
      } else {
        for (const { name, propertyName } of exportClause.elements) {
          const own = (propertyName ?? name).text;
          const [from, there] = moduleSpecifier === undefined ? (imported.get(own) ?? []) : [moduleSpecifier.text, own];
          found.set(name.text, (from && originIn(from, there)) ?? [file, name.text]);
        }
      }
    } else if (statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) {
      for (const { name } of statement.declarationList?.declarations ?? [statement])
        found.set(name.text, [file, name.text]);
    }
  }
  return found;
}

/** Writes dist/public/`name`.js as a replacement of the barrel `file`. */
function flatten(name, file) {
  const modules = new Map();
  for (const [exported, [origin, own]] of exportsOf(file)) {
    const path = relative(dist, origin);
    const named = own === exported ? exported : `${own} as ${exported}`;
    const line = `export ${own === '*' ? `* as ${exported}` : `{ ${named} }`} from '../${path}';\n`;
    modules.set(path, (modules.get(path) ?? '') + line);
  }
  const stars = [...modules].map(([path, lines]) => {
    const facade = `${name}-${path.replaceAll('/', '-')}`;
    writeFileSync(join(dist, 'public', facade), lines);
    return `export * from './${facade}';\n`;
  });
  writeFileSync(join(dist, 'public', `${name}.js`), stars.join(''));
}

mkdirSync(join(dist, 'public'));
for (const { name, file } of MODULES) flatten(name, join(dist, file));
