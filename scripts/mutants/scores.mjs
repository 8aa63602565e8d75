const scores = ['test/inference/scores.test.ts', 'test/inference/scoresReference.test.ts'];
const densities = 'test/priors/parameterPriors.test.ts';
const hierarchies = 'test/model/hierarchies.test.ts';
const latents = 'test/priors/latentPriors.test.ts';

/** Transforms, scores, priors, special functions. */
export default [
  {
    file: 'src/model/transform.ts',
    tests: ['test/model/positiveTransform.test.ts', 'test/model/transforms.test.ts'],
    faults: [
      ['(upper - natural[i]!)) / (upper - lower)', '(upper - natural[i]!))'],
      [
        'toNatural: (unconstrained) => unconstrained.map((entry) => (entry > 36 ? entry',
        'toNatural: (unconstrained) => unconstrained.map((entry) => (entry > 20 ? entry',
      ],
      [
        'toUnconstrained: (natural) => natural.map((entry) => (entry > 36 ? entry',
        'toUnconstrained: (natural) => natural.map((entry) => (entry > 20 ? entry',
      ],
      ['entry * -expm1(-natural[i]!)', 'entry * exp(-natural[i]!)'],
      ['lower + (upper - lower) / (1 + exp(-entry))', 'lower + upper / (1 + exp(-entry))'],
      ['log((entry - lower) / (upper - entry))', 'log((entry - lower) / (upper - lower))'],
      ['gradient.map((entry, i) => entry * natural[i]!)', 'gradient.slice()'],
    ],
  },
  {
    file: 'src/inference/scores/trustworthiness.ts',
    tests: scores,
    faults: [
      ['(n * k * (2 * n - 3 * k - 1))', '(n * k * (2 * n - 3 * k))'],
      [
        'return neighbourhoodPreservation(embedding, data, k);',
        'return neighbourhoodPreservation(data, embedding, k);',
      ],
      ['ranks[j] = place + 1;', 'ranks[j] = place;'],
      ['k >= n / 2', 'k > n / 2'],
    ],
  },
  {
    file: 'src/inference/scores/nearestNeighbourError.ts',
    tests: scores,
    faults: [
      ['distances[i] = Number.POSITIVE_INFINITY;', ''],
      ['if (own[nearest] !== own[i]) errors++;', 'if (labels[nearest] === labels[i]) errors++;'],
    ],
  },
  {
    file: 'src/inference/scores/negativeLogPredictiveDensity.ts',
    tests: scores,
    faults: [
      ['log(2 * Math.PI * v) / 2', 'log(Math.PI * v) / 2'],
      ['/ (2 * v);', '/ v;'],
      ['if (!(v > 0)) {', 'if (!(v >= 0)) {'],
    ],
  },
  {
    file: 'src/inference/scores/normalizedMutualInformation.ts',
    tests: scores,
    faults: [
      ['Math.sqrt(entropies[0] * entropies[1])', 'Math.max(entropies[0], entropies[1])'],
      ['(count * size) / (rowTotals[r]! * columnTotals[c]!)', 'count / (rowTotals[r]! * columnTotals[c]!)'],
    ],
  },
  {
    file: 'src/inference/scores/rootMeanSquaredError.ts',
    tests: scores,
    faults: [['return Math.sqrt(sum / entries.length);', 'return Math.sqrt(sum / (entries.length - 1));']],
  },
  {
    file: 'src/inference/scores/kMeans.ts',
    tests: scores,
    faults: [
      ['next.withinSumOfSquares < best.withinSumOfSquares', 'next.withinSumOfSquares > best.withinSumOfSquares'],
      ['k > different', 'k > rows.length'],
    ],
  },
  {
    file: 'src/inference/scores/maskedEntries.ts',
    tests: scores,
    faults: [['mask.data[i] !== 0', 'mask.data[i] === 0']],
  },
  {
    file: 'src/model/distributions/gamma.ts',
    tests: densities,
    faults: [
      ['(shape - 1) * log(x)', 'shape * log(x)'],
      ['shape * log(rate)', 'shape * log(shape)'],
    ],
  },
  {
    file: 'src/model/distributions/inverseGamma.ts',
    tests: densities,
    faults: [['(shape + 1) * log(x)', 'shape * log(x)']],
  },
  {
    file: 'src/model/distributions/halfNormal.ts',
    tests: densities,
    faults: [['0.5 * log(2 / Math.PI)', '-0.5 * log(2 * Math.PI)']],
  },
  {
    file: 'src/model/distributions/logNormal.ts',
    tests: densities,
    faults: [
      ['-0.5 * z * z - log(x)', '-0.5 * z * z'],
      ['(z / deviation + 1) / x', '(z / deviation) / x'],
    ],
  },
  {
    file: 'src/model/distributions/normal.ts',
    tests: densities,
    faults: [['-0.5 * square((x - mean) / deviation)', '-0.5 * square(x - mean)']],
  },
  {
    file: 'src/priors/standardNormal.ts',
    tests: 'test/priors/standardNormal.test.ts',
    faults: [
      ['op.mul(X.shape[1] / 2,', 'op.mul(X.shape[1],'],
      ['op.sub(op.log(p.precision), log(2 * Math.PI))', 'op.add(op.log(p.precision), log(2 * Math.PI))'],
    ],
  },
  {
    file: 'src/tensors/ops/normalLogDensity.ts',
    tests: 'test/priors/standardNormal.test.ts',
    faults: [
      ['(n / 2) * log', 'n * log'],
      ['(0.5 * n) / gamma - 0.5 * squares', '(0.5 * n) / gamma'],
    ],
  },
  {
    file: 'src/model/distributions/gamma.ts',
    tests: hierarchies,
    faults: [['log(rate) - digamma(shape)', 'log(rate) - digamma(rate)']],
  },
  {
    file: 'src/model/distributions/normal.ts',
    tests: hierarchies,
    faults: [['(z * z - 1) / deviation', '(z * z + 1) / deviation']],
  },
  {
    file: 'src/model/hyperparameters.ts',
    tests: hierarchies,
    faults: [
      ['entry / slopes[i]!', 'entry * slopes[i]!'],
      ['natural[priorValues[name]!]!', 'natural[i]!'],
    ],
  },
  {
    file: 'src/model/hyperparameters.ts',
    tests: hierarchies,
    faults: [
      ['value.size !== 1 && value.size !== size', 'value.size > size'],
      ['above.includes(i)', 'above.length > 99'],
    ],
  },
  {
    file: 'src/priors/dynamics.ts',
    tests: ['test/priors/gpyDynamics.test.ts', latents],
    faults: [
      [
        "order === 'next' ? next : op.sub<Tensor2D>(next, inputs)",
        "order === 'next' ? next : op.sub<Tensor2D>(inputs, next)",
      ],
      ['op.add<Scalar>(steps, initialDensity(X, constants.first, data))', 'steps'],
      ["data.order === 'next' ? mean : op.add<Tensor2D>(x, mean)", 'mean'],
    ],
  },
  {
    file: 'src/priors/discriminative.ts',
    tests: [latents, 'test/priors/badInput.test.ts'],
    faults: [
      ['op.addDiagonal(between, op.scalar(data.r))', 'op.addDiagonal(between, op.scalar(1))'],
      ['filter((i) => classes[i]! >= 0)', 'filter((i) => classes[i]! > 0)'],
      ['op.neg<Scalar>(op.div(p.strength, separation))', 'op.neg<Scalar>(op.mul(p.strength, separation))'],
      ['if (count < 2) {', 'if (count < 1) {'],
    ],
  },
  {
    file: 'src/priors/tsne.ts',
    tests: latents,
    faults: [
      ['perplexity ?? Math.min(30, Math.max(4 / 3, (Y.rows - 1) / 3))', 'perplexity ?? 30'],
      ['Math.min(30, Math.max(4 / 3, (Y.rows - 1) / 3))', 'Math.max(4 / 3, (Y.rows - 1) / 3)'],
      ['Math.max(4 / 3, (Y.rows - 1) / 3)', '(Y.rows - 1) / 3'],
      ['op.sub(op.add(attraction, op.log(Z)), entropy)', 'op.add(attraction, op.log(Z))'],
    ],
  },
  {
    file: 'src/priors/locality.ts',
    tests: latents,
    faults: [['op.mul(-0.5, p.strength)', 'op.mul(-1, p.strength)']],
  },
  {
    file: 'src/numerics/special/gamma.ts',
    tests: 'test/tensors/float64/specialFunctions.test.ts',
    faults: [
      ['return digamma(1 - x) - Math.PI / tanPi(x);', 'return digamma(1 - x) + Math.PI / tanPi(x);'],
      ['const ASYMPTOTIC = 12;', 'const ASYMPTOTIC = 4;'],
      ['return 1 / (s * s) - trigamma(1 - x);', 'return 1 / (s * s) + trigamma(1 - x);'],
      ['if (below) return value - log1p(z);', 'if (below) return value;'],
    ],
  },
  {
    file: 'src/numerics/special/erf.ts',
    tests: 'test/tensors/float64/specialFunctions.test.ts',
    faults: [
      ['if (a >= 6) return sign;', 'if (a >= 3) return sign;'],
      ['if (a < 2 ** -28) return x + EFX * x;', 'if (a < 2 ** -28) return x;'],
    ],
  },
];
