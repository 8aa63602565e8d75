import {
  bounded,
  defineDensity,
  defineModel,
  describe as described,
  evaluate,
  fit,
  fixed,
  gaussian,
  gaussianProcess,
  knnGraph,
  known,
  latent,
  linearMap,
  loadFit,
  Matrix,
  type Model,
  mapped,
  markov,
  maxEntropy,
  mlpMap,
  observed,
  quadratic,
  rbf,
  samplePrior,
  squaredDifferences,
  standardNormal,
} from 'latentfield';
import { defineTransform } from 'latentfield/model';
import * as op from 'latentfield/ops';
import { checkDensity, checkModel } from 'latentfield/testing';
import { describe, expect, it } from 'vitest';
import { reference } from '../../reference.ts';

interface Reference {
  readonly data: Readonly<Record<'counts' | 'exposure' | 'pose' | 'sound', readonly (readonly (number | null)[])[]>>;
  readonly models: Readonly<
    Record<'zeros' | 'swinging' | 'bends', Readonly<Record<'values' | 'terms' | 'gradients', Record<string, unknown>>>>
  >;
}

// By test/reference/scripts/ownDensities.py.
const { data, models: expected } = reference<Reference>('ownDensities.json');
const rowsOf = (name: keyof typeof data) =>
  Matrix.from(data[name].map((row) => row.map((entry) => entry ?? Number.NaN)));
const [counts, exposure, pose, sound] = [rowsOf('counts'), rowsOf('exposure'), rowsOf('pose'), rowsOf('sound')];

const columnsOf = (f: op.Tensor2D, from: number, count: number) => op.slice(f, [0, from], [-1, count]);
/** Counts that are 0 with the probability σ(gate), and otherwise Poisson with the rate exposure·exp(f). */
const zeroInflated = defineDensity({
  name: 'zeroInflated',
  support: 'counts',
  logDensity: (_, { value, given: [f, exposure] }) => {
    const D = value.shape[1];
    const rate = op.add(columnsOf(f!, 0, D), op.log(exposure!));
    const gate = columnsOf(f!, D, D);
    const count = op.sub(op.sub(op.mul(value, rate), op.exp(rate)), op.lgamma(op.add(value, 1)));
    const zero = op.logSumExp(op.stack([gate, op.neg(op.exp(rate))]), 0);
    return op.sum<op.Tensor1D>(op.sub(op.where(op.equal(value, 0), zero, count), op.softplus(gate)), 1);
  },
  condition: () => ({
    moments: ([f, exposure]) => {
      const D = f!.shape[1] / 2;
      const rate = op.mul(op.exp(columnsOf(f!, 0, D)), exposure!);
      const open = op.sigmoid(op.neg(columnsOf(f!, D, D)));
      const mean = op.mul<op.Tensor2D>(open, rate);
      return { mean, variance: op.zerosLike(mean), noise: op.mul(mean, op.add(1, op.mul(rate, op.sub(1, open)))) };
    },
  }),
});
const zeros = defineModel({
  name: 'zeros',
  variables: (given: { counts: Matrix; exposure: Matrix }) => {
    const exposure = known(given.exposure);
    const z = latent({ dim: 2, density: standardNormal() });
    const f = mapped(z, mlpMap({ hidden: 4 }), { dim: 2 * given.counts.columns });
    return { exposure, z, f, counts: observed(given.counts, { density: zeroInflated(), given: [f, exposure] }) };
  },
});

/** A chain of second order: a swing that dies away. */
const swing = defineDensity({
  name: 'swing',
  parameters: { decay: bounded(0, 1, 0.9), turn: bounded(0, 3, 0.5), spread: fixed(0.3) },
  logDensity: (p, { value: x }) => {
    const [n, q] = x.shape;
    const part = (from: number) => op.slice(x, [from, 0], [n - 2, q]);
    const turned = op.mul(op.mul(op.mul(2, p.decay), op.cos(p.turn)), part(1));
    const gaps = op.div(op.sub(part(2), op.sub(turned, op.mul(op.square(p.decay), part(0)))), p.spread);
    const squares = op.add(op.sum(op.square(op.slice(x, [0, 0], [2, q]))), op.sum(op.square(gaps)));
    return op.mul(
      -0.5,
      op.add(squares, op.add(n * q * Math.log(2 * Math.PI), op.mul(2 * (n - 2) * q, op.log(p.spread)))),
    );
  },
  condition: (p) => ({
    next: (before) => {
      const turned = op.mul(op.mul(op.mul(2, p.decay), op.cos(p.turn)), before(1));
      return {
        mean: op.sub<op.Tensor2D>(turned, op.mul(op.square(p.decay), before(2))),
        variance: op.square(p.spread),
      };
    },
  }),
});
const swinging = defineModel({
  name: 'swinging',
  variables: (given: { pose: Matrix; sound: Matrix }) => {
    const x = latent({ dim: 2, density: swing() });
    const pose = observed(given.pose, { density: gaussianProcess({ kernel: rbf() }), given: x });
    const line = mapped(x, linearMap(), { dim: given.sound.columns });
    return { x, pose, line, sound: observed(given.sound, { density: gaussian(), given: line, missing: 'ignore' }) };
  },
});

