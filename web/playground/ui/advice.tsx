import type { OwnTable } from '../data/ownTable.ts';
import type { ExpectedTime } from '../expectedTime.ts';
import { countsOf, IN_BATCHES, isSlow, MODELS, type Settings, withNeeded } from '../settings.ts';
import { duration } from './fitBar.tsx';
import type { OnRole } from './stages.tsx';

interface Given {
  readonly settings: Settings;
  readonly change: (changed: Partial<Settings>) => void;
}

/** Likelihood of counts with a variance larger than the mean. */
const COUNTS = 'negativeBinomial';

const MOST_NAMED = 4;

/** Names of columns, the first few of many. */
const named = (columns: readonly string[]): string =>
  columns.length > MOST_NAMED
    ? `${columns.slice(0, MOST_NAMED).join(', ')} and ${columns.length - MOST_NAMED} more`
    : columns.join(', ');

/** Advice on a table before it is fitted. */
export function TableAdvice({
  table,
  settings,
  change,
  onRole,
}: Given & { readonly table: OwnTable; readonly onRole: OnRole }) {
  const { units, classes, counts, categories } = table.advice;
  const { columns } = table.dataset;
  const chosen = countsOf(settings, columns);
  const others = counts.filter((column) => !chosen.includes(column));
  const areCounts = chosen.length === 0 && counts.length === columns.length;
  const takesCounts = 'likelihood' in MODELS[settings.model]!.options;
  const isDivided = 'scale' in MODELS[settings.model]!.options;
  return (
    <>
      {units !== '' && (
        <p class={settings.standardize || isDivided ? 'note' : 'warn'} role="status">
          {settings.standardize ? (
            'Columns are scaled to mean 0 and standard deviation 1.'
          ) : isDivided ? (
            `Columns are in different units: ${settings.model} divides them by their standard deviations.`
          ) : (
            <>
              {units}{' '}
              <button type="button" class="link" onClick={() => change({ standardize: true })}>
                Scale them alike
              </button>
            </>
          )}
        </p>
      )}
      {classes !== '' && <p class="warn">{classes}</p>}
      {categories.length > 0 && (
        <p class="note" role="status">
          {named(categories)} {categories.length === 1 ? 'contains' : 'contain'} text of few kinds, which is not fitted.{' '}
          <button type="button" class="link" onClick={() => onRole(categories, 'categories')}>
            {categories.length === 1 ? 'Fit it as categories' : 'Fit these as categories'}
          </button>
        </p>
      )}
      {chosen.length > 0 && (
        <p class="note" role="status">
          {named(chosen)} {chosen.length === 1 ? 'is' : 'are'} modeled as counts, with more spread than a Poisson
          distribution.
        </p>
      )}
      {!areCounts && others.length > 0 && (
        <p class="note" role="status">
          {named(others)} {others.length === 1 ? 'contains' : 'contain'} whole numbers from 0, like counts.{' '}
          <button type="button" class="link" onClick={() => onRole(others, 'count')}>
            {others.length === 1 ? 'Model it as counts' : 'Model these as counts'}
          </button>
        </p>
      )}
      {areCounts && (
        <p class="note" role="status">
          {takesCounts && settings.options.likelihood === COUNTS ? (
            'Values are modeled as counts, with more spread than a Poisson distribution.'
          ) : (
            <>
              All values are whole numbers from 0, like counts.{' '}
              <button
                type="button"
                class="link"
                onClick={() => {
                  const model = takesCounts ? settings.model : 'gplvm';
                  change({ model, options: withNeeded({ ...settings.options, likelihood: COUNTS }, model) });
                }}
              >
                Model them as counts
              </button>
            </>
          )}
        </p>
      )}
    </>
  );
}

/** Announcement of a fit that takes more than a minute. */
export function TimeAdvice({
  expected,
  settings,
}: {
  readonly expected: ExpectedTime | undefined;
  readonly settings: Settings;
}) {
  if (expected === undefined) return null;
  const { seconds, of } = expected;
  return (
    <p class="note" role="status">
      On this machine, the fit takes {of === undefined ? 'about' : 'roughly'} {duration(seconds)} if it needs all{' '}
      {settings.maxIterations.toLocaleString('en')} iterations, and less if it converges earlier
      {of !== undefined && ` (judged by ${of} of its rows)`}. It can be paused, and stopped at any point.
    </p>
  );
}

/** Advice on faster models for many rows. */
export function SlowAdvice({ rows, settings, change }: Given & { readonly rows: number }) {
  if (!isSlow(settings, rows)) return null;
  return (
    <p class="note">
      {settings.model} of {rows.toLocaleString('en')} rows needs a minute or more for its first step. In batches of{' '}
      {IN_BATCHES.options.batchSize.toLocaleString('en')} rows, bayesianGplvm takes minutes in total, and has error
      bars. pca takes seconds; umap, tsne and meu take minutes.{' '}
      <button type="button" class="link" onClick={() => change(IN_BATCHES)}>
        Use bayesianGplvm in batches
      </button>{' '}
      <button type="button" class="link" onClick={() => change({ model: 'pca' })}>
        Use pca
      </button>
    </p>
  );
}
