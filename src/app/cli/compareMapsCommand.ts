import type { Command } from 'commander';
import { compareMaps, type MapComparison } from '../../inference/index.ts';
import { readFit } from './fitFiles.ts';
import { addFlags, chosen, type Given, JSON_OUTPUT, PARTS, wholeFrom } from './flags.ts';
import type { Context } from './streams.ts';
import { ofPoints } from './tableReport.ts';

const NEIGHBORS = [
  '--neighbors <k>',
  'nearest neighbors (default: 10, or what is below a quarter of the points)',
  wholeFrom(1),
] as const;
const FLAGS = [NEIGHBORS, PARTS, JSON_OUTPUT] as const;
type Arguments = Given<typeof FLAGS>;

/** `compare-maps A B` */
export const defineCompareMaps = (command: Command, { stdout }: Context): Command =>
  addFlags(
    command
      .argument('<dir>', 'folder of a fit')
      .argument('<other>', 'folder of another fit of the same points, or of some of them'),
    ...FLAGS,
  ).action(async (dir: string, other: string, given: Arguments) => {
    const fits = [await readFit(dir, given), await readFit(other, given)] as const;
    const [first, second] = fits.map(({ fit, record }) => ofPoints(fit, record?.ids));
    const found = compareMaps(fits[0].fit, fits[1].fit, {
      ...chosen(given, NEIGHBORS),
      ...(first && second && { ids: [first, second] }),
    });
    stdout.write(given.json ? `${JSON.stringify(facts(found, first))}\n` : sentences(found, first));
  });

const nameOf = ({ points }: MapComparison, ids: readonly string[] | undefined, p: number): string =>
  ids?.[points.first[p]!] ?? String(points.first[p]!);

const facts = (found: MapComparison, ids: readonly string[] | undefined) => ({
  points: found.points.first.length,
  neighbors: found.neighbors,
  overlap: found.overlap,
  byChance: found.byChance,
  procrustes: found.procrustes,
  pointwise: Array.from(found.points.first, (_, p) => ({
    point: nameOf(found, ids, p),
    overlap: found.pointwise.overlap[p],
    displacement: found.pointwise.displacement[p],
  })),
});

/** Number of points that moved most, listed by name. */
const MOST_LISTED = 5;

function sentences(found: MapComparison, ids: readonly string[] | undefined): string {
  const { neighbors, overlap, byChance, procrustes, points, pointwise } = found;
  const moved = Array.from(points.first.keys())
    .sort((p, q) => pointwise.displacement[q]! - pointwise.displacement[p]!)
    .slice(0, MOST_LISTED)
    .map((p) => `${nameOf(found, ids, p)} (${pointwise.displacement[p]!.toFixed(2)})`);
  return [
    `${points.first.length} points on both maps`,
    `${neighbors} nearest neighbors: ${overlap.toFixed(3)} are the same (${byChance.toFixed(3)} by chance)`,
    `Procrustes: ${procrustes.toFixed(3)} (0 the same but for turn, reflection, shift and scale; 1 unrelated)`,
    `moved most, in radii of the first map: ${moved.join(', ')}`,
    '',
  ].join('\n');
}
