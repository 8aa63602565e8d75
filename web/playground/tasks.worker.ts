import { Matrix, nearestNeighbourError, seededRandom, trustworthiness } from 'latentfield';
import { parseTable } from 'latentfield/io';
import { UMAP } from 'umap-js';

export interface PlainMatrix {
  readonly data: Float64Array;
  readonly rows: number;
  readonly columns: number;
}

/** A table as the worker has read it. */
export interface PlainTable {
  readonly observations: PlainMatrix;
  readonly columns: readonly string[];
  readonly labels: readonly string[] | undefined;
  readonly ids: readonly string[] | undefined;
  /** Columns of the file that are none of the observations. */
  readonly others: readonly { readonly column: string; readonly reason: string }[];
  readonly notes: readonly string[];
}

export type Task =
  | {
      readonly kind: 'read';
      readonly bytes: Uint8Array;
      readonly name: string;
      readonly labels: string;
      readonly columns?: readonly string[];
    }
  | { readonly kind: 'umap'; readonly Y: PlainMatrix; readonly neighbours: number }
  | {
      readonly kind: 'scores';
      readonly Y: PlainMatrix;
      readonly X: PlainMatrix;
      readonly labels: readonly string[] | undefined;
    };

export interface TaskResults {
  readonly read: PlainTable;
  readonly umap: PlainMatrix;
  readonly scores: { readonly trustworthiness: number | undefined; readonly neighbourError: number | undefined };
}

export type Reply = { readonly id: number } & ({ readonly value: unknown } | { readonly error: string });

self.addEventListener('message', async ({ data: { id, task } }: MessageEvent<{ id: number; task: Task }>) => {
  try {
    self.postMessage({ id, value: await done(task) } satisfies Reply);
  } catch (error) {
    self.postMessage({ id, error: (error as Error).message } satisfies Reply);
  }
});

const matrix = ({ data, rows, columns }: PlainMatrix) => new Matrix(data, rows, columns);
const plain = ({ data, rows, columns }: Matrix): PlainMatrix => ({ data, rows, columns });

async function done(task: Task): Promise<unknown> {
  if (task.kind === 'read') return read(task);
  if (task.kind === 'scores') return scores(task);
  const random = seededRandom(0);
  const umap = new UMAP({ nNeighbors: task.neighbours, random: () => random.uniform() });
  return plain(Matrix.from(await umap.fitAsync(matrix(task.Y).toArrays())));
}

async function read({ bytes, name, labels, columns }: Task & { kind: 'read' }): Promise<PlainTable> {
  const options = { allowMissing: true, ...(columns && { columns: [...columns] }), ...(labels !== '' && { labels }) };
  const table = await parseTable(bytes, name, options);
  return {
    observations: plain(table.observations),
    columns: table.columns,
    labels: table.labels,
    ids: table.ids,
    others: table.leftOut,
    notes: table.notes,
  };
}

const NEIGHBOURS = 10;

function scores({ Y, X, labels }: Task & { kind: 'scores' }): TaskResults['scores'] {
  const k = Math.min(NEIGHBOURS, Math.ceil(Y.rows / 2) - 1);
  return {
    trustworthiness: k < 1 ? undefined : trustworthiness(matrix(Y), matrix(X), k),
    neighbourError: labels && nearestNeighbourError(matrix(X), labels),
  };
}
