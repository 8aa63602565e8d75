import { Matrix } from 'latentfield/core';
import { tableText } from 'latentfield/io';
import type { Background } from './background.ts';
import type { Dataset } from './data/dataset.ts';
import type { Shown } from './fitting.ts';
import { svgOf } from './svg.ts';

export interface Exported {
  readonly shown: Shown;
  readonly dataset: Dataset;
  /** Colors of the picture, labels or numbers, and what they are called. */
  readonly looks: {
    readonly labels?: readonly string[];
    readonly color?: readonly number[];
    readonly legendTitle?: string;
  };
  readonly axes: readonly [number, number | undefined];
  readonly background: Background | undefined;
  /** The map as it is seen. */
  readonly canvas: HTMLCanvasElement;
}

/** What can be saved of a fit, by the name of the file. */
export const EXPORTS: Readonly<
  Record<string, { readonly about: string; readonly make: (of: Exported) => string | Promise<string | Uint8Array> }>
> = {
  'latents.csv': { about: 'ids, latents, variances, labels', make: latentsTable },
  'fit.json': { about: 'the fit, to open again', make: ({ shown }) => shown.fit.json() },
  'plot.png': { about: 'the map as you see it', make: ({ canvas }) => pngOf(canvas) },
  'plot.svg': { about: 'the map as a drawing', make: svgOf },
  'program.ts': {
    about: 'a program that fits it again',
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
