import type { Command } from 'commander';
import type { Fit } from '../../index.ts';
import { readFit } from './fitFiles.ts';
import { addFlags, camelCase, type Given, JSON_OUTPUT, PARTS } from './flags.ts';
import { isModelName, modelHelp } from './modelHelp.ts';
import { type Context, effort } from './streams.ts';
import { list, offsetInWords, type TableRecord } from './tableReport.ts';

/** Optional methods of fits that are listed. */
const ABILITIES = ['predict', 'project', 'reconstruct', 'impute', 'sample', 'interpolate', 'forecast'] as const;

const FLAGS = [PARTS, JSON_OUTPUT] as const;

/** `info DIR|MODEL` */
export const defineInfo = (command: Command, { stdout, flagged }: Context): Command =>
  addFlags(command.argument('<dir|model>', 'folder of a fit, or the name of a model'), ...FLAGS).action(
    async (subject: string, given: Given<typeof FLAGS>) => {
      const model = camelCase(subject);
      if (isModelName(model)) {
        stdout.write(modelHelp(model));
        return;
      }
      const { fit, record } = await readFit(subject, given);
      stdout.write(given.json ? `${JSON.stringify(facts(fit, record))}\n` : flagged(sentences(fit, record)));
    },
  );

const facts = (fit: Fit, record: TableRecord | undefined) => ({
  model: fit.model,
  points: fit.latents.rows,
  latentDim: fit.latents.columns,
  columns: record?.columns,
  idColumn: record?.idColumn,
  labelColumn: record?.labelColumn,
  standardized: record?.standardized !== undefined,
  objective: fit.objective,
  terms: fit.terms,
  status: fit.status,
  message: fit.message,
  diagnostics: fit.diagnostics,
  parameters: fit.parameters,
  abilities: ABILITIES.filter((name) => typeof fit[name] === 'function'),
});

function sentences(fit: Fit, record: TableRecord | undefined): string {
  const { model, latents, objective, terms, message, diagnostics, parameters } = fit;
  const lines = [`${model}: ${latents.rows} points, latent dimension ${latents.columns}`];
  if (record !== undefined) {
    const standardized = record.standardized === undefined ? '' : ', standardized';
    lines.push(`${record.columns.length} columns${standardized}: ${list(record.columns)}`);
    if (record.covariates !== undefined) lines.push(`covariates: ${list(record.covariates)}`);
    if (record.offset !== undefined) lines.push(`offset: ${offsetInWords(record.offset)}`);
    if (record.idColumn !== undefined) lines.push(`ids: '${record.idColumn}'`);
    if (record.labelColumn !== undefined) lines.push(`labels: '${record.labelColumn}'`);
  }
  lines.push(`objective ${objective}`);
  const parts = Object.entries(terms);
  if (parts.length > 1) for (const [name, value] of parts) lines.push(`  ${name} ${value}`);
  lines.push(message.replace('`start`', '--start'));
  if (diagnostics.criterion !== undefined) lines.push(`ended because ${diagnostics.criterion}`);
  lines.push(effort(diagnostics));
  for (const [path, value] of Object.entries(parameters)) lines.push(`${path} = ${shown(value)}`);
  lines.push(`can ${ABILITIES.filter((name) => typeof fit[name] === 'function').join(', ')}`);
  return `${lines.join('\n')}\n`;
}

function shown(value: Fit['parameters'][string]): string {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.length <= 6 ? `[${value.join(', ')}]` : `${value.length} numbers`;
  return 'rows' in value ? `${value.rows}×${value.columns} numbers` : `${Object.keys(value).length} entries`;
}
