import type { Placing, Spectral } from '../../../model/abilities.ts';
import type { AnyPaths, Model } from '../../../model/model.ts';

/** A model that embeds by eigenvectors; `A` is what its fits can do beside showing its eigenvalues and placing new points. */
export type SpectralModel<A = unknown> = Model<AnyPaths, Spectral & Placing & A, 'byItself'>;

/** A model that embeds a graph alone: its fits have no observations to compare new ones with. */
export type GraphEmbedding<A = unknown> = Model<AnyPaths, Spectral & A, 'byItself'>;
