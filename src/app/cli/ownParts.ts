import type { OwnParts } from '../../index.ts';
import { readParts } from '../workers/index.ts';

/** Arguments of all commands that make or read a model. */
export interface PartsArguments {
  readonly parts?: string;
}

export const PARTS_FLAG = [
  '--parts <file.mjs>',
  'a module with kernels, priors, maps, likelihoods or models of your own',
] as const;

/** Exports of the module given to `--parts`; none without a module. */
export const partsOf = async (file: string | undefined): Promise<OwnParts> =>
  file === undefined ? {} : readParts(file);
