// Fills in the options of each model's card in docs/models.md, from the docstrings of the models; with --check, compares them instead.
//
//   npm run cards [-- --check]
import { readFileSync, writeFileSync } from 'node:fs';
import { cell, codeInCell } from './documents/markdown.mjs';

await import('./prepare.mjs');
const { modelOptions } = await import('../dist/app/cli/modelOptions.js');
const page = new URL('../docs/models.md', import.meta.url);
const inCode = (text) =>
  text.replace(/[^`]+|`[^`]*`/g, (part) => (part.startsWith('`') ? codeInCell(part) : cell(part)));

const all = Object.values(modelOptions).flatMap(({ options }) => Object.entries(options));

/** Texts that several models share, by option: the most frequent one of each. */
const shared = [...new Set(all.map(([name]) => name))].flatMap((name) => {
  const texts = all.filter(([of]) => of === name).map(([, text]) => text);
  const count = (text) => texts.filter((other) => other === text).length;
  const text = texts.reduce((most, one) => (count(one) > count(most) ? one : most));
  return count(text) > 1 ? [[name, text]] : [];
});

/** The options of a model: all by name, and the texts that are its own. */
function optionsOf(model) {
  const { options } = modelOptions[model];
  const names = Object.keys(options).map((name) => `\`${name}\``);
  const own = Object.entries(options).filter(
    ([name, text]) => !shared.some(([of, same]) => of === name && same === text),
  );
  const rows = own.map(([name, text]) => `- \`${name}\`: ${inCode(text)}`);
  return [`**Options**: ${names.join(', ')}.`, ...(rows.length > 0 ? ['', ...rows] : [])];
}

const table = () => [
  '| option | meaning |',
  '| --- | --- |',
  ...shared.map(([name, text]) => `| \`${name}\` | ${inCode(text)} |`),
];

const before = readFileSync(page, 'utf8');
const after = before.replace(
  /<!-- options (\w+) -->\n[\s\S]*?<!-- end -->/g,
  (_, name) => `<!-- options ${name} -->\n${(name === 'all' ? table() : optionsOf(name)).join('\n')}\n<!-- end -->`,
);
if (!process.argv.includes('--check')) writeFileSync(page, after);
else if (after !== before) {
  console.error('docs/models.md differs from the docstrings of the models: npm run cards writes them.');
  process.exitCode = 1;
}
