import { describe, expect, it } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import { fit, pca } from '../../src/index.ts';

type Bundle = Readonly<Record<string, string>>;
const asked = (value: unknown): Promise<Bundle> =>
  (value as Readonly<Record<symbol, () => Promise<Bundle>>>)[Symbol.for('Jupyter.display')]!();

describe('a fit in a notebook', () => {
  const { observations } = pipeFlow({ points: 40, seed: 1 });

  it('is shown as its message and a picture of its latents, in equal units', async () => {
    const fitted = await fit(pca(observations, { latentDim: 2 }));
    const bundle = await asked(fitted);
    expect(Object.keys(bundle).sort()).toEqual(['image/svg+xml', 'text/html', 'text/plain']);
    expect(bundle['text/plain']).toBe(`pca: 40 × 2 latents. ${fitted.message}`);
    expect(bundle['text/html']).toContain(bundle['image/svg+xml']);
    const points = [...bundle['image/svg+xml']!.matchAll(/M([\d.-]+),([\d.-]+)h0/g)].map(([, x, y]) => [+x!, +y!]);
    expect(points).toHaveLength(40);
    const distance = (i: number, j: number) => {
      const [a, b] = [fitted.latents.row(i), fitted.latents.row(j)];
      return [
        Math.hypot(points[i]![0]! - points[j]![0]!, points[i]![1]! - points[j]![1]!),
        Math.hypot(a[0]! - b[0]!, a[1]! - b[1]!),
      ] as const;
    };
    const [drawn, there] = distance(0, 1);
    for (let j = 2; j < 40; j++) {
      const [other, otherThere] = distance(0, j);
      // Positions are written to a hundredth of a pixel.
      expect(Math.abs(other - (otherThere / there) * drawn)).toBeLessThan(0.03 * (1 + otherThere / there));
    }
    // Up in the latents is up in the picture.
    const order = (list: readonly number[], sign: number) =>
      list.map((_, i) => i).sort((i, j) => sign * (list[i]! - list[j]!));
    const top = order(
      points.map(([, y]) => y!),
      1,
    )[0]!;
    const most = order(
      Array.from({ length: 40 }, (_, i) => fitted.latents.row(i)[1]!),
      -1,
    )[0]!;
    expect(top).toBe(most);
  });

  it('draws one latent dimension over the rows', async () => {
    const bundle = await asked(await fit(pca(observations, { latentDim: 1 })));
    expect(bundle['image/svg+xml']!.match(/h0/g)).toHaveLength(40);
    expect(bundle['image/svg+xml']).not.toContain('NaN');
  });

  it('keeps the display out of the members that are listed', async () => {
    const fitted = await fit(pca(observations, { latentDim: 2 }));
    expect(Object.getOwnPropertySymbols({ ...fitted })).toEqual([]);
  });
});
