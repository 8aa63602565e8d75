import { alle, defineModel, fit, InvalidInputError, Matrix, seededRandom } from 'latentfield';
import { describe, expect, it } from 'vitest';

function modelOf(latents: number[][], objective: number, eigenvalues: number[]) {
  return defineModel({
    name: 'broken',
    solve: () => ({
      latents: Matrix.from(latents),
      eigenvalues: Float64Array.from(eigenvalues),
      objective,
      terms: { trace: objective },
      message: 'Closed form.',
    }),
  })(undefined);
}

describe('a result that is not finite', () => {
  it.each<[string, Parameters<typeof modelOf>, RegExp]>([
    ['latents', [[[1], [Number.NaN]], 1, [1]], /^Failed: in the latents, entry \[1\]\[0\] is NaN\. .* Closed form\.$/],
    ['an objective', [[[1], [2]], Infinity, [1]], /^Failed: the objective is Infinity\./],
    ['eigenvalues', [[[1], [2]], 1, [Infinity]], /^Failed: an eigenvalue is not finite\./],
  ])('has failed: %s', async (_, parts, message) => {
    const result = await fit(modelOf(...parts));
    expect(result.status).toBe('failed');
    expect(result.message).toMatch(message);
  });

  it('is reported like others', async () => {
    const { status, message } = await fit(modelOf([[1], [2]], 3, [1]));
    expect([status, message]).toEqual(['converged', 'Closed form.']);
  });
});

describe('alle of rounded points', () => {
  it('refuses a point that others reconstruct to rounding', async () => {
    const refused = fit(alle([[3], [1], [4], [2], [2], [1]], { latentDim: 1, neighbors: 2 }));
    await expect(refused).rejects.toThrow(InvalidInputError);
    await expect(refused).rejects.toThrow(
      /The 2 neighbors of point index 0 reconstruct it exactly.*2 of the 6 rows repeat others.*leave repeated rows out/,
    );
  });

  it('advises on the regularization where no rows repeat', async () => {
    const refused = fit(
      alle([[3], [1], [4], [2], [2.5], [1.5]], { latentDim: 1, neighbors: 2, regularization: 1e-300 }),
    );
    await expect(refused).rejects.toThrow(/singular. Raise the regularization, or take fewer neighbors\.$/);
  });

  it('names rows that repeat where neighbors are equal', async () => {
    const rows = [
      [0, 0, 1],
      [1, 0, 0.5],
      [0, 1, 0.2],
      [2, 1, 0],
    ];
    const refused = fit(
      alle(
        rows.flatMap((row) => [row, row]),
        { latentDim: 1, neighbors: 2, regularization: 0 },
      ),
    );
    await expect(refused).rejects.toThrow(
      /Gram matrix is singular\. 4 of the 8 rows repeat others \(row index \d is row index \d\)/,
    );
  });

  it('never converges with latents that are not finite', async () => {
    const { normal } = seededRandom(1);
    let converged = 0;
    for (let k = 0; k < 60; k++) {
      const Y = Array.from({ length: 20 }, () => [Math.round(normal()), Math.round(normal())]);
      const result = await fit(alle(Y, { neighbors: 1 + (k % 5) })).catch((error: Error) => error);
      if (result instanceof Error) expect(result.name).toMatch(/InvalidInputError|NumericalError/);
      else if (result.status === 'converged') {
        converged++;
        expect(result.latents.data.every(Number.isFinite)).toBe(true);
      }
    }
    expect(converged).toBeGreaterThan(5);
  });
});
