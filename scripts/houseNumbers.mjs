/**
 * Numbers of the house, `npm run count:files [-- --list]`: files that an evaluation passes through, files touched per kind of extension, lines of src,
 * the largest folder's share of them, and the optional members of the contracts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import './evaluationFiles.mjs';
import { extensionFiles } from './extensionFiles.mjs';

const src = fileURLToPath(new URL('../src/', import.meta.url));
const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'));
const linesOf = (file) => readFileSync(join(src, file), 'utf8').split('\n').length - 1;

console.log('\nFiles inside the library per extension');
for (const [kind, files] of await extensionFiles()) {
  console.log(`${String(files.length).padStart(4)}  ${kind}: ${files.join(', ').replaceAll('.js', '.ts')}`);
}

// What the build makes is not kept with the sources.
const made = readFileSync(join(src, '../.gitignore'), 'utf8').split('\n');
const lines = new Map();
for (const file of filesBelow(src)) {
  if (made.includes(`src/${file}`)) continue;
  const [folder] = file.split('/');
  lines.set(folder, (lines.get(folder) ?? 0) + linesOf(file));
}
const total = [...lines.values()].reduce((sum, count) => sum + count, 0);
const [largest, most] = [...lines].reduce((one, other) => (other[1] > one[1] ? other : one));
console.log(`\n${total} lines of src, ${((100 * most) / total).toFixed(1)} % of them in ${largest}`);

const contracts = { Kernel: 'kernels/kernel.ts', Posterior: 'model/posterior.ts', Model: 'model/model.ts' };
for (const [name, file] of Object.entries(contracts)) {
  console.log(`${String(optionalMembers(name, file).length).padStart(4)}  optional members of ${name}`);
}

/** Of an interface and those that it extends in its file; what is in types only begins with '~'. */
function optionalMembers(name, file) {
  const source = ts.createSourceFile(file, readFileSync(join(src, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const found = source.statements.find((node) => ts.isInterfaceDeclaration(node) && node.name.text === name);
  const inherited = (found.heritageClauses ?? []).flatMap(({ types }) =>
    types.map(({ expression }) => expression.text),
  );
  const own = found.members.filter((member) => member.questionToken && !member.name.text.startsWith('~'));
  return [...own, ...inherited.flatMap((base) => optionalMembers(base, file))];
}
