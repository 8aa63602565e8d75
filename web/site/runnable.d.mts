/** Import paths of the library that a page has. */
export const PATHS: readonly string[];
/** Programs of the ts blocks of a document; undefined for blocks that need something that a page does not have. */
export function programsOf(codes: readonly string[]): (string | undefined)[];
