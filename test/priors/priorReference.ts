import { reference } from '../reference.ts';

export interface EdgesJSON {
  readonly sources: number[];
  readonly targets: number[];
  readonly weights: number[];
}

interface Distribution {
  readonly logDensity: number[];
}

/** What test/reference/scripts/priors.py wrote. */
export interface PriorReference {
  readonly X: number[][];
  readonly Y: number[][];
  readonly labels: number[];
  readonly missing: (number | null)[];
  readonly graphs: {
    readonly grid: {
      readonly points: number[][];
      readonly knn: (EdgesJSON & { k: number })[];
      readonly epsilon: (EdgesJSON & { radius: number })[];
    };
    readonly heat: EdgesJSON & { k: number; width: number };
    readonly labels: EdgesJSON;
    readonly union: EdgesJSON & { k: number; width: number };
  };
  readonly latents: {
    readonly laplacian: {
      graph: 'labels' | 'missing' | 'knn' | 'union';
      strength: number;
      offset: number;
      value: number;
    }[];
    readonly discriminative: {
      missing: boolean;
      strength: number;
      form: 'published' | 'paper';
      r: number;
      value: number;
    }[];
    readonly rank: { strength: number; beta: number; value: number }[];
    readonly locality: { neighbors: number; strength: number; regularization: number; value: number }[];
    readonly localityGraph: { k: number; strength: number; regularization: number; value: number }[];
    readonly tsne: { strength: number; perplexity: number; value: number }[];
    readonly markov: { coefficient: number; variance: number; segments: number[]; initial: boolean; value: number }[];
    readonly dynamics: {
      segments: number[];
      order: 'next' | 'difference';
      variance: number;
      lengthscale: number;
      white: number;
      value: number;
    }[];
  };
  readonly parameters: {
    readonly points: number[];
    readonly gamma: (Distribution & { shape: number; rate: number })[];
    readonly inverseGamma: (Distribution & { shape: number; scale: number })[];
    readonly logNormal: (Distribution & { mean: number; deviation: number })[];
    readonly halfNormal: (Distribution & { scale: number })[];
    readonly normal: (Distribution & { mean: number; deviation: number })[];
  };
}

export const priorReference = reference<PriorReference>('priors.json');
