// The blocks of a document that run in a page. The program of a block is the block after those that it depends on, in JavaScript; names of the library are taken from an object
// `library` with a module for each import path.
import ts from 'typescript';

/** Import paths of the library that a page has; RunCode's worker imports them. */
export const PATHS = [
  ...['', '/core', '/numerics', '/tensors', '/mapping', '/model', '/ops', '/kernels', '/latents', '/fields'],
  ...['/priors', '/models', '/inference', '/testing', '/data', '/io', '/plot', '/workers'],
].map((path) => `latentfield${path}`);
/** Names of Node that a page does not have. */
const ABSENT = new Set(['process', 'Buffer', 'require']);
/** Options that name a file, which a page cannot write. */
const NAMES_FILE = /\bcheckpoint: '/;
const OPTIONS = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };

/**
 * Programs of the ts blocks of a document.
 *
 * @param codes - the blocks in their order
 * @returns for each block its program, or undefined if it needs something that a page does not have
 */
export function programsOf(codes) {
  const blocks = codes.map(parsed);
  return blocks.map((_, last) => {
    const included = new Set([last]);
    const names = new Map();
    for (const at of included) {
      for (const name of blocks[at].used) {
        const from = findLast(blocks, at, ({ declared, imported }) => declared.has(name) || imported.has(name));
        if (from === undefined) {
          if (ABSENT.has(name)) names.set(name, undefined);
        } else if (blocks[from].declared.has(name)) included.add(from);
        else names.set(name, blocks[from].imported.get(name));
      }
    }
    const taken = [...names].map(([name, source]) => takenFrom(name, source));
    if (taken.includes(undefined)) return undefined;
    const code = [...included].sort((a, b) => a - b).map((at) => blocks[at].code);
    // The output of earlier blocks is shown with them.
    const silent = code.slice(0, -1).map((each) => each.replaceAll('console.log(', 'void ('));
    const program = [...taken, ...silent, code.at(-1)].join('\n');
    return NAMES_FILE.test(program) ? undefined : program;
  });
}

function findLast(blocks, to, has) {
  for (let at = to; at >= 0; at--) if (has(blocks[at])) return at;
  return undefined;
}

/** Declaration of an imported name, or undefined if a page does not have its module. */
function takenFrom(name, source) {
  if (source === undefined || !PATHS.includes(source.from)) return undefined;
  const module = `library['${source.from}']`;
  if (source.imported === '*') return `const ${name} = ${module};`;
  return `const { ${source.imported === name ? name : `${source.imported}: ${name}`} } = ${module};`;
}

/** Code of a block without imports, in JavaScript, with the names that it declares, imports and uses. */
function parsed(code) {
  const source = ts.createSourceFile('block.ts', code, ts.ScriptTarget.Latest, true);
  const declared = new Set();
  const imported = new Map();
  const used = new Set();
  const kept = [];
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement)) {
      kept.push(statement.getFullText(source));
      for (const name of declaredBy(statement)) declared.add(name);
      continue;
    }
    const { importClause: clause, moduleSpecifier } = statement;
    if (clause === undefined) imported.set(moduleSpecifier.text, undefined);
    if (clause === undefined || clause.isTypeOnly) continue;
    const from = moduleSpecifier.text;
    const { namedBindings: bindings, name } = clause;
    if (name !== undefined) imported.set(name.text, { from, imported: 'default' });
    if (bindings !== undefined && ts.isNamespaceImport(bindings))
      imported.set(bindings.name.text, { from, imported: '*' });
    for (const each of bindings !== undefined && ts.isNamedImports(bindings) ? bindings.elements : [])
      if (!each.isTypeOnly) imported.set(each.name.text, { from, imported: (each.propertyName ?? each.name).text });
  }
  const text = kept.join('').replace(/^export (const|function)/gm, '$1');
  const { outputText } = ts.transpileModule(`${text}\nexport {};`, { compilerOptions: OPTIONS });
  const program = outputText.replace(/^export \{\};\n?$/m, '');
  const visit = (node) => {
    if (ts.isIdentifier(node)) used.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('block.js', program, ts.ScriptTarget.Latest, true));
  // An import for its effects, such as an engine of TensorFlow.js.
  for (const [name, from] of imported) if (from === undefined) used.add(name);
  return { code: program, declared, imported, used };
}

function declaredBy(statement) {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => namesIn(name));
  return (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) && statement.name
    ? [statement.name.text]
    : [];
}

const namesIn = (name) =>
  ts.isIdentifier(name) ? [name.text] : name.elements.flatMap((each) => (each.name ? namesIn(each.name) : []));
