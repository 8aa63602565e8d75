import { Lines } from './lines.tsx';

/** The objective after each iteration. */
export function Trace({
  trace: [iterations, objectives],
  ink,
}: {
  readonly trace: readonly [readonly number[], readonly number[]];
  readonly ink: string;
}) {
  const last = objectives.at(-1);
  const words = last === undefined ? 'no fit yet' : `after ${iterations.at(-1)} iterations ${last.toPrecision(7)}`;
  return (
    <figure>
      <Lines x={iterations} series={[objectives]} ink={ink} label={`Objective, ${words}`} />
      <figcaption>
        Objective: <span data-testid="objective">{words}</span>
      </figcaption>
    </figure>
  );
}
