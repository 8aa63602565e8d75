import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTable, standardize } from '../../src/app/io/index.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import {
  add,
  bayesianGplvm,
  bias,
  definePrior,
  evaluate,
  fit,
  fixed,
  gaussianLatents,
  gplrf,
  gplvm,
  InvalidInputError,
  isomap,
  laplacianEigenmaps,
  latentVariableModel,
  loadFit,
  Matrix,
  type MatrixLike,
  mpme,
  type Prior,
  pca,
  poisson,
  positive,
  rbf,
  seededRandom,
  standardNormal,
} from '../../src/index.ts';
import { nearestNeighborError } from '../../src/inference/index.ts';

const random = seededRandom(3);
const good = () => Array.from({ length: 12 }, () => Array.from({ length: 4 }, () => random.normal()));

/** Both the type of the error and what it says. */
function expectInvalid(work: () => unknown, message: RegExp): void {
  expect(work).toThrow(InvalidInputError);
  expect(work).toThrow(message);
}

describe('bad input is refused with a message that names the position and the remedy', () => {
  it('ragged rows', () => {
    const Y = good();
    Y[3] = [1, 2];
    expectInvalid(
      () => gplvm(Y, { latentDim: 2 }),
      /^The observations must have rows of equal length, but row index 3 has 2 entries, and the first one 4\./,
    );
  });

  it('NaN and infinity, with row and column', () => {
    const Y = good();
    Y[5]![2] = Number.NaN;
    expectInvalid(() => gplvm(Y, { latentDim: 2 }), /entry \[5\]\[2\] is NaN/);
    Y[5]![2] = Number.NEGATIVE_INFINITY;
    expectInvalid(() => gplvm(Y, { latentDim: 2 }), /entry \[5\]\[2\] is -Infinity/);
  });

  it('strings', () => {
    const Y = good() as unknown[][];
    Y[1]![3] = 'red';
    expectInvalid(() => gplvm(Y as MatrixLike, { latentDim: 2 }), /entry \[1\]\[3\] is the string 'red'/);
    // A table in the place of its observations.
    const table = { observations: Matrix.from(good()), columns: ['a', 'b', 'c', 'd'] };
    expectInvalid(
      () => gplvm(table as unknown as MatrixLike, { latentDim: 2 }),
      /was given\. For a table, pass its observations\.$/,
    );
    expectInvalid(
      () => gplvm('data.csv' as unknown as MatrixLike, { latentDim: 2 }),
      /the string 'data.csv' was given/,
    );
  });

  it('an empty matrix', () => {
    expectInvalid(() => gplvm([], { latentDim: 2 }), /0×0 matrix was given/);
    expectInvalid(() => gplvm([[], []], { latentDim: 2 }), /2×0 matrix was given/);
  });

  it('fewer than 2 points', () => {
    expectInvalid(() => gplvm([[1, 2, 3]], { latentDim: 1 }), /at least 2 rows .* 1×3 matrix was given/);
  });

  it('latentDim of 0, of a fraction, missing, or larger than the observations allow', async () => {
    expectInvalid(
      () => gplvm(good(), { latentDim: 0 }),
      /'latentDim' of gplvm must be a whole number from 1, but 0 was given/,
    );
    expectInvalid(() => gplvm(good(), { latentDim: 1.5 }), /a whole number from 1, but 1.5 was given/);
    expectInvalid(() => gplvm(good(), {} as { latentDim: number }), /needs the option 'latentDim'/);
    expectInvalid(() => gplvm(good(), { latentDim: 5 }), /at most 4\. Choose a smaller `latentDim`/);
  });

  it('latentDim equal to the number of columns works', async () => {
    const result = await fit(gplvm(good(), { latentDim: 4 }), { maxIterations: 3 });
    expect([result.latents.rows, result.latents.columns]).toEqual([12, 4]);
    expect(result.objective).toBeGreaterThan(result.trace[0]!.objective);
  });

  it('labels of the wrong length', () => {
    expectInvalid(() => nearestNeighborError([[0], [1], [2]], [0, 1]), /3.*2|2.*3/);
  });

  it('an unknown option name, with the nearest known one', async () => {
    const options = { latentDims: 2 } as unknown as { latentDim: number };
    expectInvalid(() => gplvm(good(), options), /gplvm has no option 'latentDims'\. Did you mean 'latentDim'\?/);
    const model = gplvm(good(), { latentDim: 2 });
    expectInvalid(
      () => evaluate(model, {}, { sead: 1 } as object),
      /^evaluate has no option 'sead'\. Did you mean 'seed'\?/,
    );
    expectInvalid(
      () => evaluate(model, {}, { seed: 0.5 }),
      /^Option 'seed' of evaluate must be a whole number, but 0\.5/,
    );
    await expect(fit(model, { maxiterations: 5 } as object)).rejects.toThrow(/Did you mean 'maxIterations'\?/);
    expectInvalid(
      () => rbf({ lengthScale: 1 } as object),
      /Kernel 'rbf' has no parameter 'lengthScale'\. Did you mean 'lengthscale'/,
    );
  });

  it('parameters outside their range', () => {
    expectInvalid(
      () => rbf({ variance: -1 }),
      /^The start of 'variance' of kernel 'rbf' must be greater than 0, but -1 was given/,
    );
    expectInvalid(
      () => positive([1, 0]),
      /^The start of a positive parameter \(entry 1\) must be greater than 0, but 0 was given/,
    );
    expectInvalid(
      () => fixed([[1]] as never),
      /list contains numbers, but its entry 0 is an array of 1\. Rows are a Matrix/,
    );
    expectInvalid(
      () => gplvm(good(), { latentDim: 1, noise: -2 }),
      /^The start of 'noise' of gplvm must be greater than 0, but -2 was given/,
    );
    expectInvalid(() => rbf({ lengthscale: [1, Number.NaN] }), /entry 1/);
  });

  it('an unreadable file', async () => {
    await expect(readTable(join(tmpdir(), 'no-such-file.csv'))).rejects.toThrow(InvalidInputError);
    await expect(readTable(join(tmpdir(), 'no-such-file.csv'))).rejects.toThrow(/no-such-file\.csv/);
    const file = join(mkdtempSync(join(tmpdir(), 'latentfield-')), 'noise.npy');
    writeFileSync(file, 'this is not a NumPy file');
    await expect(readTable(file)).rejects.toThrow(InvalidInputError);
  });

  it('something that is not a saved fit', () => {
    expectInvalid(() => loadFit({ hello: 1 }), /loadFit takes the object that fit\.toJSON\(\) wrote/);
    expectInvalid(() => loadFit('{}'), /the string '\{\}' was given/);
  });
});

