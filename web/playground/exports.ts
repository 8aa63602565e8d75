import type { Matrix } from 'latentfield';
import { tableText } from 'latentfield/io';
import { latentPlot, svgToPng } from 'latentfield/plot';
import { type Dataset, rowView } from './data/dataset.ts';
import type { Fitted } from './fitWorker.ts';
import { programOf } from './model.ts';
import type { Settings } from './settings.ts';

export interface Exported {
  readonly fit: Fitted;
  /** Those of a fit from a file are not known. */
  readonly settings: Settings | undefined;
  readonly dataset: Dataset;
  /** Colours of the picture: labels, or numbers. */
  readonly looks: { readonly labels?: readonly string[]; readonly color?: readonly number[] };
}

/** What can be saved of a fit, by the name of the file. */
export const EXPORTS: Readonly<Record<string, (of: Exported) => string | Promise<string | Uint8Array>>> = {
  'latents.csv': ({ fit: { latents }, dataset }) => csv(latents, dataset, (j) => `x${j + 1}`),
  'fit.json': ({ fit }) => fit.json(),
  'plot.svg': (of) => picture(of),
  'plot.png': async (of) => svgToPng(await picture(of), { scale: 2 }),
  'program.ts': ({ fit, settings, dataset }) => {
    if (settings === undefined) throw new Error('The options of a fit that was opened are not known. Fit it here.');
    return programOf(settings, dataset, fit.objective);
  },
  'data.csv': ({ dataset }) => csv(dataset.observations, dataset, (j) => dataset.columns[j]!),
};

function csv(matrix: Matrix, { labels }: Dataset, name: (column: number) => string): string {
  const names = Array.from({ length: matrix.columns }, (_, j) => name(j));
  return tableText(matrix, names, labels && { name: 'label', values: labels });
}

const picture = ({ fit, looks }: Exported) => latentPlot({ latents: fit.latents, ...looks });

/**
 * The rows of a fit that was opened.
 *
 * @param shown - the rows of the page, whose names and labels are those of the fit when the numbers are the same
 */
export function openedDataset(name: string, observations: Matrix, shown: Dataset | undefined): Dataset {
  if (shown !== undefined && isSame(shown.observations, observations)) return shown;
  const columns = Array.from({ length: observations.columns }, (_, j) => `column ${j + 1}`);
  const view = rowView(columns.length);
  return { name, observations, columns, labels: undefined, ids: undefined, view, notes: [] };
}

const isSame = (a: Matrix, b: Matrix) =>
  a.rows === b.rows && a.columns === b.columns && a.data.every((value, k) => Object.is(value, b.data[k]));

/** Offers a file to the visitor. */
export function save(name: string, content: string | Uint8Array): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content as string | Uint8Array<ArrayBuffer>]));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
