import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';

/** The objective after each iteration. */
export function Trace({
  trace,
  ink,
}: {
  readonly trace: readonly [readonly number[], readonly number[]];
  readonly ink: string;
}) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | undefined>(undefined);
  const data = () => [Array.from(trace[0]), Array.from(trace[1])] as [number[], number[]];
  useEffect(() => {
    const grid = { stroke: '#88888840', width: 1 };
    const axis = { stroke: ink, grid, ticks: grid };
    const made = new UPlot(
      {
        width: Math.max(200, place.current!.clientWidth),
        height: 150,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false } },
        axes: [axis, { ...axis, size: 64 }],
        series: [{}, { stroke: '#4c78a8', width: 2, points: { show: false } }],
      },
      data(),
      place.current!,
    );
    plot.current = made;
    const observer = new ResizeObserver(([entry]) =>
      made.setSize({ width: Math.max(200, entry!.contentRect.width), height: 150 }),
    );
    observer.observe(place.current!);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [ink]);
  useEffect(() => plot.current!.setData(data()), [trace]);
  const last = trace[1].at(-1);
  const words = last === undefined ? 'no fit yet' : `after ${trace[0].at(-1)} iterations ${last.toPrecision(7)}`;
  return (
    <figure>
      <div ref={place} class="trace" role="img" aria-label={`Objective, ${words}`} />
      <figcaption>
        Objective: <span data-testid="objective">{words}</span>
      </figcaption>
    </figure>
  );
}