describe('awkward input that has a meaning works', () => {
  it('a constant column is predicted by its constant', async () => {
    const Y = good().map((row) => [...row, 7]);
    const result = await fit(gplvm(Y, { latentDim: 2 }), { maxIterations: 30 });
    const { mean } = result.predict(result.latents);
    for (const entry of mean.column(4)) expect(entry).toBeCloseTo(7, 12);
    const scaled = await fit(gplvm(Y, { latentDim: 2, scale: true }), { maxIterations: 30 });
    for (const entry of scaled.predict(scaled.latents).mean.column(4)) expect(entry).toBeCloseTo(7, 12);
  });

  it('duplicate rows get the same position and the same predictions', async () => {
    const Y = good();
    Y[7] = [...Y[2]!];
    const result = await fit(gplvm(Y, { latentDim: 2, noise: fixed(0.01) }), { maxIterations: 30 });
    const { mean } = result.predict(result.latents);
    for (let j = 0; j < 2; j++) expect(Math.abs(result.latents.at(7, j) - result.latents.at(2, j))).toBeLessThan(0.02);
    for (let j = 0; j < 4; j++) expect(Math.abs(mean.at(7, j) - mean.at(2, j))).toBeLessThan(0.02);
  });

  it('a constant that a converged fit switched off does not cause a warning', async () => {
    const { normal } = seededRandom(11);
    const Y = [0, 1, 2].map(() => [normal(), normal()]);
    const { status, message, parameters } = await fit(gplvm(Y, { latentDim: 1 }));
    expect(status).toBe('converged');
    expect(parameters['mapping.kernel.bias.variance']).toBeLessThan(1e-9);
    expect(message).not.toContain('went to 0');
  });

  it('rows that are all repeated end with a sentence about the noise, and finite predictions', async () => {
    const distinct = good().slice(0, 6);
    const result = await fit(gplvm([...distinct, ...distinct, ...distinct], { latentDim: 2 }), { maxIterations: 1000 });
    expect(result.status).toBe('converged');
    expect(result.message).toMatch(
      /12 of the 18 rows repeat others \(row index \d+ is row index \d+\): leave copies out/,
    );
    expect(result.message).toMatch(/The noise reached its lower limit .*leave repeated rows out.*noise: fixed\(/);
    expect(result.message).not.toMatch(/your own|check the gradient/);
    const { mean } = result.predict(result.latents.toArrays().slice(0, 6));
    distinct.flat().forEach((entry, i) => {
      expect(Math.abs(mean.data[i]! - entry)).toBeLessThan(0.01);
    });
  });

  it.each([
    [
      1e300,
      false,
      /^Column index 0 .* runs from -\d.\d\de\+(299|300) to \d.\d\de\+(299|300): the squares of such numbers overflow\..* by \de\+(299|300)\.$/,
    ],
    [
      1e-300,
      false,
      /^Column index 0 .* underflow to 0\. Rescale: divide it, and columns in the same unit, by \de-(299|300)\.$/,
    ],
    [1e-300, true, /^Column index 0 .* underflow to 0/],
  ])('numbers whose squares overflow are refused by all models: %s', (unit, scale, message) => {
    const Y = good().map((row) => row.map((entry) => unit * entry));
    const options = { latentDim: 2 } as const;
    for (const make of scale
      ? [() => gplvm(Y, { ...options, scale }), () => bayesianGplvm(Y, { ...options, scale, inducing: 4 })]
      : [
          () => gplvm(Y, options),
          () => bayesianGplvm(Y, { ...options, inducing: 4 }),
          () => pca(Y, options),
          () => isomap(Y, { neighbors: 4 }),
          () => mpme(Y, { neighbors: 4 }),
          () => laplacianEigenmaps(Y, { neighbors: 4 }),
        ]) {
      expectInvalid(make, message);
    }
    expectInvalid(() => standardize(Matrix.from(Y)), message);
  });

  it('a column of numbers near 0 among others counts as it is, unless it is to be divided by its deviation', () => {
    const Y = good().map((row) => [...row, 1e-170 * row[0]!, 7]);
    expect(gplvm(Y, { latentDim: 2 }).name).toBe('gplvm');
    expectInvalid(
      () => gplvm(Y, { latentDim: 2, scale: true }),
      /^Column index 4 of the observations .* underflow to 0/,
    );
    expectInvalid(() => standardize(Matrix.from(Y)), /^Column index 4 of the observations .* underflow to 0/);
  });

  it('observations that do not vary at all are refused, not turned into NaN', async () => {
    const Y = Array.from({ length: 5 }, () => [1, 2, 3]);
    await expect(fit(gplvm(Y, { latentDim: 1 }))).rejects.toThrow(/All points are the same/);
  });
});

describe('what a user might well write wrong', () => {
  it('gets a hint: functions that were not called, awaited or read, and matrices instead of views', async () => {
    const Y = good();
    const [options, call] = [
      { latentDim: 2 },
      /, such as \w+\(X?\), but function was given\. Call it, and give what it returns\.$/,
    ];
    expectInvalid(() => gplvm(Y, { ...options, priors: [standardNormal as never] }), call);
    expectInvalid(() => gplvm(Y, { ...options, posterior: gaussianLatents as never }), call);
    expectInvalid(() => gplvm(Y, { ...options, likelihood: poisson as never }), call);
    for (const model of [gplvm, pca, mpme] as ((given: never, options: { latentDim: number }) => unknown)[]) {
      expectInvalid(
        () => model(Promise.resolve(Y) as never, options),
        /an object \(Promise\) was given\. Await it first\.$/,
      );
      expectInvalid(
        () => model('file.csv' as never, options),
        /the string 'file\.csv' was given\. Read a file first: \(await readTable\(file\)\)\.observations\.$/,
      );
    }
    const view = { observations: Y, kernel: rbf() };
    for (const matrix of [Y, Matrix.from(Y)]) {
      const made = () => latentVariableModel({ latentDim: 2, views: { a: matrix as never, b: view } });
      expectInvalid(
        made,
        /^view 'a' of latentVariableModel takes observations and a kernel, but a matrix was given\. Write \{ observations: Y, kernel: rbf\(\) \}\.$/,
      );
    }
    const two = latentVariableModel({ latentDim: 2, views: { a: view, b: view } });
    const { project } = await fit(two, { maxIterations: 1 });
    for (const matrix of [Y, Matrix.from(Y)]) {
      await expect(project(matrix as never)).rejects.toThrow('project takes rows by name, such as { a: Y }, but ');
    }
  });

  it('rows and columns that a matrix does not have', () => {
    const matrix = Matrix.from(good());
    for (const place of [12, -1, 0.5, Number.NaN]) {
      expectInvalid(
        () => matrix.row(place),
        new RegExp(`^The matrix has 12 rows, numbered from 0, but row ${place} was requested`),
      );
    }
    expectInvalid(() => matrix.column(4), /^The matrix has 4 columns, numbered from 0, but column 4 was requested\.$/);
  });

  it('is refused where it is written', () => {
    expectInvalid(
      () => bias(0.1 as unknown as object),
      /takes an object of parameters, such as bias\(\{ variance: 0\.1 \}\)/,
    );
    expectInvalid(() => rbf(null as unknown as object), /but null was given/);
    for (const given of [null, [], 0.1]) {
      expectInvalid(() => poisson(given as object), /^Likelihood 'poisson' takes an object of parameters, but /);
    }
    expectInvalid(() => rbf({ lengthscale: [] }), /at least one number/);
    expectInvalid(() => gplvm(good(), undefined as unknown as { latentDim: number }), /needs the option 'latentDim'/);
    const one = standardNormal() as unknown as Prior[];
    expectInvalid(() => gplvm(good(), { latentDim: 2, priors: one }), /must be a list, such as \[standardNormal\(\)\]/);
    expectInvalid(
      () => gplvm(good(), { latentDim: 2, noise: [0.1, 0.2] }),
      /2 variances, one per column, but the observations are 12×4/,
    );
    const labels = good().map((_, i) => i % 2);
    const misspelled = { latentDim: 2, neighbours: 3 } as { latentDim: number };
    expectInvalid(
      () => gplrf(good(), labels, misspelled),
      /gplrf has no option 'neighbours'\. Did you mean 'neighbors'\?/,
    );
    expectInvalid(
      () => evaluate(gplvm(good(), { latentDim: 2 }), { 'mapping.noise': null as never }),
      /but null was given/,
    );
  });

  it('a number of lengthscales that does not fit the latents', () => {
    const three = rbf({ lengthscale: [1, 2, 3] });
    expectInvalid(
      () => evaluate(gplvm(good(), { latentDim: 2, kernel: three })),
      /3 lengthscales, but its inputs have 2 columns/,
    );
    expectInvalid(
      () => evaluate(gplvm(good(), { latentDim: 2, kernel: add(three, rbf()) })),
      /3 lengthscales, but its inputs have 2 columns/,
    );
  });

  it('a prior called as the likelihood is, which keeps its own term', () => {
    const mapping = definePrior({
      name: 'mapping',
      parameters: {},
      logDensity: (_, X) => op.neg(op.sum(op.square(X))),
    });
    const { terms, objective } = evaluate(gplvm(good(), { latentDim: 2, priors: [mapping()] }));
    expect(Object.keys(terms)).toEqual(['mapping', 'mapping2']);
    expect(terms.mapping! + terms.mapping2!).toBeCloseTo(objective, 9);
  });

  it('a gradient that is not a number, by its path', () => {
    const broken = definePrior({
      name: 'broken',
      parameters: {},
      // The square root has no derivative at 0.
      logDensity: (_, X) => op.sum(op.sqrt(op.mul(0, op.square(X)))),
    });
    expect(() => evaluate(gplvm(good(), { latentDim: 2, priors: [broken()] }))).toThrow(
      /gradient of term 'broken' in 'latents' is NaN/,
    );
  });

  it('a latent point of the wrong length, which is not read to its end', async () => {
    const result = await fit(gplvm(good(), { latentDim: 2 }), { maxIterations: 1 });
    let reads = 0;
    const long = new Proxy({ length: 1e6 } as readonly number[], {
      get: (of, key) => {
        reads++;
        return Reflect.get(of, key);
      },
    });
    expectInvalid(() => result.interpolate(long, 0, 3), /a point of 'latents' as 2 finite numbers/);
    expect(reads).toBeLessThan(100);
  });
});
