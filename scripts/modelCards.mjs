// Fills in the options of each model's card in docs/models.md, from the schema of the command line; with --check, compares them instead.
//
//   npm run cards [-- --check]
import { readFileSync, writeFileSync } from 'node:fs';

await import('./prepare.mjs');
const { descriptionOf, MODEL_NAMES, OPTIONS } = await import('../dist/app/cli/modelDescriptions.js');
const page = new URL('../docs/models.md', import.meta.url);
const cell = (text) => text.replaceAll('|', '\\|').replaceAll('{', '&#123;');

/** The options of a model: names of those of all models, rows for those that differ. */
function optionsOf(model) {
  const { options, own = {} } = descriptionOf(model);
  const names = ['latentDim', ...options].filter((name, i, all) => all.indexOf(name) === i);
  const rows = Object.entries(own).map(([name, text]) => `- \`${name}\`: ${cell(text)}`);
  return [`**Options**: ${names.map((name) => `\`${name}\``).join(', ')}.`, ...(rows.length > 0 ? ['', ...rows] : [])];
}

const shared = () => [
  '| option | meaning (default) |',
  '| --- | --- |',
  ...Object.entries(OPTIONS).map(([name, text]) => `| \`${name}\` | ${cell(text)} |`),
];

const before = readFileSync(page, 'utf8');
const missing = MODEL_NAMES.filter((name) => !before.includes(`<!-- options ${name} -->`));
if (missing.length > 0) throw new Error(`docs/models.md has no card of ${missing.join(', ')}.`);
const after = before.replace(
  /<!-- options (\w+) -->\n[\s\S]*?<!-- end -->/g,
  (_, name) => `<!-- options ${name} -->\n${(name === 'all' ? shared() : optionsOf(name)).join('\n')}\n<!-- end -->`,
);
if (!process.argv.includes('--check')) writeFileSync(page, after);
else if (after !== before) {
  console.error('docs/models.md differs from the options of the models: npm run cards writes them.');
  process.exitCode = 1;
}
