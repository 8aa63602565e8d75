import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Matrix } from '../../../src/core/matrix.ts';
import { seededRandom } from '../../../src/core/random.ts';
import { doublesOf } from '../../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../../src/engine/tensors/float64/scope.ts';
import {
  defineModel,
  fitAt,
  gaussian,
  latent,
  mapped,
  mlpMap,
  observed,
  standardNormal,
  studentT,
} from '../../../src/index.ts';
import { type Checkpoint, fit } from '../../../src/inference/index.ts';
import { describe as described } from '../../../src/kernels/index.ts';
import type { Fit, FitOf } from '../../../src/model/fit.ts';
import type { DensityLike } from '../../../src/model/index.ts';
import { samplePrior } from '../../../src/model/index.ts';
import { SHARES, stratifiedEntries } from '../../../src/model/language/expectations.ts';
import type { VariablesPosterior } from '../../../src/model/language/variablesModel.ts';
import type { Model } from '../../../src/model/model.ts';
import { evaluate } from '../../../src/model/open.ts';
import { loadFit } from '../../../src/models/index.ts';
import { checkModel } from '../../../src/testing/index.ts';
import { bitsOf, data, expected, holed, modelOf, type Name, names, optionsOf, orders, whole } from './twelveFits.ts';
import { heavyTails, models } from './twelveModels.ts';

/** Models whose latents are computed from what is given: they place rows of the fit where these are. */
const computed: readonly Name[] = ['autoencoder', 'horseshoe'];
/** What is derived from these takes seconds. */
const slow: readonly Name[] = ['grouped', 'deep', 'onSphere', 'timed', 'outputs'];
const tagsOf = (name: Name) => (slow.includes(name) ? 'long' : []);
const numbers = (value: unknown): number[] =>
  value instanceof Matrix ? Array.from(value.data) : ([value].flat(2) as number[]);

describe.each(names)('%s', (name) => {
  it('has the value, the terms and the gradients of its formulas', async () => {
    const { values, terms, gradients } = expected[name]!;
    const result = await evaluate(modelOf(name), values as never, { seed: 1 });
    expect(Object.keys(result.terms).sort()).toEqual(Object.keys(terms).sort());
    for (const [term, value] of Object.entries(terms)) {
      expect(Math.abs(result.terms[term]! - value)).toBeLessThan(1e-9 * Math.max(1, Math.abs(value)));
    }
    expect(Object.keys(result.gradients).sort()).toEqual(Object.keys(gradients).sort());
    for (const [path, gradient] of Object.entries(gradients)) {
      const [own, right] = [numbers(result.gradients[path]), numbers(gradient)];
      expect(own).toHaveLength(right.length);
      const size = Math.max(1, ...right.map(Math.abs));
      const worst = Math.max(...own.map((entry, i) => Math.abs(entry - right[i]!)));
      expect([path, worst / size < 1e-9]).toEqual([path, true]);
    }
  });
});

it('Gaussian rows that are drawn take the eight shares in an order of each entry', () => {
  withFloat64(() => {
    const draws = stratifiedEntries(seededRandom(1), [7, 1]).map((entries) => Array.from(doublesOf(entries)));
    expect(draws).toEqual(orders.map((order) => order.map((k) => SHARES[k]!)));
  });
});

/** What fits can do by the names of variables. */
interface Abilities {
  project(
    rows: object,
    options?: object,
  ): Promise<{
    latents: Matrix;
    logDensity: Float64Array;
    logDensityAtPlace: Float64Array;
    values: Record<string, Matrix>;
  }>;
  predict(values: object, options?: object): Record<string, { mean: Matrix; variance: Matrix }>;
  sample(values: object, options?: object): Record<string, Matrix>;
  impute(rows: object): Promise<Record<string, { mean: Matrix; variance: Matrix }>>;
  forecast(steps: number): { latents: Matrix; mean: Matrix };
  readonly values: Record<string, Matrix>;
}
type Ability = 'project' | 'predict' | 'sample' | 'impute' | 'forecast';

