import { Matrix } from 'latentfield';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Dataset } from '../data/dataset.ts';
import type { Colouring, Theme } from '../drawing/colours.ts';
import { Scatter } from '../drawing/scatter.ts';
import { FitWorker } from '../fitWorker.ts';
import { modelOf } from '../model.ts';
import { DEFAULTS, type Settings } from '../settings.ts';
import { inWorker, plainMatrix } from '../tasks.ts';
import type { TaskResults } from '../tasks.worker.ts';
import { Panel } from './fields.tsx';

interface Result {
  readonly method: string;
  readonly latents?: Matrix;
  readonly scores?: TaskResults['scores'];
  readonly error?: string;
}

interface Given {
  /** The model of the fit. */
  readonly name: string;
  readonly isStandardised: boolean;
  readonly dataset: Dataset;
  readonly latents: Matrix;
  readonly colouring: Colouring;
  readonly theme: Theme;
}

/** Latents of other methods beside those of the fit, each with its scores. */
export function Others({ name, isStandardised, dataset, latents, colouring, theme }: Given) {
  const [results, setResults] = useState<readonly Result[]>([]);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => setResults([]), [latents]);

  async function compare() {
    setBusy(true);
    setResults([]);
    const settings = { ...DEFAULTS, standardise: isStandardised };
    for (const [method, make] of methodsOf(name, settings, dataset, latents)) {
      const result = await scored(method, make, settings, dataset).catch((error: Error) => ({
        method,
        error: error.message,
      }));
      setResults((before) => [...before, result]);
    }
    setBusy(false);
  }
  return (
    <Panel title="Beside other methods" id="others">
      <button type="button" class="secondary" disabled={isBusy} aria-busy={isBusy} onClick={compare}>
        Compare with PCA, Isomap and UMAP
      </button>
      <div class="methods">
        {results.map((result) => (
          <Method key={result.method} result={result} colouring={colouring} theme={theme} />
        ))}
      </div>
      {results.length > 0 && (
        <p class="small">
          Trustworthiness: of the 10 nearest neighbours in the picture, 1 is best. Error: rows whose nearest neighbour
          in the picture has another label.
        </p>
      )}
    </Panel>
  );
}

function methodsOf(
  name: string,
  settings: Settings,
  dataset: Dataset,
  latents: Matrix,
): [string, () => Promise<Matrix>][] {
  const { seen } = modelOf({ ...settings, model: 'pca', options: { latentDim: 1 } }, dataset);
  const spectral = (model: string) => async () => {
    const given = { ...settings, model, options: { latentDim: 2 } };
    const worker = new FitWorker();
    try {
      return (await worker.fit(given, dataset)).latents;
    } finally {
      worker.end();
    }
  };
  const umap = async () => {
    const { data, rows, columns } = await inWorker({
      kind: 'umap',
      Y: plainMatrix(seen),
      neighbours: Math.min(15, seen.rows - 1),
    });
    return new Matrix(data, rows, columns);
  };
  return [
    [name, async () => latents],
    ['PCA', spectral('pca')],
    ['Isomap', spectral('isomap')],
    ['UMAP', umap],
  ];
}

async function scored(
  method: string,
  make: () => Promise<Matrix>,
  settings: Settings,
  dataset: Dataset,
): Promise<Result> {
  const latents = await make();
  const { seen } = modelOf({ ...settings, model: 'pca', options: { latentDim: 1 } }, dataset);
  const scores = await inWorker({
    kind: 'scores',
    Y: plainMatrix(seen),
    X: plainMatrix(latents),
    labels: dataset.labels,
  });
  return { method, latents, scores };
}

function Method({
  result: { method, latents, scores, error },
  colouring,
  theme,
}: {
  readonly result: Result;
  readonly colouring: Colouring;
  readonly theme: Theme;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (latents === undefined) return;
    const axes = [0, latents.columns > 1 ? 1 : undefined] as const;
    const scatter = new Scatter(canvas.current!);
    scatter.show({ latents, axes, colouring, background: undefined, added: [], cursor: undefined, hovered: -1 }, theme);
    return () => scatter.release();
  }, [latents, colouring, theme]);
  const part = (value: number | undefined, digits: number) => (value === undefined ? '–' : value.toFixed(digits));
  return (
    <figure class="method">
      {latents !== undefined && <canvas ref={canvas} role="img" aria-label={`Latents of ${method}`} />}
      <figcaption>
        <strong>{method}</strong>{' '}
        {error ??
          `trustworthiness ${part(scores!.trustworthiness, 3)}${scores!.neighbourError === undefined ? '' : `, error ${part(scores!.neighbourError, 3)}`}`}
      </figcaption>
    </figure>
  );
}
