// Laws that fits keep, and the models that do not claim one, with the reason. modelLaws.test.ts tests every other pair; `npm run laws` prints the table.

/** What each law says, by the name of its column. */
export const laws = {
  rows: 'A permutation of the rows permutes the latents and changes no objective.',
  columns: 'A permutation of the columns leaves latents and objective as they are, and permutes predictions.',
  shift: 'A constant added to each column leaves latents and objective as they are, and is added to predictions.',
  units: 'A column in another unit leaves latents as they are, and its predictions come in that unit.',
  constant: 'A constant column changes no latents, and is predicted as it is.',
  company: 'What is said of a row, or of a place, does not depend on the others asked about: the same bits.',
  saved: 'A fit that is saved and loaded has the same abilities, and each of them answers with the same bits.',
  missing:
    'A table without holes is fitted alike where holes are allowed, and entries that are there are not changed by filling in others.',
};

const raw = 'it takes columns as they come, so that the widest unit decides';
const byEvidence = 'a constant column is evidence about the noise or the scale, which all columns share';
const whole = 'it takes tables without holes only';
const random = 'its steps draw rows at random, by their number';
const evidenceOfAll = { constant: byEvidence };
const ofDistances = { units: raw, missing: whole };

/** Laws that a model does not claim, with the reason. */
export const leftOut = {
  gplvm: evidenceOfAll,
  tpslvm: evidenceOfAll,
  gplrf: evidenceOfAll,
  dgplvm: evidenceOfAll,
  llGplvm: evidenceOfAll,
  rankGplvm: evidenceOfAll,
  tsneGplvm: evidenceOfAll,
  bayesianGplvm: evidenceOfAll,
  tsne: ofDistances,
  umap: { ...ofDistances, rows: random },
  sammon: ofDistances,
  meu: evidenceOfAll,
  mpme: { units: raw, missing: whole },
  alle: { ...evidenceOfAll, missing: whole },
  drill: { ...evidenceOfAll, missing: whole },
  pca: ofDistances,
  ppca: { ...evidenceOfAll, missing: whole },
  kernelPca: ofDistances,
  classicalMds: ofDistances,
  isomap: ofDistances,
  mvu: ofDistances,
  lle: ofDistances,
  laplacianEigenmaps: ofDistances,
  lda: { missing: whole },
  kernelLda: ofDistances,
  lpp: ofDistances,
  slpp: ofDistances,
};