const nextNone = (shown: string) => new RegExp(`no density of '${shown}' defines the rows that follow`);
const saysNothing = (density: string) =>
  new RegExp(
    `the density '${density}' of 'y' (defines no density of new rows|gives no moments|gives neither moments nor a sample)`,
  );
/** Why fits of a model cannot do something; all else they can. */
const absent: Readonly<Record<Name, Readonly<Partial<Record<Ability, RegExp>>>>> = {
  robust: { forecast: nextNone('z') },
  heteroscedastic: { forecast: nextNone('z') },
  grouped: { forecast: nextNone('z') },
  deep: { forecast: nextNone('z') },
  alongGraph: { forecast: nextNone('z') },
  autoencoder: { forecast: nextNone('z') },
  secondOrder: {},
  onCircle: { forecast: nextNone('angle') },
  onSphere: { forecast: nextNone('v') },
  timed: { forecast: nextNone('z') },
  outputs: { forecast: nextNone('z') },
  horseshoe: { forecast: nextNone('f') },
  // Its `impute` is the field's.
  bent: {
    forecast: nextNone('x'),
    project: saysNothing('field'),
    predict: saysNothing('field'),
    sample: saysNothing('field'),
  },
};

type TypedAbility = Ability | 'samplePrior';
/** What the type of a model says that its fits can do: what it rules out is an error where it is written. */
type Typed<M extends Model> = {
  readonly [A in Ability]: A extends keyof FitOf<M> ? (object extends Pick<FitOf<M>, A> ? 'perhaps' : true) : false;
} & { readonly samplePrior: [M] extends [Parameters<typeof samplePrior>[0]] ? true : false };
const all = { project: true, predict: true, sample: true, impute: true, forecast: false, samplePrior: true } as const;
const typed: { readonly [N in Name]: Typed<ReturnType<(typeof models)[N]>> } = {
  robust: all,
  heteroscedastic: all,
  grouped: { ...all, samplePrior: false },
  deep: all,
  alongGraph: { ...all, samplePrior: false },
  autoencoder: all,
  secondOrder: { ...all, forecast: true, samplePrior: false },
  onCircle: { ...all, samplePrior: false },
  onSphere: all,
  timed: all,
  outputs: all,
  horseshoe: { ...all, samplePrior: false },
  bent: { ...all, project: false, predict: false, sample: false, samplePrior: false },
};

