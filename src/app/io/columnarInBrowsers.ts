import { InvalidInputError } from '../../core/errors.ts';
import type { arrowTable as arrowTableInNode, parquetTable as parquetTableInNode } from './columnarTable.ts';

// Replaces columnarTable.ts in browser bundles (see "browser" in package.json), which would otherwise contain two more packages.
const inNodeOnly = async (_: Uint8Array, file: string): Promise<never> => {
  throw new InvalidInputError(
    `'${file}' is a Parquet or Arrow file, which a page cannot read. Save the table as .csv or .npy.`,
  );
};

export const parquetTable: typeof parquetTableInNode = inNodeOnly;
export const arrowTable: typeof arrowTableInNode = inNodeOnly;
