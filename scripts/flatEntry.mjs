// Writes dist/public/index.js, which is in the place of dist/index.js in bundles for browsers (see "browser" in package.json): `export *` of one small file for each module
// that defines public names. esbuild splits code by files, and counts whatever a live barrel imports as needed at once, so that all that is only loaded when it is asked for
// would be in what a page loads first, because the barrel names it too; a star is resolved without the barrel.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

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
      if (exportClause === undefined) {
        for (const [name, origin] of exportsOf(join(dirname(file), moduleSpecifier.text))) found.set(name, origin);
      } else {
        for (const { name, propertyName } of exportClause.elements ?? [exportClause]) {
          const own = (propertyName ?? name).text;
          const [from, there] = moduleSpecifier === undefined ? (imported.get(own) ?? []) : [moduleSpecifier.text, own];
          const origin = from && exportClause.elements ? originIn(from, there) : undefined;
          found.set(name.text, origin ?? [file, name.text]);
        }
      }
    } else if (statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) {
      for (const { name } of statement.declarationList?.declarations ?? [statement])
        found.set(name.text, [file, name.text]);
    }
  }
  return found;
}

const modules = new Map();
for (const [name, [file, own]] of exportsOf(join(dist, 'index.js'))) {
  const names = modules.get(file) ?? [];
  modules.set(file, [...names, name === own ? name : `${own} as ${name}`]);
}
mkdirSync(join(dist, 'public'));
const lines = [];
for (const [file, names] of modules) {
  const path = relative(dist, file);
  const facade = path.replaceAll('/', '-');
  writeFileSync(join(dist, 'public', facade), `export { ${names.join(', ')} } from '../${path}';\n`);
  lines.push(`export * from './${facade}';\n`);
}
writeFileSync(join(dist, 'public', 'index.js'), lines.join(''));