/** x = 1/(2 + exp u), between 0 and ½ */
const half = defineTransform({
  name: 'half',
  toNatural: (u) => u.map((entry) => 1 / (2 + Math.exp(entry))),
  toUnconstrained: (x) => x.map((entry) => Math.log(1 / entry - 2)),
  pullBack: (gradient, x) => gradient.map((entry, i) => -entry * x[i]! * (1 - 2 * x[i]!)),
  refuses: (x) => (x.every((entry) => entry > 0 && entry < 0.5) ? undefined : 'between 0 and 1/2'),
});
const forms = Array.from({ length: pose.rows - 2 }, (_, i) => ({
  rows: [i, i, i, i + 1, i + 1, i + 2],
  columns: [i, i + 1, i + 2, i + 1, i + 2, i + 2],
  values: [1, -2, 1, 4, -2, 1],
}));
const bends = defineModel({
  name: 'bends',
  variables: (given: Matrix) => {
    const density = maxEntropy({ base: 0.5, expect: { bend: quadratic(forms) }, slack: 2 });
    const z = latent({ dim: 2, density });
    return { z, y: observed(given, { density: gaussianProcess({ kernel: rbf(), noise: half(0.1) }), given: z }) };
  },
});

const models = { zeros, swinging, bends };
const made = { zeros: zeros({ counts, exposure }), swinging: swinging({ pose, sound }), bends: bends(pose) };
const numbers = (value: unknown): number[] =>
  value instanceof Matrix ? Array.from(value.data) : ([value].flat(2) as number[]);

describe.each(['zeros', 'swinging', 'bends'] as const)('%s', (name) => {
  it('has the value, the terms and the gradients of its formulas', () => {
    const { values, terms, gradients } = expected[name];
    const result = evaluate(made[name] as Model, values as never);
    expect(Object.keys(result.terms).sort()).toEqual(Object.keys(terms).sort());
    for (const [term, value] of Object.entries(terms)) {
      const right = value as number;
      expect(Math.abs(result.terms[term]! - right)).toBeLessThan(1e-9 * Math.max(1, Math.abs(right)));
    }
    expect(Object.keys(result.gradients).sort()).toEqual(Object.keys(gradients).sort());
    for (const [path, gradient] of Object.entries(gradients)) {
      const [own, right] = [numbers(result.gradients[path as never]), numbers(gradient)];
      const worst = Math.max(...own.map((entry, i) => Math.abs(entry - right[i]!)));
      expect([path, worst < 1e-9 * Math.max(1, ...right.map(Math.abs))]).toEqual([path, true]);
    }
  });

  it('passes checkModel', () => {
    expect(checkModel(made[name], { models, entries: 3 }).toString()).not.toContain('FAILED');
  });
});

