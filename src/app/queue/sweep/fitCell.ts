import type { MessagePort } from 'node:worker_threads';
import { InvalidInputError, LatentFieldError } from '../../../core/errors.ts';
import type { Matrix } from '../../../core/matrix.ts';
import {
  type Checkpoint,
  chosenRows,
  type FitOptions,
  fit,
  heldOutDensity,
  type KnownRows,
  nearestNeighborScore,
  type SelectionScore,
  trustworthinessScore,
} from '../../../inference/index.ts';
import { usualNeighbors } from '../../../inference/scores/localScores.ts';
import { rowsOf, splitsOf } from '../../../inference/selection/scores.ts';
import type { Fit } from '../../../model/fit.ts';
import { describedModel, withKnownRows } from '../../../models/describedModel.ts';
import type { OwnParts } from '../../../models/ownParts.ts';
import { standardize } from '../../io/index.ts';
import type { CellOutcome } from './outcome.ts';
import type { Cell, SweepScore } from './spec.ts';
import { type ReadTable, readSweptTable } from './sweptTable.ts';

/** Table in the form that a sweep fits. */
export interface SweptTable {
  readonly observations: Matrix;
  readonly labels?: readonly string[] | undefined;
  /** Covariates and offset of the rows. */
  readonly known?: KnownRows | undefined;
}

/** Seconds between checkpoints. */
const INTERVAL = 5;

/** One fit of a sweep with its scores. A fit that fails with an error of the library becomes a line of the table and does not end the sweep. */
export async function fitCell(
  cell: Cell,
  { observations, labels, known }: SweptTable,
  own: OwnParts,
  { resume, checkpoint }: { resume?: Checkpoint | undefined; checkpoint(checkpoint: Checkpoint): unknown },
): Promise<{ outcome: CellOutcome; fit: object | undefined }> {
  const Y = cell.standardize ? standardize(observations).apply(observations) : observations;
  let result: Fit | undefined;
  try {
    const scores = cell.scores.map((name) => ({ name, score: scoreOf(name, Y, labels, known) }));
    const split = splitsOf(Y.rows, cell.folds, cell.foldSeed, labels)[cell.fold]!;
    const take = <T>(table: T) => rowsOf(table, split.training);
    const options = withKnownRows({ latentDim: 2, ...cell.options }, chosenRows(known, split.training));
    const model = describedModel(cell.model, take(Y), labels && take(labels), options, own);
    const { restarts, ...limits } = cell.fit;
    const search = model.solve === undefined && restarts !== undefined ? { restarts } : {};
    const settings = { ...limits, ...search, checkpoint, checkpointInterval: INTERVAL };
    const begun = resume === undefined ? { seed: cell.seed } : { resume };
    result = (await fit(model, { ...settings, ...begun } as FitOptions)) as Fit;
    const found: Record<string, number | null> = {};
    const project = async () => {
      throw new InvalidInputError(`The model '${cell.model}' does not place new observations, which this score needs.`);
    };
    for (const { name, score } of scores) found[name] = finite(await score.of({ project, ...result }, split));
    return { outcome: outcomeOf(result, found), fit: result.toJSON() };
  } catch (error) {
    if (!(error instanceof LatentFieldError)) throw error;
    const none = Object.fromEntries(cell.scores.map((name) => [name, null]));
    return { outcome: { ...outcomeOf(result, none), failure: error.message }, fit: result?.toJSON() };
  }
}

function outcomeOf(result: Fit | undefined, scores: Record<string, number | null>): CellOutcome {
  if (result === undefined) return { scores, objective: null, status: 'failed', iterations: null, seconds: null };
  const { objective, status, message, diagnostics } = result;
  const outcome = {
    ...{ scores, objective: finite(objective), status },
    ...{ iterations: diagnostics.iterations, seconds: finite(diagnostics.seconds) },
  };
  return status === 'failed' ? { ...outcome, failure: message } : outcome;
}

const finite = (value: number) => (Number.isFinite(value) ? value : null);

function scoreOf(
  name: SweepScore,
  Y: Matrix,
  labels: readonly string[] | undefined,
  given: KnownRows | undefined,
): SelectionScore {
  if (name === 'density') return heldOutDensity(Y, { given });
  if (name === 'nearestNeighbor') return nearestNeighborScore(Y, labels!, { given });
  return trustworthinessScore(Y, usualNeighbors(Y.rows));
}

/** Messages from a worker to its thread about a sweep. */
type CellRequest =
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
