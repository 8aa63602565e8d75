import { checkGiven, isPart, readGiven } from '../../core/options.ts';
import type { ColumnsByKind } from './byKind.ts';

/**
 * Reads the option `columns` of a model.
 *
 * @throws InvalidInputError for unreadable options, and for values that `byKind` did not return
 */
export function columnsOption(options: { readonly columns?: ColumnsByKind | undefined } | undefined, caller: string) {
  const columns = readGiven(`The options of ${caller}`, () => options?.columns);
  if (columns === undefined) return undefined;
  return checkGiven(columns, `Option 'columns' of ${caller}`, 'byKind()', (own) =>
    isPart(own, 'columnsByKind', ['model']),
  );
}
