/** Bytes of a team's block in the memory, and words of it by their byte offsets: see assembly/team.ts. */
export const BLOCK_BYTES = 640;
export const ROUND = 0;
export const JOINED = 192;
export const ENDED = 320;
export const FAILED = 324;
