// Exports of each entry point of the built package, by the declarations that users compile against.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** @returns by entry point: the names of its values and of its types, sorted */
export function publicExports() {
  const { exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  const entries = Object.entries(exports)
    .filter(([, target]) => target.types !== undefined && existsSync(root + target.types))
    .map(([name, { types }]) => [name, root + types.slice(2)]);
  const program = ts.createProgram(
    entries.map(([, path]) => path),
    { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, skipLibCheck: true },
  );
  const checker = program.getTypeChecker();
  return Object.fromEntries(
    entries.map(([name, path]) => {
      const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(path)));
      const isValue = (symbol) => (targetOf(checker, symbol).flags & ts.SymbolFlags.Value) !== 0;
      const names = (kept) =>
        symbols
          .filter(kept)
          .map(({ escapedName }) => String(escapedName))
          .sort();
      return [name, { values: names(isValue), types: names((symbol) => !isValue(symbol)) }];
    }),
  );
}

function targetOf(checker, symbol) {
  return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
}
