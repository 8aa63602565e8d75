// Checks the English of the documents for users, of messages in the code, of all docstrings and comments, of the pages, and of the titles of tests, by the
// patterns of scripts/prose/rules.yml. Code, in blocks and in `spans`, is left out.
//
//   npm run check:prose
//   npm run check:prose -- --rules        (prints each pattern, with its advice)
//   npm run check:prose -- docs/models.md src/kernels
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TextlintKernelDescriptor } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
import { createLinter } from 'textlint';
import prh from 'textlint-rule-prh';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const rules = join(root, 'scripts/prose/rules.yml');
/** The reference of the API, the benchmarks and the reproductions, which programs write, are not checked. */
const UNCHECKED = /^docs\/(?:api\/|project\/(?:reproductions\/|benchmarks\.md))/;
/** Documents at the root of the repository. */
const ROOT = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'GOVERNANCE.md', 'SECURITY.md'];
/** Folders whose messages, docstrings and comments are checked. */
const SOURCES = ['src', 'web'];
/** Folders whose comments are checked: their messages are for maintainers, or the text of reproductions, which programs write. */
const PROGRAMS = ['scripts', 'bench', 'attacks', 'examples'];

/** Files of a folder with such a name; a file is a folder of itself. */
const filesIn = (path, name) =>
  statSync(join(root, path)).isDirectory()
    ? readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
        .filter((file) => name.test(file))
        .map((file) => `${path}/${file}`)
        .sort()
    : [path];
const CODE = /\.(?:tsx?|m[jt]s)$/;

const chosen = process.argv
  .slice(2)
  .filter((word) => word !== '--rules')
  .map((path) => path.replace(/\/$/, ''));
const isIn = (folders, path) => folders.includes(path.split('/')[0]);
const isSource = (path) => isIn([...SOURCES, ...PROGRAMS], path) && !path.endsWith('.md');
const isTest = (path) => /^test\b/.test(path);
const documents = chosen.length
  ? chosen.filter((path) => !isSource(path) && !isTest(path)).flatMap((path) => filesIn(path, /\.md$/))
  : [...ROOT, 'web/site/index.md', ...filesIn('docs', /\.md$/).filter((file) => !UNCHECKED.test(file))];
const sources = (chosen.length ? chosen.filter(isSource) : [...SOURCES, ...PROGRAMS]).flatMap((path) =>
  filesIn(path, CODE),
);
const tests = (chosen.length ? chosen.filter(isTest) : ['test']).flatMap((path) => filesIn(path, /\.test\.tsx?$/));

const linter = createLinter({
  descriptor: new TextlintKernelDescriptor({
    rules: [
      {
        ruleId: 'prh',
        rule: prh.default ?? prh,
        options: { rulePaths: [rules], checkLink: true, checkEmphasis: true, checkBlockQuote: true },
      },
    ],
    filterRules: [],
    plugins: [{ pluginId: 'markdown', plugin: markdown.default ?? markdown, options: true }],
  }),
});

/** Patterns of documents that messages may have: errors show an argument in the form 'but 3 was passed' of documents. */
const ALLOWED_IN_MESSAGES = ['passed, set, specified'];
/** Fewer words are names, not sentences. */
const LEAST_WORDS = 5;

const parsed = (file) =>
  ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, false);

