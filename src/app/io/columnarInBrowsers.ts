import { InvalidInputError } from '../../core/errors.ts';
import type { arrowTable as arrowTableInNode, parquetTable as parquetTableInNode } from './columnarTable.ts';

// Takes the place of columnarTable.ts in bundles for browsers (see "browser" in package.json), which would have to carry two more packages.
const inNodeOnly = async (_: Uint8Array, file: string): Promise<never> => {
  throw new InvalidInputError(
    `'${file}' is a Parquet or Arrow file, which a page cannot read. Save the table as .csv or .npy.`,
  );
};

export const parquetTable: typeof parquetTableInNode = inNodeOnly;
export const arrowTable: typeof arrowTableInNode = inNodeOnly;
