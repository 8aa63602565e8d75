import { count, library } from './data.mjs';
import { FIRST_SEED, misfit, rankedMaps, rankedModels } from './ranks.mjs';

const SIZES = { full: { draws: 1000, maps: 200 }, quick: { draws: 20, maps: 4 } };

async function run(study) {
  const { draws, maps } = SIZES[study.quick ? 'quick' : 'full'];
  study.note(
    `${draws} draws of values from their prior (log-normal variances, lengthscales and noise, normal latents and weights), of 15 rows of five columns at them, 1000 of ppca, and of a new row; seeds are ${FIRST_SEED} to ${FIRST_SEED + draws - 1}. ` +
      'Ranks are those of the truth in the normal distribution of the mean and variance of `project`, and of `impute` for an entry that is hidden: counts of ten bins, χ² of their differences from equal ones, and the probability of a larger χ² where ranks are uniform. Latents of ppca are known up to rotation: its place is the part of a column that they explain. ' +
      `A map is ${maps} times drawn whole, with its kernel and noise: the distance of two of its rows and the noise have their ranks among 99 draws of \`samplePosterior\` (every tenth of two chains of 500); the distance has one among 99 draws from Gaussian rows, fitted at the kernel and noise that were drawn, which is an approximation.`,
  );
  const rows = [];
  study.table('Ranks of what was drawn', ['model', 'of', 'counts', 'χ²', 'p'], rows);
  const ranked = [
    ...Object.entries(rankedModels(library)).map(([name, ranksOf]) => ({ name, ranksOf, all: draws })),
    ...Object.entries(rankedMaps(library)).map(([name, ranksOf]) => ({ name, ranksOf, all: maps })),
  ];
  for (const { name, ranksOf, all } of ranked) {
    const ranks = [];
    const each = Math.min(all, 100);
    for (let first = 0; first < all; first += each) {
      const drawn = await study.cell(`${name}, from draw ${first}`, async () => {
        const found = [];
        for (const d of count(each)) found.push(await ranksOf(library.seededRandom(FIRST_SEED + first + d)));
        return found;
      });
      ranks.push(...drawn);
    }
    for (const of of Object.keys(ranks[0])) {
      const { counts, chi2, p } = misfit(ranks.map((one) => one[of]));
      rows.push([name, of, counts.join(' '), chi2.toFixed(1), p.toFixed(3)]);
    }
  }
}

export const rankUniformity = {
  name: 'rank-uniformity',
  title: 'Ranks of what was drawn among what is predicted (simulation-based calibration)',
  source: 'Talts et al. 2018, Validating Bayesian inference algorithms with simulation-based calibration',
  files: [],
  run,
};
