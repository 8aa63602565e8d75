import type { MessagePort } from 'node:worker_threads';
import type { Checkpoint } from '../../../inference/index.ts';
import type { OwnParts } from '../../../models/ownParts.ts';
import { fitCell, type SweptTable } from './fitCell.ts';
import type { CellOutcome } from './outcome.ts';
import type { Cell } from './spec.ts';
import { type ReadTable, readSweptTable } from './sweptTable.ts';

/** Messages from a worker to its thread about a sweep. */
export type CellRequest =
  | { readonly kind: 'table'; readonly table: ReadTable }
  | { readonly kind: 'cell'; readonly cell: Cell; readonly resume: string | undefined };

/** Replies of the thread. */
export type CellReply =
  | { readonly kind: 'checkpoint'; readonly text: string }
  | { readonly kind: 'fittedCell'; readonly outcome: CellOutcome; readonly fit: string | undefined }
  | { readonly kind: 'failedCell'; readonly isRefusal: boolean; readonly message: string };

/** Turns this thread into a thread of sweeps. */
export function serveCells(port: MessagePort, own: OwnParts): void {
  let table: Promise<SweptTable> | undefined;
  const post = (reply: CellReply) => port.postMessage(reply);
  const run = async (cell: Cell, resume: string | undefined) => {
    const { outcome, fit } = await fitCell(cell, await table!, own, {
      resume: resume === undefined ? undefined : (JSON.parse(resume) as Checkpoint),
      checkpoint: (checkpoint) => post({ kind: 'checkpoint', text: JSON.stringify(checkpoint) }),
    });
    post({ kind: 'fittedCell', outcome, fit: fit && JSON.stringify(fit) });
  };
  port.on('message', (request: CellRequest) => {
    if (request.kind === 'table') {
      table = readSweptTable(request.table);
      // Each cell reports it.
      table.catch(() => undefined);
    } else if (request.kind === 'cell') {
      run(request.cell, request.resume).catch((error: Error) =>
        post({ kind: 'failedCell', isRefusal: error.name === 'InvalidInputError', message: error.message }),
      );
    }
  });
}
