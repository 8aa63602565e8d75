// Takes the place of this folder's index in bundles for browsers (see "browser" in package.json), where there are no files to open.
export { parseTable } from './parseTable.ts';
export { standardise } from './standardise.ts';
export { tableText } from './tableText.ts';
