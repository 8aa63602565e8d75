/**
 * Notes in the context that a contender's objective is below the peer's by more than `margin` of its size: they would not be
 * doing the same job. A higher objective is not a disagreement.
 *
 * @param rows - rows of one task; the peer's name begins with 'peers', and without it nothing is compared
 */
export function noteObjectivesBelowPeer(context, rows, margin) {
  const peer = rows.find(({ contender }) => contender.startsWith('peers'));
  if (peer === undefined) return;
  for (const { section, task, n, contender, value } of rows) {
    if (value >= peer.value - margin * Math.abs(peer.value)) continue;
    context.disagreements.push(
      `${section} ${n}, ${task}: the objective is ${value} by ${contender}, below ${peer.value} by ${peer.contender}.`,
    );
  }
}