describe('counts by a density of two functions', () => {
  it('start where principal components are fewer than the columns of the map, and are fitted', async () => {
    const result = await fit(made.zeros, { maxIterations: 30, seed: 1 });
    expect(result.objective).toBeGreaterThan(evaluate(made.zeros, {}, { seed: 1 }).objective);
    const rows = { counts: counts.toArrays().slice(0, 2), exposure: [[3], [5]] };
    const again = loadFit<typeof made.zeros>(JSON.parse(JSON.stringify(result)), { models });
    expect((await again.project(rows)).latents).toEqual((await result.project(rows)).latents);
    const at = { z: [[0, 0]], exposure: [[2]] };
    expect(again.predict(at).counts).toEqual(result.predict(at).counts);
    // Of twice the exposure one expects twice the counts.
    const [once, twice] = [2, 4].map((each) => result.predict({ z: [[0, 0]], exposure: [[each]] }).counts.mean.row(0));
    twice!.forEach((entry, d) => {
      expect(entry).toBeCloseTo(2 * once![d]!, 10);
    });
  });

  it('note in their description that new rows are drawn without noise only', async () => {
    expect(described(made.zeros)).toContain(
      "Drawn without noise only\n  sample: the density 'zeroInflated' of 'counts' gives moments of new rows, but no sample of them. Ask for { noise: false }.",
    );
    expect(described(made.swinging)).not.toContain('Drawn without noise only');
    const result = await fit(made.zeros, { maxIterations: 2 });
    const at = { z: [[0, 0]], exposure: [[2]] };
    expect(() => result.sample(at)).toThrow(/ask for \{ noise: false \}/);
    const [drawn, said] = [result.sample(at, { noise: false }).counts.row(0), result.predict(at).counts.mean.row(0)];
    for (const [d, entry] of drawn.entries()) expect(entry).toBeCloseTo(said[d]!, 10);
  });

  it('name the density that fails, with the shapes that it had', () => {
    const narrow = defineModel({
      name: 'narrow',
      variables: (given: Matrix) => {
        const rate = known(exposure);
        const z = latent({ dim: 2, density: standardNormal() });
        return { rate, z, counts: observed(given, { density: zeroInflated(), given: [z, rate] }) };
      },
    });
    expect(() => evaluate(narrow(counts))).toThrow(
      /The density 'zeroInflated' of 'counts' \(counts 8×3, z 8×2, rate 8×1\) failed: /,
    );
  });

  it('are checked at admissible parents, new rows too', () => {
    const given = [Matrix.from(pose.toArrays()), exposure];
    expect(
      checkDensity(zeroInflated(), { value: counts.toArrays().map(([own]) => [own!]), given }).toString(),
    ).not.toContain('FAILED');
  });
});

describe('a chain of second order in two views', () => {
  it('forecasts by its own recursion, and is placed from either view', async () => {
    const result = await fit(made.swinging, { maxIterations: 30 });
    const { 'x.decay': r, 'x.turn': w } = result.parameters as Record<string, number>;
    const x = result.latents.toArrays();
    for (const row of result.forecast(3).latents.toArrays()) {
      const [before, last] = x.slice(-2);
      row.forEach((entry, c) => {
        expect(entry).toBeCloseTo(2 * r! * Math.cos(w!) * last![c]! - r! ** 2 * before![c]!, 12);
      });
      x.push(row);
    }
    for (const rows of [{ pose: pose.toArrays().slice(0, 1) }, { sound: sound.toArrays().slice(0, 1) }]) {
      expect((await result.project(rows)).latents.data.every(Number.isFinite)).toBe(true);
    }
  });

  it('is checked though it has no density of one row alone', { tags: 'long' }, () => {
    expect(checkDensity(swing()).toString()).toContain('skipped new rows (it does not define them)');
  });

  it('cannot be drawn from without a sample, which only a custom density can define', () => {
    expect(() => samplePrior(made.swinging as never)).toThrow(/it has no sample\. One of your own may have/);
    const walk = defineModel({
      name: 'walk',
      variables: (given: Matrix) => {
        const x = latent({ dim: 1, density: markov() });
        return { x, y: observed(given, { density: gaussianProcess({ kernel: rbf() }), given: x }) };
      },
    });
    expect(described(walk(pose))).toMatch(/samplePrior: The density 'markov'.*it has no sample/);
  });
});

describe('a maximum-entropy field over latents', () => {
  const withField = (field: ReturnType<typeof maxEntropy>) =>
    defineModel({
      name: 'withField',
      variables: (given: Matrix) => {
        const z = latent({ dim: 2, density: field });
        return { z, y: observed(given, { density: gaussianProcess({ kernel: rbf() }), given: z }) };
      },
    })(pose);

  it('needs a slack, as latents may take their statistics to 0', () => {
    expect(() => evaluate(withField(maxEntropy({ expect: { bend: quadratic(forms) } })))).toThrow(
      /'bend' expects are statistics of the rows of 'z', which are inferred.*Give a slack/,
    );
  });

  it('is refused with fixed values, which would carry no information on the latents', () => {
    const graph = knnGraph(pose, 2);
    const values = graph.sources.map(() => 1);
    expect(() => withField(maxEntropy({ expect: { near: squaredDifferences(graph, values) } }))).toThrow(
      /'z' of .* has a random field with fixed statistics.*Omit them.*embedded/,
    );
  });
});
