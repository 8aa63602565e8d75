export { type ReadLabelsOptions, readLabels } from './labels.ts';
export { type ReadTableOptions, readTable, type Table } from './table.ts';
export { writeAtomically } from './writeAtomically.ts';
export { type LabelColumn, writeTable } from './writeTable.ts';
