import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';

const COLORS = ['#4c78a8', '#f58518', '#54a24b', '#e45756', '#b279a2'];

interface Given {
  readonly x: readonly number[];
  readonly series: readonly (readonly number[])[];
  readonly ink: string;
  /** Description for screen readers. */
  readonly label: string;
}

/** Lines over a common axis, as wide as the available space. */
export function Lines({ x, series, ink, label }: Given) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | undefined>(undefined);
  const data = () => [Array.from(x), ...series.map((values) => Array.from(values))] as [number[], ...number[][]];
  useEffect(() => {
    const grid = { stroke: '#88888840', width: 1 };
    const axis = { stroke: ink, grid, ticks: grid };
    const size = (width: number) => ({ width: Math.max(160, width), height: 150 });
    const made = new UPlot(
      {
        ...size(place.current!.clientWidth),
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false } },
        axes: [axis, { ...axis, size: 64 }],
        series: [
          {},
          ...series.map((_, k) => ({ stroke: COLORS[k % COLORS.length]!, width: 2, points: { show: false } })),
        ],
      },
      data(),
      place.current!,
    );
    plot.current = made;
    const observer = new ResizeObserver(([entry]) => made.setSize(size(entry!.contentRect.width)));
    observer.observe(place.current!);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [ink, series.length]);
  useEffect(() => plot.current!.setData(data()), [x, series]);
  return <div ref={place} class="lines" role="img" aria-label={label} />;
}
