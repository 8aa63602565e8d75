import type { OwnTable } from '../data/ownTable.ts';
import { IN_BATCHES, isSlow, MODELS, type Settings } from '../settings.ts';

interface Given {
  readonly settings: Settings;
  readonly change: (changed: Partial<Settings>) => void;
}

/** What to look at in a table before it is fitted. */
export function TableAdvice({ table, settings, change }: Given & { readonly table: OwnTable }) {
  const { units, classes } = table.advice;
  const isDivided = 'scale' in MODELS[settings.model]!.options;
  return (
    <>
      {units !== '' && (
        <p class={settings.standardize || isDivided ? 'note' : 'warn'} role="status">
          {settings.standardize ? (
            'Columns are brought to mean 0 and deviation 1.'
          ) : isDivided ? (
            `Columns are in different units: ${settings.model} divides them by their deviations.`
          ) : (
            <>
              {units}{' '}
              <button type="button" class="link" onClick={() => change({ standardize: true })}>
                Bring them to one scale
              </button>
            </>
          )}
        </p>
      )}
      {classes !== '' && <p class="warn">{classes}</p>}
    </>
  );
}

/** Models that many rows are better fitted with. */
export function SlowAdvice({ rows, settings, change }: Given & { readonly rows: number }) {
  if (!isSlow(settings, rows)) return null;
  return (
    <p class="note">
      {settings.model} of {rows.toLocaleString('en')} rows takes a minute and more to its first step. In batches of{' '}
      {IN_BATCHES.options.batchSize.toLocaleString('en')} rows bayesianGplvm takes minutes in all, and has error bars.
      pca takes seconds; umap, tsne and meu take minutes.{' '}
      <button type="button" class="link" onClick={() => change(IN_BATCHES)}>
        Take bayesianGplvm in batches
      </button>{' '}
      <button type="button" class="link" onClick={() => change({ model: 'pca' })}>
        Take pca
      </button>
    </p>
  );
}
