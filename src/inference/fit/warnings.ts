import { square } from '../../core/elementary/index.ts';
import type { Matrix } from '../../core/matrix.ts';
import { columnMeans } from '../../core/observations.ts';
import type { FitOutcome, FitWarning } from '../../model/fit.ts';
import type { AnyPosterior } from '../../model/posterior.ts';

/** Fraction of the largest deviation or relevance below which a latent dimension counts as unused. */
const UNUSED = 0.01;
/** Latent coordinates per observed entry above which points may follow the noise. */
const MANY = 1 / 4;

/** Numbers of latent coordinates and observed entries, and whether there are enough coordinates for the points to follow the noise. */
export function coordinatesOf(latents: readonly Matrix[], observations: readonly Matrix[]) {
  const coordinates = latents.reduce((sum, { data }) => sum + data.length, 0);
  const entries = observations.reduce((sum, { data }) => sum + data.filter(Number.isFinite).length, 0);
  return { coordinates, entries, areMany: coordinates > MANY * entries };
}

/** Outcome of a new fit with warnings about its latents; saved fits already contain theirs. */
export function warnedOutcome(outcome: FitOutcome, posterior: AnyPosterior): FitOutcome {
  const { diagnostics, message } = outcome;
  if (diagnostics.approximations === undefined || diagnostics.warnings !== undefined) return outcome;
  const warnings = [...unusedDimensions(posterior), ...manyDimensions(posterior)];
  if (warnings.length === 0) return outcome;
  const sentences = warnings.map((warning) => ` ${warning.message}`).join('');
  return { ...outcome, message: message + sentences, diagnostics: { ...diagnostics, warnings } };
}

function unusedDimensions({ latents, distribution }: AnyPosterior): FitWarning[] {
  const { columns } = latents;
  const { relevance } = distribution ?? {};
  const views = relevance === undefined || relevance instanceof Float64Array ? [relevance] : Object.values(relevance);
  const center = columnMeans(latents);
  const squares = new Float64Array(columns);
  latents.data.forEach((x, k) => {
    squares[k % columns]! += square(x - center[k % columns]!);
  });
  const use = squares.map((sum, d) => Math.max(...views.map((own) => own?.[d] ?? Math.sqrt(sum))));
  const least = UNUSED * Math.max(...use);
  const dimensions = Array.from(use.keys()).filter((d) => use[d]! < least);
  if (dimensions.length === 0) return [];
  const names = dimensions.map((d) => d + 1).join(', ');
  const what = relevance === undefined ? 'the latents vary' : 'the mapping varies';
  const message = `Not used of ${columns} latent dimensions: ${names}, along which ${what} less than ${UNUSED} of the most. Give \`latentDim: ${columns - dimensions.length}\`.`;
  return [{ code: 'unusedDimensions', dimensions, message }];
}

function manyDimensions({ latents, variables }: AnyPosterior): FitWarning[] {
  if (variables?.arePoints !== true) return [];
  const all = Object.values(variables.observations);
  const { entries, areMany } = coordinatesOf([latents], all);
  if (!areMany || !all.some(({ data }) => data.some(Number.isNaN))) return [];
  const q = latents.columns;
  const message = `Rows have ${q} latent coordinates for ${(entries / latents.rows).toFixed(1)} observed entries on average, so points may follow the noise, and intervals of missing entries may be too narrow. Take fewer dimensions, or a model that integrates them out: ppca, bayesianGplvm.`;
  return [{ code: 'manyDimensions', dimensions: Array.from({ length: q }, (_, d) => d), message }];
}