function attempted(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

const drawnFrom = (density: string) => new RegExp(`The density '${density}' of '.' of .* cannot be drawn from`);
/** Why nothing is drawn from the densities of a model. */
const notDrawn: Readonly<Partial<Record<Name, RegExp>>> = {
  grouped: drawnFrom('groups'),
  alongGraph: /'z' of .* has the factor 'laplacian' in addition to its density/,
  secondOrder: drawnFrom('inertia'),
  onCircle: /'angle' of .* has no density to draw from/,
  horseshoe: drawnFrom('halfCauchy'),
  bent: drawnFrom('field'),
};

const first = (matrix: Matrix, count = 2) => Matrix.from(matrix.toArrays().slice(0, count));
const fitted = new Map<Name, Promise<Fit & Abilities>>();
function fitOf(name: Name): Promise<Fit & Abilities> {
  const made = fitted.get(name) ?? (fit(modelOf(name), optionsOf(name)) as unknown as Promise<Fit & Abilities>);
  fitted.set(name, made);
  return made;
}
const knownOf = (name: Name) => ({
  ...(name === 'timed' && { time: first(Matrix.from(data.t)) }),
  ...(name === 'horseshoe' && { inputs: first(Matrix.from(data.inputs)) }),
});
/** Values of the first two rows from which all else follows. */
const valuesOf = (name: Name, { values }: Abilities) => {
  const roots = ['z', 'angle', 'v'].filter((root) => values[root] !== undefined);
  return { ...Object.fromEntries(roots.map((root) => [root, first(values[root]!)])), ...knownOf(name) };
};
const variablesOf = (name: Name, { parameters, latents }: Fit) => {
  const shown = Object.keys(expected[name]!.values).filter((path) => !(path in parameters));
  const values = { ...parameters, ...Object.fromEntries(shown.map((path) => [path, latents])) };
  return (modelOf(name).posterior!(values as never) as VariablesPosterior).variables;
};

for (const name of names)
  it(`${name} is consistent in all that is derived from it`, { tags: tagsOf(name) }, () => {
    const { checks } = checkModel(modelOf(name), { models, values: expected[name]!.values as never, entries: 2 });
    const derived = checks
      .map((check) => check.name)
      .filter((check) => /predictions|draws|density of new rows|after JSON/.test(check));
    expect(derived).toHaveLength(absent[name].project === undefined ? 4 : 1);
  });

/** What a fit of a model is again, and what it was: by its file, and gone on with from a checkpoint. */
const comeBack = {
  loadFit: async (name: Name) => {
    const result = await fitOf(name);
    const again = loadFit(JSON.parse(JSON.stringify(result)), { models }) as unknown as Fit & Abilities;
    const holes = Matrix.from([[data.Y[0]![0]!, Number.NaN, data.Y[0]![2]!], data.Y[1]!]);
    const derived = async (one: Fit & Abilities) => {
      const at = valuesOf(name, result);
      const given = { y: first(whole), ...knownOf(name) };
      return [
        absent[name].predict === undefined && [one.predict(at), one.sample(at, { seed: 1 }), await one.project(given)],
        absent[name].forecast === undefined && one.forecast(2),
        name === 'bent' ? one.impute(holed as never) : await one.impute({ y: holes, ...knownOf(name) }),
      ];
    };
    const all = async (one: Fit & Abilities) => bitsOf(one) + JSON.stringify(await derived(one));
    return [await all(again), await all(result)];
  },
  checkpoint: async (name: Name) => {
    const states: string[] = [];
    const checkpoint = (state: Checkpoint) => {
      states.push(JSON.stringify(state));
    };
    await fit(modelOf(name), { ...optionsOf(name), checkpoint, checkpointInterval: 0 });
    const resume = JSON.parse(states[Math.floor(states.length / 2)]!) as Checkpoint;
    return [bitsOf(await fit(modelOf(name), { ...optionsOf(name), resume })), bitsOf(await fitOf(name))];
  },
} satisfies Record<string, (name: Name) => Promise<string[]>>;
type Road = keyof typeof comeBack;
const ROADS = Object.keys(comeBack) as Road[];
const returned = new Map<string, Promise<string[]>>();
function asItWas(road: Road, name: Name): Promise<string[]> {
  const key = `${name} ${road}`;
  const made = returned.get(key) ?? comeBack[road](name);
  returned.set(key, made);
  return made;
}

describe.each(names)('fits of %s', (name) => {
  it('have each ability that is not absent for a reason, which its description gives', async () => {
    const result = await fitOf(name);
    for (const ability of ['project', 'predict', 'sample', 'impute', 'forecast'] as const) {
      const reason = absent[name][ability];
      expect([ability, typeof result[ability]]).toEqual([ability, reason === undefined ? 'function' : 'undefined']);
      if (reason !== undefined)
        expect(described(modelOf(name))).toMatch(new RegExp(`  ${ability}: .*${reason.source}`));
    }
  });

  it('begin with draws from the densities, unless one cannot be drawn from', () => {
    const draws = () => samplePrior(modelOf(name), { draws: 2, seed: 1 });
    const reason = notDrawn[name];
    if (reason !== undefined) {
      expect(draws).toThrow(reason);
      expect(described(modelOf(name))).toMatch(new RegExp(`  samplePrior: .*${reason.source}`));
    } else {
      const [one, other] = draws();
      expect([one!.y!.rows, one!.y!.columns]).toEqual([7, 3]);
      expect(draws()[0]).toEqual(one);
      expect(one!.y!.data[0]).not.toBe(other!.y!.data[0]);
    }
  });

  for (const road of ROADS)
    it(`are the same bits again: ${road}`, { tags: tagsOf(name) }, async () => {
      const [again, before] = await asItWas(road, name);
      expect(again).toBe(before);
    });
});

it('fits in batches run without workers', async () => {
  const run = fit(modelOf('autoencoder'), { ...optionsOf('autoencoder'), restarts: 1, workers: 1 });
  await expect(run).rejects.toThrow('A fit in batches runs without workers');
});

it('what they can do is the table of docs/project/abilities.md', { tags: 'long' }, async () => {
  const abilities = ['project', 'predict', 'sample', 'impute', 'forecast'] as const;
  const lines = await Promise.all(
    names.map(async (name) => {
      const result = await fitOf(name);
      const isDrawn = attempted(() => samplePrior(modelOf(name), { draws: 1 }));
      const can = [...abilities.map((ability) => result[ability] !== undefined), isDrawn];
      const [loaded, resumed] = await Promise.all(
        ROADS.map(async (road) => new Set(await asItWas(road, name)).size === 1),
      );
      // twelve.built.test.ts has that of workers.
      return `| \`${name}\` | ${[...can, loaded, true, resumed].map((own) => (own ? 'yes' : '–')).join(' | ')} |`;
    }),
  );
  const named = [...abilities, 'samplePrior'] as const;
  const inTypes = names.map((name) => {
    const cells = named.map((ability: TypedAbility) => (typed[name][ability] ? 'yes' : '–'));
    return `| \`${name}\` | ${cells.join(' | ')} |`;
  });
  expect(inTypes).toEqual(lines.map((line) => line.split(' | ').slice(0, 7).join(' | ').concat(' |')));
  const page = readFileSync(new URL('../../../docs/project/abilities.md', import.meta.url), 'utf8');
  expect(page).toContain(lines.join('\n'));
  expect(page).toContain(described(modelOf('bent')).split('\n').slice(-6).join('\n'));
});

describe('fits of', () => {
  for (const name of names.filter((name) => absent[name].project === undefined))
    it(`${name} place rows where all densities of them are greatest`, { tags: tagsOf(name) }, async () => {
      const result = await fitOf(name);
      const given = { y: first(whole), ...knownOf(name) };
      const placed = await result.project(given);
      expect([placed.latents.rows, placed.logDensity.length]).toEqual([2, 2]);
      const { density, latents: searched, values } = variablesOf(name, result);
      const side = (of: Readonly<Record<string, Matrix>>) =>
        Matrix.from([0, 1].map((i) => searched.flatMap((one) => Array.from(of[one.name]!.row(i)))));
      const [there, where] = [density(side(placed.values), given), density(side(values), given)];
      there.posterior.forEach((height, i) => {
        expect(height).toBeGreaterThanOrEqual(where.posterior[i]! - 1e-6);
        expect(there.density[i]).toBeCloseTo(placed.logDensityAtPlace[i]!, 8);
      });
      if (computed.includes(name)) {
        expect(placed.latents).toEqual(first(result.latents));
        return;
      }
      const { normal } = seededRandom(5);
      for (let k = 0; k < 8; k++) {
        const { data, rows, columns } = side(placed.values);
        const beside = density(
          new Matrix(
            data.map((entry) => entry + 1e-3 * normal()),
            rows,
            columns,
          ),
          given,
        );
        there.posterior.forEach((height, i) => {
          expect(beside.posterior[i]!).toBeLessThan(height + 1e-9);
        });
      }
    });

  for (const name of names.filter((name) => absent[name].predict === undefined))
    it(`${name} predict, draw, and fill in missing entries`, { tags: tagsOf(name) }, async () => {
      const result = await fitOf(name);
      const at = valuesOf(name, result);
      const { mean, variance } = result.predict(at).y!;
      const noisy = result.predict(at, { noise: true }).y!;
      expect([mean.rows, mean.columns]).toEqual([2, 3]);
      expect(noisy.mean).toEqual(mean);
      variance.data.forEach((own, i) => {
        expect(own).toBeGreaterThanOrEqual(0);
        expect(noisy.variance.data[i]).toBeGreaterThan(own);
      });
      // Draws are about the means, within their deviations.
      const draws = Array.from({ length: 200 }, (_, seed) => result.sample(at, { seed }).y!);
      mean.data.forEach((center, i) => {
        const average = draws.reduce((sum, draw) => sum + draw.data[i]!, 0) / draws.length;
        expect(Math.abs(average - center)).toBeLessThan(5 * Math.sqrt(noisy.variance.data[i]! / draws.length));
        // So are their squares, within theirs; moments that are themselves averages are of 128 draws.
        const squares = draws.map((draw) => (draw.data[i]! - center) ** 2);
        const spread = squares.reduce((sum, square) => sum + square, 0) / squares.length;
        const own = squares.reduce((sum, square) => sum + (square - spread) ** 2, 0) / squares.length;
        expect(Math.abs(spread - noisy.variance.data[i]!)).toBeLessThan(
          5 * Math.sqrt(own * (1 / draws.length + 1 / 128)),
        );
      });
      const rows = Matrix.from(
        first(whole)
          .toArrays()
          .map((y) => [y[0]!, Number.NaN, y[2]!]),
      );
      const { y: filled } = await result.impute({ y: rows, ...knownOf(name) });
      const { values } = await result.project({ y: rows, ...knownOf(name) });
      const { y: there } = result.predict({ ...values, ...knownOf(name) });
      for (const i of [0, 1]) {
        const [first, second, third] = filled!.mean.row(i);
        expect([first, third]).toEqual([rows.at(i, 0), rows.at(i, 2)]);
        expect(filled!.variance.at(i, 0)).toBe(0);
        // Its mean is that over the places where the row may lie, with their spread in its variance.
        const deviation = Math.sqrt(filled!.variance.at(i, 1));
        expect(deviation).toBeGreaterThan(0);
        expect(Math.abs(second! - there!.mean.at(i, 1))).toBeLessThan(deviation);
      }
    });
});

it('places a row by its own tails: an outlying entry moves it as little as with the built-in Student-t', {
  tags: 'long',
}, async () => {
  const { normal } = seededRandom(6);
  const curve = Matrix.from(
    Array.from({ length: 30 }, (_, i) =>
      Array.from({ length: 8 }, (_, j) => Math.sin((i / 8) * (1 + j / 6) + j) + 0.05 * normal()),
    ),
  );
  const decoded = (density: DensityLike) =>
    defineModel({
      name: 'decoded',
      variables: ({ y }: { y: Matrix }) => {
        const z = latent({ dim: 1, density: standardNormal() });
        const f = mapped(z, mlpMap({ hidden: 8 }), { dim: y.columns });
        return { z, f, y: observed(y, { density, given: f }) };
      },
    })({ y: curve });
  const { parameters, latents } = await fit(decoded(gaussian()), { maxIterations: 300 });
  const maps = Object.fromEntries(Object.entries(parameters).filter(([path]) => path.startsWith('f.')));
  const scale = Math.sqrt(parameters['y.noise'] as number);
  const at = async (density: DensityLike, own: object) => {
    const fitted = await fitAt(decoded(density), { z: latents, ...maps, ...own });
    const rows = Matrix.from([7, 13, 22].map((i) => Array.from(curve.row(i))));
    const outlying = Matrix.from(rows.toArrays().map((row) => row.map((y, j) => (j === 3 ? y + 2 : y))));
    const [there, moved] = [(await fitted.project(rows)).latents.data, (await fitted.project(outlying)).latents.data];
    return { there, moves: there.map((z, i) => Math.abs(z - moved[i]!)) };
  };
  const own = await at(heavyTails(), { 'y.scale': scale });
  const theirs = await at(studentT(), { 'y.likelihood.scale': scale });
  const normalTails = await at(gaussian(), { 'y.noise': scale ** 2 });
  own.there.forEach((z, i) => {
    expect(z).toBeCloseTo(theirs.there[i]!, 5);
    expect(own.moves[i]!).toBeCloseTo(theirs.moves[i]!, 5);
    expect(own.moves[i]!).toBeLessThan(0.2 * normalTails.moves[i]!);
  });
});

it('continues with rows as they went, where the latents have inertia', async () => {
  const result = await fitOf('secondOrder');
  const { latents } = result.forecast(2);
  const [before, last] = [result.latents.row(5), result.latents.row(6)];
  latents.row(0).forEach((entry, j) => {
    expect(entry).toBeCloseTo(2 * last[j]! - before[j]!, 12);
  });
});
