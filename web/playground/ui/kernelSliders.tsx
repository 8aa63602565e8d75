import { useMemo } from 'preact/hooks';
import { drawnKernel, type KernelNumber, numbersOf, withNumber } from '../kernel/kernelText.ts';
import { Lines } from './lines.tsx';

/** Slider steps per decade of positive numbers. */
const A_DECADE = 20;
const DECADES = 3;

interface Given {
  readonly text: string;
  readonly change: (text: string) => void;
  readonly ink: string;
}

/** Drawing of a kernel, with a slider for each of its numbers. */
export function KernelSliders({ text, change, ink }: Given) {
  const shown = useMemo(() => {
    try {
      return { numbers: numbersOf(text), drawn: drawnKernel(text), error: '' };
    } catch (error) {
      return { numbers: [], drawn: undefined, error: (error as Error).message };
    }
  }, [text]);
  const { numbers, drawn, error } = shown;
  return (
    <div class="kernel">
      {error !== '' && <p class="error">{error}</p>}
      {numbers.map((number) => (
        <NumberSlider
          key={number.label}
          number={number}
          change={(changed) => change(withNumber(text, number, changed))}
        />
      ))}
      {drawn !== undefined && (
        <div class="columns">
          <figure>
            <Lines
              x={drawn.x}
              series={drawn.covariances.map(({ values }) => values)}
              ink={ink}
              label={`Covariance of a point x on a line with three others, of ${text}`}
            />
            <figcaption class="note">
              Covariance of x with {drawn.covariances.map(({ name }) => name).join(', ')}
            </figcaption>
          </figure>
          <figure>
            <Lines
              x={drawn.x}
              series={drawn.samples.map(({ values }) => values)}
              ink={ink}
              label={`Samples of a Gaussian process with ${text}`}
            />
            <figcaption class="note">Three samples (with 1e-8 of the variance as noise)</figcaption>
          </figure>
        </div>
      )}
    </div>
  );
}

function NumberSlider({
  number: { label, value, free, isWhole },
  change,
}: {
  readonly number: KernelNumber;
  readonly change: (changed: { readonly value?: number; readonly free?: boolean }) => void;
}) {
  const range = isWhole
    ? { min: 1, max: 8, step: 1, value }
    : { min: -DECADES * A_DECADE, max: DECADES * A_DECADE, step: 1, value: Math.round(A_DECADE * Math.log10(value)) };
  return (
    <div class="slider">
      <label>
        <span class="spread">
          {label} <span>{value.toPrecision(3)}</span>
        </span>
        <input
          type="range"
          {...range}
          aria-valuetext={value.toPrecision(3)}
          onInput={({ currentTarget }) => {
            const at = Number(currentTarget.value);
            change({ value: isWhole ? at : Number((10 ** (at / A_DECADE)).toPrecision(3)) });
          }}
        />
      </label>
      {!isWhole && (
        <label class="held">
          <input
            type="checkbox"
            checked={!free}
            aria-label={`${label} is fixed`}
            onChange={({ currentTarget }) => change({ free: !currentTarget.checked })}
          />
          fixed
        </label>
      )}
    </div>
  );
}
