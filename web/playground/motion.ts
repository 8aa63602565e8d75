import { useEffect, useRef, useState } from 'preact/hooks';

export interface Places {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

const MILLISECONDS = 850;
const eased = (t: number) => (t < 0.5 ? 4 * t * t * t : 1 - (2 - 2 * t) ** 3 / 2);

/** Animated positions that move to new ones, if these are the same rows in another map, starting from their position in its frame. */
export function useMoving(target: Places, key: string): { readonly places: Places; readonly isMoving: boolean } {
  const [shown, setShown] = useState({ places: target, isMoving: false });
  const last = useRef({ target, key });
  useEffect(() => {
    const { target: from, key: before } = last.current;
    last.current = { target, key };
    const isOther = before !== key && from.x.length === target.x.length;
    if (!isOther || matchMedia('(prefers-reduced-motion: reduce)').matches) {
      setShown({ places: target, isMoving: false });
      return;
    }
    const start = { x: reframed(from.x, target.x), y: reframed(from.y, target.y) };
    const began = performance.now();
    let frame = 0;
    const step = (now: number) => {
      const part = eased(Math.min(1, Math.max(0, (now - began) / MILLISECONDS)));
      if (part >= 1) {
        setShown({ places: target, isMoving: false });
        return;
      }
      const between = (axis: 'x' | 'y') =>
        Float64Array.from(target[axis], (value, i) => start[axis][i]! + part * (value - start[axis][i]!));
      setShown({ places: { x: between('x'), y: between('y') }, isMoving: true });
      frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [target, key]);
  return last.current.target === target && shown.places.x.length === target.x.length
    ? shown
    : { places: target, isMoving: false };
}

/** Coordinates in the frame of others: the same center and the same extent. */
function reframed(values: Float64Array, frame: Float64Array): Float64Array {
  const ends = (list: Float64Array) => {
    const low = list.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
    const high = list.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
    return { middle: (low + high) / 2, length: high - low || 1 };
  };
  const [own, other] = [ends(values), ends(frame)];
  return values.map((value) => other.middle + ((value - own.middle) / own.length) * other.length);
}
