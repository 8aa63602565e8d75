export { type Lock, lockPath } from '../../core/fileLock.ts';
export { type WriteOptions, writeAtomically } from '../../core/fileWriting.ts';
export type { GivenColumns, KnownColumns, NormalizedCounts, OffsetColumn } from '../../core/namedTable.ts';
export { type CompressedRows, SparseMatrix } from '../../core/sparseMatrix.ts';
export type { ColumnChoice } from './chosenColumns.ts';
export { type LeftOut, type ReadLabelsOptions, readLabels } from './columnRoles.ts';
export type { CompletedText } from './completedText.ts';
export { checkFilePath, checkFolderPath, makeFolder, makeTemporaryFolder, removeEmptyFolders } from './makeFolder.ts';
export { readMatchingTable } from './matchedTable.ts';
export type { MissingValues } from './missingValues.ts';
export { parseTable } from './parseTable.ts';
export { type ReadSparseTableOptions, readSparseTable, type SparseTable } from './readSparseTable.ts';
export { type FileSums, openResultFolder, type ResultFolder, readResult } from './resultFolder.ts';
export { rowsOf } from './rowsOf.ts';
export { readWholeFile } from './source.ts';
export {
  type NormalizeCountsOptions,
  normalizeCounts,
  type StandardizedColumns,
  standardize,
} from './standardization.ts';
export type { Table } from './table.ts';
export { readTable, writeTable } from './tableFiles.ts';
export type { ReadTableOptions } from './tableOptions.ts';
export { type LabelColumn, tableText, type WriteTableOptions } from './tableText.ts';