/** The text without code spans, quoted names and line breaks. */
const plainText = (text) =>
  text
    .replace(/`[^`]*`|'[A-Za-z]+'/g, 'X')
    .replace(/\s+/g, ' ')
    .trim();

/** The text of a string, of a template without inserted values, or of an element of a page without the elements in it. */
function textOf(node) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `X${literal.text}`).join('');
  if (ts.isJsxElement(node) || ts.isJsxFragment(node)) {
    const parts = node.children.map((child) => (ts.isJsxText(child) ? child.text : ' X '));
    return parts.some((part) => /[a-z]{2}/.test(part)) ? parts.join('') : undefined;
  }
  return undefined;
}

/** Sentences in the code of a file, with their lines. */
function sentencesOf(file) {
  const source = parsed(file);
  const sentences = [];
  const visit = (node) => {
    const text = textOf(node);
    const plain = text === undefined ? '' : plainText(text);
    if (plain.split(' ').length >= LEAST_WORDS && !/=>|;\s*const /.test(plain)) {
      // Fragments of sentences continue from a word.
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      sentences.push({ text: plain.replace(/^(?=of )/, 'X '), line });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return sentences;
}

/** Titles of the tests of a file, and of their groups, with their lines. */
function titlesOf(file) {
  const source = parsed(file);
  const titles = [];
  const visit = (node) => {
    if (ts.isCallExpression(node) && /^(?:it|test|describe)\b/.test(node.expression.getText(source))) {
      const text = node.arguments[0] && textOf(node.arguments[0]);
      if (text) {
        const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
        titles.push({ text: plainText(text).replace(/^(?=of )/, 'X '), line });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return titles;
}

/** Comments of a file, with their lines: of JSDoc each tag begins one, and examples and sources are left out; lines of `//` that follow each other are one. */
function commentsOf(file) {
  const source = parsed(file);
  const { text } = source;
  const ranges = new Map();
  const visit = (node) => {
    if (node.kind === ts.SyntaxKind.JsxText) return;
    for (const at of [node.pos, node.end]) {
      for (const range of ts.getLeadingCommentRanges(text, at) ?? []) ranges.set(range.pos, range);
      for (const range of ts.getTrailingCommentRanges(text, at) ?? []) ranges.set(range.pos, range);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  const lineAt = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
  const paragraphs = [];
  let next = 0;
  for (const { pos, end } of [...ranges.values()].sort((a, b) => a.pos - b.pos)) {
    const line = lineAt(pos);
    if (text.startsWith('/**', pos)) paragraphs.push(...docstringOf(text.slice(pos + 3, end - 2), line));
    else {
      const comment = text.slice(pos + 2, text.startsWith('/*', pos) ? end - 2 : end).trim();
      const goesOn = line === next && paragraphs.length > 0 && text.startsWith('//', pos);
      if (goesOn) paragraphs.at(-1).text += ` ${comment}`;
      else if (!/^(?:@|biome-ignore|#)/.test(comment)) paragraphs.push({ text: comment, line });
      next = lineAt(end) + 1;
    }
  }
  const link = /\{@\w+ ([^}|]*)(?:\|[^}]*)?\}/g;
  return paragraphs.map(({ text, line }) => ({ text: plainText(text.replace(link, 'X')), line }));
}

/** Paragraphs of a JSDoc comment. */
function docstringOf(text, first) {
  const paragraphs = [];
  let [open, skipped, fenced] = [false, false, false];
  text.split('\n').forEach((raw, i) => {
    const line = raw.replace(/^\s*\*(?: |$)/, '').trim();
    const tag = /^@(\w+)(?: [\w.]+ - )?/.exec(line);
    if (tag) [open, skipped] = [false, /^(?:example|see)$/.test(tag[1])];
    if (line.startsWith('```')) fenced = !fenced;
    else if (skipped || fenced) return;
    else if (line === '') open = false;
    else if (open) paragraphs.at(-1).text += ` ${line}`;
    else {
      paragraphs.push({ text: line.slice(tag?.[0].length ?? 0), line: first + i });
      open = true;
    }
  });
  return paragraphs;
}

let count = 0;
const report = (file, line, column, message, around) => {
  console.log(`${file}:${line}:${column}: ${message}   … ${around} …`);
  count++;
};
for (const file of documents) {
  // Titles of tests are quotations, in ‘…’.
  const text = readFileSync(join(root, file), 'utf8').replace(/‘[^’]*’/g, (title) => title.replace(/[^‘’\n]/g, 'X'));
  const { messages } = await linter.lintText(text, join(root, file));
  for (const { line, column, message } of messages) {
    const around = text.split('\n')[line - 1].slice(Math.max(0, column - 40), column + 40);
    report(file, line, column, message, around);
  }
}

/** Checks texts of a file, a paragraph each; returns how many there are. */
async function checkTexts(file, texts, allowed = []) {
  const text = texts.map((one) => one.text.replace(/[\\*_<>[\]#|]/g, ' ').trim()).join('\n\n');
  const { messages } = await linter.lintText(text, join(root, 'texts.md'));
  for (const { line, column, message } of messages) {
    if (allowed.some((one) => message.includes(one))) continue;
    const { text: whole, line: at } = texts[(line - 1) / 2];
    report(file, at, column, message, whole.slice(Math.max(0, column - 60), column + 60));
  }
  return texts.length;
}
let [sentences, comments, titles] = [0, 0, 0];
for (const file of sources) {
  if (isIn(SOURCES, file)) sentences += await checkTexts(file, sentencesOf(file), ALLOWED_IN_MESSAGES);
  comments += await checkTexts(file, commentsOf(file));
}
for (const file of tests) titles += await checkTexts(file, titlesOf(file));

const patterns = [...readFileSync(rules, 'utf8').matchAll(/pattern: '(.*)', expected: '(.*)' }/g)];
if (process.argv.includes('--rules'))
  for (const [, pattern, advice] of patterns) console.log(`${pattern}  =>  ${advice}`);
console.log(
  `${documents.length} documents, ${sentences} sentences in code, ${comments} paragraphs of comments, ${titles} titles of tests, ${patterns.length} patterns, ${count} to rewrite`,
);
process.exitCode = count > 0 ? 1 : 0;
