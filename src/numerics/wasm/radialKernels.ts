import type { CompiledProfile } from './radialOperations.ts';

/** What the compiled kernels call the profiles: `assembly/radialProfiles.ts`. */
export const PROFILE_NUMBERS: Readonly<Record<CompiledProfile, number>> = {
  thinPlate1: 1,
  thinPlate2: 2,
  thinPlate3: 3,
  thinPlate4: 4,
  matern12: 5,
  matern32: 6,
  matern52: 7,
  rbf: 8,
};

/** Numbers of workspace that `radialGram` takes for a thread. */
export const GRAM_WORKSPACE = 64;

/** The compiled kernels of radial covariances, those between two sets of points over a range of rows: `assembly/` says what each one does. */
export interface RadialKernels {
  radialGram(
    profile: number,
    n: number,
    q: number,
    x: number,
    variance: number,
    shift: number,
    diagonal: number,
    k: number,
    mirrored: boolean,
    work: number,
  ): void;
  radialGramGradient(
    profile: number,
    n: number,
    q: number,
    x: number,
    variance: number,
    k: number,
    g: number,
    result: number,
    work: number,
  ): void;
  /** Numbers of workspace for the gradient of a covariance of n points, of a result of so many numbers. */
  gradientWorkspace(n: number, length: number): number;
  radialCross(
    profile: number,
    n: number,
    m: number,
    q: number,
    a: number,
    b: number,
    variance: number,
    rowStart: number,
    rowEnd: number,
    k: number,
    work: number,
  ): void;
  radialCrossGradient(
    profile: number,
    n: number,
    m: number,
    q: number,
    a: number,
    b: number,
    variance: number,
    rowStart: number,
    rowEnd: number,
    k: number,
    g: number,
    da: number,
    db: number,
    work: number,
  ): number;
}
