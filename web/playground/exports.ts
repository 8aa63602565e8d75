import { loadFit, type Matrix } from 'latentfield';
import { tableText } from 'latentfield/io';
import { latentPlot, svgToPng } from 'latentfield/plot';
import type { Dataset } from './data/dataset.ts';
import type { AnyFit } from './fitting.ts';
import { programOf } from './model.ts';
import type { Settings } from './settings.ts';

export interface Exported {
  readonly fit: AnyFit;
  readonly settings: Settings;
  readonly dataset: Dataset;
  /** Colours of the picture: labels, or numbers. */
  readonly looks: { readonly labels?: readonly string[]; readonly color?: readonly number[] };
}

/** What can be saved of a fit, by the name of the file. */
export const EXPORTS: Readonly<Record<string, (of: Exported) => string | Promise<string | Uint8Array>>> = {
  'latents.csv': ({ fit: { latents }, dataset }) => csv(latents, dataset, (j) => `x${j + 1}`),
  'fit.json': ({ fit }) => JSON.stringify(fit),
  'plot.svg': (of) => picture(of),
  'plot.png': async (of) => svgToPng(await picture(of), { scale: 2 }),
  'program.ts': ({ fit, settings, dataset }) => programOf(settings, dataset, fit.objective),
  'data.csv': ({ dataset }) => csv(dataset.observations, dataset, (j) => dataset.columns[j]!),
};

function csv(matrix: Matrix, { labels }: Dataset, name: (column: number) => string): string {
  const names = Array.from({ length: matrix.columns }, (_, j) => name(j));
  return tableText(matrix, names, labels && { name: 'label', values: labels });
}

const picture = ({ fit, looks }: Exported) => latentPlot({ latents: fit.latents, ...looks });

/** The fit of a file that `fit.json` was saved to. */
export const importedFit = (bytes: Uint8Array): AnyFit =>
  loadFit(JSON.parse(new TextDecoder().decode(bytes))) as AnyFit;

/** Offers a file to the visitor. */
export function save(name: string, content: string | Uint8Array): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content as string | Uint8Array<ArrayBuffer>]));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
