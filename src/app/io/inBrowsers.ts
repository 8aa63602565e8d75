// Replaces this folder's index in browser bundles (see "browser" in package.json), where there are no files to open.
export { parseTable } from './parseTable.ts';
export { standardize } from './standardization.ts';
export { tableText } from './tableText.ts';
