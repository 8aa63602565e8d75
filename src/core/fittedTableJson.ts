import * as v from 'valibot';
import { InvalidInputError } from './errors.ts';
import type { FittedTable } from './namedTable.ts';

const names = v.array(v.string());
const numbers = v.array(v.pipe(v.number(), v.finite()));
const schema = v.object({
  columns: v.pipe(names, v.minLength(1)),
  isNamed: v.boolean(),
  others: names,
  idColumn: v.optional(v.string()),
  ids: v.optional(names),
  labelColumn: v.optional(v.string()),
  labels: v.optional(names),
  counts: v.optional(
    v.object({ rowSums: v.optional(v.pipe(v.number(), v.finite(), v.gtValue(0))), log1p: v.optional(v.boolean()) }),
  ),
  standardised: v.optional(
    v.object({ mean: numbers, deviation: v.array(v.pipe(v.number(), v.finite(), v.gtValue(0))) }),
  ),
});

/**
 * Reads the description of a table from a saved fit.
 *
 * @param owner - the fit, as the error calls it
 * @throws InvalidInputError if it is damaged
 */
export function fittedTableFromJSON(json: unknown, owner: string): FittedTable {
  const result = v.safeParse(schema, json);
  const table = result.success ? (result.output as FittedTable) : undefined;
  const { mean, deviation } = table?.standardised ?? {};
  const width = table?.columns.length;
  if (table !== undefined && [mean, deviation].every((list) => list === undefined || list.length === width)) {
    return table;
  }
  const place = result.success
    ? 'standardised'
    : (result.issues[0].path?.map(({ key }) => String(key)).join('.') ?? '');
  throw new InvalidInputError(`${owner} is damaged at table.${place}. Fit the data again.`);
}
