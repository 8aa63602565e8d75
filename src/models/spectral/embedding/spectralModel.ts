import type { Placing, Spectral } from '../../../model/abilities.ts';
import type { Embedding } from '../../../model/computation.ts';
import type { ComputedModel } from '../../../model/computedModel.ts';

/** A model that embeds by eigenvectors; `A` is what its fits can do beside showing its eigenvalues and placing new points. */
export type SpectralModel<A = unknown> = ComputedModel<Spectral & Placing & A>;

/** A model that embeds a graph alone: its fits have no observations to compare new ones with. */
export type GraphEmbedding<A = unknown> = ComputedModel<Spectral & A>;

/** A solution of eigenvectors. */
export type SpectralEmbedding = Embedding & { readonly eigenvalues: Float64Array };
