import type { MapScene } from 'latentfield/plot';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Fitted } from './pageWorker.ts';
import type { Drawn, DrawsReply, DrawsRequest, DrawsStep } from './sampling.worker.ts';
import { startSamplingWorker } from './startWorker.ts';

/** Draws from the posterior of the shown fit. */
export interface Sampling {
  readonly of: Fitted;
  readonly status: 'running' | 'done' | 'failed';
  readonly holdsPoints: boolean;
  /** Latest step of each chain. */
  readonly steps: readonly (DrawsStep | undefined)[];
  readonly drawn?: Drawn;
  readonly problem: string;
  /** Index of the map whose ellipses are shown; −1 for none. */
  readonly mode: number;
  /** Index of the single map that is shown; undefined if they are not played. */
  readonly frame?: number | undefined;
}

/** Half axes of an ellipse of draws, in standard deviations. */
const DEVIATIONS = 2;

/** Display time of each map in milliseconds. */
const FRAME = 450;

/** Draws that can be started, stopped and shown, with their marks on the map. */
export function useSampling(fit: Fitted | undefined, across: number, up: number | undefined) {
  const [state, setState] = useState<Sampling>();
  const sampling = state?.of === fit ? state : undefined;
  const change = (of: Fitted, to: (now: Sampling) => Partial<Sampling>) =>
    setState((now) => (now?.of === of ? { ...now, ...to(now) } : now));
  const worker = useRef<Worker | undefined>(undefined);
  useEffect(() => () => worker.current?.terminate(), [fit]);

  async function start(holdsPoints: boolean): Promise<void> {
    const of = fit!;
    worker.current?.terminate();
    const chains = startSamplingWorker();
    worker.current = chains;
    const fail = (problem: string) => change(of, () => ({ status: 'failed', problem }));
    setState({ of, status: 'running', holdsPoints, steps: [], problem: '', mode: 0 });
    chains.addEventListener('message', ({ data }: MessageEvent<DrawsReply>) => {
      if ('step' in data) {
        const { step } = data;
        change(of, ({ steps }) => ({
          steps: Array.from({ length: step.chains }, (_, chain) => (chain === step.chain ? step : steps[chain])),
        }));
        return;
      }
      chains.terminate();
      if ('error' in data) fail(data.error);
      else change(of, () => ({ status: 'done', drawn: data.drawn }));
    });
    chains.addEventListener('error', () =>
      fail('The page lost the worker of the chains, most often because memory ran out.'),
    );
    try {
      chains.postMessage({ fit: await of.json(), holdsPoints } satisfies DrawsRequest);
    } catch (error) {
      fail((error as Error).message);
    }
  }

  const isPlaying = sampling?.frame !== undefined;
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setInterval(
      () => change(fit!, ({ frame, drawn }) => ({ frame: ((frame ?? 0) + 1) % drawn!.maps.length })),
      FRAME,
    );
    return () => clearInterval(timer);
  }, [isPlaying, fit]);
  const marks = useMemo(
    () => (sampling === undefined || up === undefined ? undefined : marksOf(sampling, across, up)),
    [sampling, across, up],
  );
  return {
    sampling,
    marks,
    start,
    stop: () => worker.current?.postMessage({ endsChains: true } satisfies DrawsRequest),
    show: (mode: number) => change(fit!, () => ({ mode, frame: undefined })),
    play: (isOn: boolean) => change(fit!, () => ({ mode: -1, frame: isOn ? 0 : undefined })),
  };
}

/** Positions of all chains while they run, and ellipses of their draws. */
function marksOf(
  { status, steps, drawn, mode: shown, frame }: Sampling,
  across: number,
  up: number,
): Pick<MapScene, 'cloud' | 'reach'> {
  const mode = drawn?.modes[shown];
  if (mode !== undefined) {
    const { mean, covariances } = mode;
    const q = mean.columns;
    const ellipses = Array.from({ length: mean.rows }, (_, n) => {
      const at = (a: number, b: number) => covariances[(n * q + a) * q + b]!;
      return ellipseOf(at(across, across), at(across, up), at(up, up));
    });
    const column = (d: number) => Float64Array.from({ length: mean.rows }, (_, n) => mean.data[n * q + d]!);
    return {
      reach: {
        x: ellipses.map(({ length }) => length),
        y: ellipses.map(({ width }) => width),
        turn: ellipses.map(({ turn }) => turn),
        at: { x: column(across), y: column(up) },
      },
    };
  }
  const played = frame === undefined ? [] : [drawn!.maps[frame]!.latents];
  const moving = status === 'running' ? steps.flatMap((step) => step?.latents ?? []) : played;
  if (moving.length === 0) return {};
  const column = (d: number) =>
    moving.flatMap(({ data, rows, columns }) => Array.from({ length: rows }, (_, n) => data[n * columns + d]!));
  return { cloud: { x: column(across), y: column(up) } };
}

/** Half axes of the ellipse of a covariance ((a, b), (b, c)), and the angle of the longer one. */
function ellipseOf(a: number, b: number, c: number) {
  const middle = (a + c) / 2;
  const radius = Math.hypot((a - c) / 2, b);
  return {
    length: DEVIATIONS * Math.sqrt(middle + radius),
    width: DEVIATIONS * Math.sqrt(Math.max(0, middle - radius)),
    turn: Math.atan2(2 * b, a - c) / 2,
  };
}
