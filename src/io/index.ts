export type { ColumnChoice } from './chosenColumns.ts';
export type { LeftOut } from './columnRoles.ts';
export { type ReadLabelsOptions, readLabels } from './labels.ts';
export { readMatchingTable } from './matchedTable.ts';
export { type StandardisedColumns, standardise } from './standardise.ts';
export { readTable, type Table } from './table.ts';
export type { ReadTableOptions } from './tableOptions.ts';
export { writeAtomically } from './writeAtomically.ts';
export { type LabelColumn, tableText, type WriteTableOptions, writeTable } from './writeTable.ts';
