import { count, library } from './data.mjs';
import { FIRST_SEED, misfit, rankedModels } from './ranks.mjs';

const SIZES = { full: { draws: 1000, each: 100 }, quick: { draws: 100, each: 100 } };

async function run(study) {
  const { draws, each } = SIZES[study.quick ? 'quick' : 'full'];
  study.note(
    `${draws} draws of values from their prior (log-normal variances, lengthscales and noise, normal latents and weights), of 15 rows of five columns at them, 1000 of ppca, and of a new row; seeds are ${FIRST_SEED} to ${FIRST_SEED + draws - 1}. ` +
      'Ranks are those of the truth in the normal distribution of the mean and variance of `project`, and of `impute` for an entry that is hidden: counts of ten bins, χ² of their differences from equal ones, and the probability of a larger χ² where ranks are uniform. Latents of ppca are known up to rotation: its place is the part of a column that they explain.',
  );
  const rows = [];
  study.table('Ranks of what was drawn', ['model', 'of', 'counts', 'χ²', 'p'], rows);
  for (const [name, ranksOf] of Object.entries(rankedModels(library))) {
    const ranks = [];
    for (let first = 0; first < draws; first += each) {
      const drawn = await study.cell(`${name}, from draw ${first}`, async () => {
        const found = [];
        for (const d of count(each)) found.push(await ranksOf(library.seededRandom(FIRST_SEED + first + d)));
        return found;
      });
      ranks.push(...drawn);
    }
    for (const of of ['place', 'entry']) {
      const { counts, chi2, p } = misfit(ranks.map((each) => each[of]));
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
