// @module-tag long
import { describe, expect, it } from 'vitest';
import type { Random } from '../../src/index.ts';
import * as library from '../everything.ts';

type Ranked = Record<string, (random: Random) => Promise<Readonly<Record<string, number>>>>;
interface RankModule {
  readonly FIRST_SEED: number;
  misfit(ranks: readonly number[]): { readonly counts: readonly number[]; readonly chi2: number; readonly p: number };
  rankedModels(of: typeof library): Ranked;
  rankedMaps(of: typeof library, thinnedTo: number): Ranked;
}
const file = new URL('../../bench/reproductions/ranks.mjs', import.meta.url);
/** The module of the reproduction, which is plain JavaScript. */
const { FIRST_SEED, misfit, rankedMaps, rankedModels }: RankModule = await import(/* @vite-ignore */ file.href);

/** Probabilities of a larger χ², one per ranked quantity. */
async function probabilities(ranksOf: Ranked[string], draws: number): Promise<Record<string, number>> {
  const found: Readonly<Record<string, number>>[] = [];
  for (let d = 0; d < draws; d++) found.push(await ranksOf(library.seededRandom(FIRST_SEED + d)));
  return Object.fromEntries(Object.keys(found[0]!).map((of) => [of, misfit(found.map((each) => each[of]!)).p]));
}

describe('ranks of true values among posterior draws (simulation-based calibration)', () => {
  it.each(Object.entries(rankedModels(library)))(
    'are uniform for places and missing entries: %s',
    { timeout: 600_000 },
    async (_, ranksOf) => {
      const { place, entry } = await probabilities(ranksOf, 200);
      expect(place).toBeGreaterThan(0.001);
      expect(entry).toBeGreaterThan(0.001);
    },
  );

  it('are uniform for distances on a map and its noise, among draws of samplePosterior', {
    timeout: 600_000,
  }, async () => {
    // Among 49 draws a rank is one of 50, five to a bin, so that each bin has a tenth of them.
    const { distance, noise } = await probabilities(rankedMaps(library, 49)['map of ten rows, by draws']!, 50);
    expect(distance).toBeGreaterThan(0.001);
    expect(noise).toBeGreaterThan(0.001);
  });

  it('have a χ² of nine degrees of freedom, whose tail agrees with tables', () => {
    const counted = (counts: readonly number[]) =>
      misfit(counts.flatMap((n, b) => new Array<number>(n).fill((b + 0.5) / 10)));
    expect(counted(new Array<number>(10).fill(20)).p).toBeCloseTo(1, 6);
    // SciPy: chi2.sf(22.5, 9)
    const { chi2, p } = counted([35, 5, 20, 20, 20, 20, 20, 20, 20, 20]);
    expect(chi2).toBeCloseTo(22.5, 12);
    expect(p).toBeCloseTo(0.0074224494199438005, 6);
  });
});
