// Checks the English of the documents for users by the patterns of scripts/prose/rules.yml. Code, in blocks and in `spans`, is left out.
//
//   npm run check:prose
//   npm run check:prose -- docs/models.md
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TextlintKernelDescriptor } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
import { createLinter } from 'textlint';
import prh from 'textlint-rule-prh';

const root = fileURLToPath(new URL('..', import.meta.url));
const rules = join(root, 'scripts/prose/rules.yml');
/** Evidence for maintainers, and the reference of the API, which are not checked. */
const UNCHECKED = /^docs\/(?:project|api)\//;

const documents = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`)
  .filter((file) => !UNCHECKED.test(file));
const files = process.argv.length > 2 ? process.argv.slice(2) : ['README.md', ...documents.sort()];

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

let count = 0;
for (const { filePath, messages } of await linter.lintFiles(files.map((file) => join(root, file)))) {
  const lines = readFileSync(filePath, 'utf8').split('\n');
  for (const { line, column, message } of messages) {
    const around = lines[line - 1].slice(Math.max(0, column - 40), column + 40);
    console.log(`${filePath.slice(root.length)}:${line}:${column}: ${message}   … ${around} …`);
  }
  count += messages.length;
}
const patterns = readFileSync(rules, 'utf8').match(/pattern:/g).length;
console.log(`${files.length} documents, ${patterns} patterns, ${count} sentences to rewrite`);
process.exitCode = count > 0 ? 1 : 0;
