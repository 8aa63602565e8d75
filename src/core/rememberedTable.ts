import { checkTable, type FittedTable, type NamedTable } from './namedTable.ts';

/** The part of a table that a fit keeps. */
export function rememberedTable(table: NamedTable): FittedTable {
  const {
    columns,
    isNamed = true,
    ids,
    idColumn,
    labelColumn,
    labels,
    leftOut = [],
    counts,
    writtenUnits,
    given,
    offset,
  } = checkTable(table);
  const others = leftOut.map(({ column }) => column);
  return {
    columns: [...columns],
    isNamed,
    others: labelColumn === undefined || others.includes(labelColumn) ? others : [...others, labelColumn],
    ...(ids !== undefined && { ids: [...ids], idColumn }),
    ...(labelColumn !== undefined && { labelColumn }),
    ...(labels !== undefined && { labels: [...labels] }),
    ...(counts !== undefined && { counts: { ...counts } }),
    ...(writtenUnits !== undefined && { writtenUnits: { ...writtenUnits } }),
    ...(given !== undefined && { covariates: [...given.columns] }),
    ...(offset !== undefined && { offset: { column: offset.column, isExposure: offset.isExposure } }),
  };
}
