import { Matrix } from 'latentfield/core';
import { tableText } from 'latentfield/io';
import type { Background } from './background.ts';
import type { CardGiven } from './card.ts';
import type { Dataset } from './data/dataset.ts';
import type { Shown } from './fitting.ts';
import { svgOf } from './svg.ts';

export interface Exported {
  readonly shown: Shown;
  readonly dataset: Dataset;
  /** Colors of the picture, labels or numbers, and their title. */
  readonly looks: {
    readonly labels?: readonly string[];
    readonly color?: readonly number[];
    readonly legendTitle?: string;
  };
  readonly axes: readonly [number, number | undefined];
  readonly background: Background | undefined;
  /** Canvas of the visible map, and the content of a card of it. */
  readonly canvas: HTMLCanvasElement;
  readonly card: Omit<CardGiven, 'canvas' | 'dataset'>;
}

/** Downloads of a fit, by file name. */
export const EXPORTS: Readonly<
  Record<string, { readonly about: string; readonly make: (of: Exported) => string | Promise<string | Uint8Array> }>
> = {
  'latents.csv': { about: 'ids, latents, variances, labels', make: latentsTable },
  'fit.json': { about: 'the fit, to reopen later', make: ({ shown }) => shown.fit.json() },
  'card.png': {
    about: 'the map with its title, legend and scale',
    make: async ({ canvas, dataset, card }) => {
      const { cardOf } = await import('./card.ts');
      return pngOf(cardOf({ ...card, canvas, dataset }));
    },
  },
  'plot.png': { about: 'the map as you see it', make: ({ canvas }) => pngOf(canvas) },
  'plot.svg': { about: 'the map as a drawing', make: svgOf },
  'program.ts': {
    about: 'a program that repeats the fit',
    make: ({ shown, dataset }) => shown.fit.program(shown.of?.settings, dataset),
  },
  'data.csv': {
    about: 'the rows',
    make: ({ dataset }) => csv(dataset.observations, dataset.columns, dataset),
  },
};

function latentsTable({ shown: { fit }, dataset }: Exported): string {
  const { latents, latentVariances } = fit;
  const names = Array.from({ length: latents.columns }, (_, d) => `x${d + 1}`);
  if (latentVariances === undefined) return csv(latents, names, dataset);
  const both = Matrix.zeros(latents.rows, 2 * latents.columns);
  for (let i = 0; i < latents.rows; i++)
    both.data.set([...latents.row(i), ...latentVariances.row(i)], i * both.columns);
  return csv(both, [...names, ...names.map((_, d) => `variance${d + 1}`)], dataset);
}

/** Table of the positions of new rows, and whether the model has seen similar rows. */
export function placedTable(
  latents: Matrix,
  unlikely: Uint8Array,
  ids: readonly string[] | undefined,
  idColumn: string,
): string {
  const names = Array.from({ length: latents.columns }, (_, d) => `x${d + 1}`);
  const beside = { name: 'like the fit', values: Array.from(unlikely, (value) => (value === 1 ? 'no' : 'yes')) };
  return tableText(latents, names, beside, ids && { ids: { name: idColumn, values: ids } });
}

export function csv(matrix: Matrix, names: readonly string[], { labels, labelColumn, ids, idColumn }: Dataset): string {
  const beside = labels && { name: names.includes(labelColumn) ? 'label' : labelColumn, values: labels };
  return tableText(matrix, names, beside, ids && { ids: { name: idColumn, values: ids } });
}

async function pngOf(canvas: HTMLCanvasElement): Promise<Uint8Array> {
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  return new Uint8Array(await blob!.arrayBuffer());
}

/** Offers a file to the visitor. */
export function save(name: string, content: string | Uint8Array): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content as string | Uint8Array<ArrayBuffer>]));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
