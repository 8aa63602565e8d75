/**
 * Metrics of the code, `npm run count:files [-- --list]`: lines of code and files of src and of its folders, files that a fit and an evaluation
 * run, files touched per kind of extension, and the members of the contracts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import './evaluationFiles.mjs';
import { extensionFiles } from './extensionFiles.mjs';

/** Files below this many lines of code with one importer belong into it. */
const SHORT = 45;

const src = fileURLToPath(new URL('../src/', import.meta.url));
// Generated files are not sources.
const made = readFileSync(join(src, '../.gitignore'), 'utf8').split('\n');
const files = readdirSync(src, { recursive: true })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && !made.includes(`src/${file}`))
  .map((file) => {
    const text = readFileSync(join(src, file), 'utf8');
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    return { file, source, lines: text.split('\n').length - 1, code: linesOfCode(source) };
  });

console.log('\nFiles inside the library per extension');
for (const [kind, touched] of await extensionFiles()) {
  console.log(`${String(touched.length).padStart(4)}  ${kind}: ${touched.join(', ').replaceAll('.js', '.ts')}`);
}

const sum = (list, of) => list.reduce((total, one) => total + of(one), 0);
const folders = Map.groupBy?.(files, folderOf) ?? grouped(files);
const total = sum(files, ({ code }) => code);
console.log('\nLines of code (without comments, blanks and imports) and files of src');
for (const [folder, inside] of [...folders].sort(
  ([, a], [, b]) => sum(b, ({ code }) => code) - sum(a, ({ code }) => code),
)) {
  const code = sum(inside, (one) => one.code);
  console.log(
    `${String(code).padStart(6)} ${String(inside.length).padStart(4)}  ${folder} (${((100 * code) / total).toFixed(1)} %)`,
  );
}
console.log(
  `${String(total).padStart(6)} ${String(files.length).padStart(4)}  in all, of ${sum(files, ({ lines }) => lines)} lines`,
);
const importers = importersOf(files);
const short = files.filter(({ file, lines }) => lines < SHORT && importers.get(file)?.size === 1);
console.log(`${String(short.length).padStart(11)}  files of fewer than ${SHORT} lines with one importer`);
if (process.argv.includes('--list')) for (const { file } of short) console.log(`             ${file}`);

console.log('\nMembers of the contracts, and how many of them are optional');
const interfaces = new Map(
  files.flatMap(({ source }) =>
    source.statements.filter((node) => ts.isInterfaceDeclaration(node)).map((node) => [node.name.text, node]),
  ),
);
const contracts = [
  'Kernel',
  'Density',
  'Conditional',
  'Prior',
  'Likelihood',
  'LatentMap',
  'Posterior',
  'Mapping',
  'Model',
  'Solver',
];
const definitions = ['Variables', ...contracts].map((name) => `${name}Definition`);
for (const name of [...contracts, ...definitions].filter((one) => interfaces.has(one))) {
  const own = membersOf(name);
  console.log(`${String(own.length).padStart(4)} ${String(own.filter(isOptional).length).padStart(4)}  ${name}`);
}

/** Members of an interface and of the interfaces that it extends; members of types only begin with '~'. */
function membersOf(name) {
  const found = interfaces.get(name);
  if (found === undefined) return [];
  const bases = (found.heritageClauses ?? []).flatMap(({ types }) => types.map(({ expression }) => expression.text));
  const own = found.members.filter((member) => !member.name.text?.startsWith('~'));
  return [...own, ...bases.flatMap(membersOf)];
}

function isOptional(member) {
  return member.questionToken !== undefined;
}

function folderOf({ file }) {
  return file.includes('/') ? file.split('/')[0] : '(root)';
}

function grouped(list) {
  const groups = new Map();
  for (const one of list) groups.set(folderOf(one), [...(groups.get(folderOf(one)) ?? []), one]);
  return groups;
}

/** Lines with a token of a statement other than an import. */
function linesOfCode(source) {
  const lines = new Set();
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line;
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) return;
    const children = node
      .getChildren(source)
      .filter(({ kind }) => kind < ts.SyntaxKind.FirstJSDocNode || kind > ts.SyntaxKind.LastJSDocNode);
    if (children.length > 0) children.forEach(visit);
    else if (node.getWidth(source) > 0) {
      for (let line = lineOf(node.getStart(source)); line <= lineOf(node.getEnd() - 1); line++) lines.add(line);
    }
  };
  visit(source);
  return lines.size;
}

/** By file: those that import it. */
function importersOf(all) {
  const found = new Map();
  for (const { file, source } of all) {
    for (const { moduleSpecifier } of source.statements) {
      if (!moduleSpecifier?.text.startsWith('.')) continue;
      const target = join(file, '..', moduleSpecifier.text);
      if (!found.has(target)) found.set(target, new Set());
      found.get(target).add(file);
    }
  }
  return found;
}
