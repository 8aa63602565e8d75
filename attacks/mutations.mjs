// Damage to JSON, as disks, editors and programs do it: one change at a random position.

/** Every position in a JSON value: the object or list that contains it, and its key. */
function placesOf(value, found = []) {
  if (typeof value !== 'object' || value === null) return found;
  for (const key of Object.keys(value)) {
    found.push({ holder: value, key });
    placesOf(value[key], found);
  }
  return found;
}

const DEEP = 20_000;
const deep = (close) => {
  let value = close;
  for (let i = 0; i < DEEP; i++) value = i % 2 === 0 ? [value] : { add: value };
  return value;
};

const oneOf = (random, list) => list[Math.floor(random() * list.length)];

/** Changes by name, each applied to the drawn position, with a stream of numbers from 0 to 1. */
const changes = {
  remove({ holder, key }) {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
  },
  repeat({ holder, key }) {
    if (Array.isArray(holder)) holder.splice(Number(key), 0, structuredClone(holder[key]));
    else holder[`${key}2`] = structuredClone(holder[key]);
  },
  rename({ holder, key }) {
    if (Array.isArray(holder)) return changes.remove({ holder, key });
    holder[`${key}x`] = holder[key];
    delete holder[key];
  },
  negate({ holder, key }) {
    holder[key] = typeof holder[key] === 'number' ? -holder[key] : -1;
  },
  nudge({ holder, key }, random) {
    if (typeof holder[key] === 'number') holder[key] = holder[key] * (1 + 10 ** (-1 - 14 * random())) + 1e-12;
    else holder[key] = 0;
  },
  zero({ holder, key }) {
    holder[key] = 0;
  },
  huge({ holder, key }, random) {
    holder[key] = oneOf(random, [1e308, -1e308, Number.MAX_SAFE_INTEGER, 1e12, 2 ** 31, 1e-320]);
  },
  text({ holder, key }, random) {
    holder[key] = oneOf(random, [
      'NaN',
      'Infinity',
      '',
      '1',
      'null',
      'constructor',
      '__proto__',
      'toString',
      'ignore',
      '\u0000',
    ]);
  },
  type({ holder, key }, random) {
    holder[key] = oneOf(random, [null, true, false, [], {}, [[]], [null], { x: 1 }, 3.5, '2', [1, 2, 3]]);
  },
  list({ holder, key }) {
    holder[key] = [holder[key]];
  },
  unwrap({ holder, key }) {
    const value = holder[key];
    holder[key] = typeof value === 'object' && value !== null ? Object.values(value)[0] : { value };
  },
  exchange(place, random, places) {
    const other = oneOf(random, places);
    const value = structuredClone(other.holder[other.key]);
    place.holder[place.key] = value;
  },
  prototype({ holder, key }, random) {
    const name = oneOf(random, ['__proto__', 'constructor', 'prototype', 'toJSON', 'then', 'size']);
    const target = typeof holder[key] === 'object' && holder[key] !== null ? holder[key] : holder;
    Object.defineProperty(target, name, {
      value: { polluted: true },
      enumerable: true,
      configurable: true,
      writable: true,
    });
  },
  nest({ holder, key }, random) {
    holder[key] = deep(random() < 0.5 ? holder[key] : 1);
  },
  add({ holder }, random) {
    if (Array.isArray(holder)) holder.push(oneOf(random, [0, null, 'x', []]));
    else holder.somethingElse = 1;
  },
  reorder({ holder }) {
    if (Array.isArray(holder)) holder.reverse();
    else delete holder[Object.keys(holder).at(-1)];
  },
};

export const KINDS = Object.keys(changes);

/**
 * A damaged copy.
 *
 * @param json - plain JSON, left as it is
 * @param random - numbers from 0 to 1
 * @returns the copy, and what was done to it
 */
export function damaged(json, random) {
  const copy = structuredClone(json);
  const places = placesOf(copy);
  // Long lists of numbers would hide everything else.
  const weight = ({ holder }) => (Array.isArray(holder) ? 1 / Math.max(1, holder.length) : 1);
  let at = random() * places.reduce((sum, place) => sum + weight(place), 0);
  const place = places.find((candidate) => {
    at -= weight(candidate);
    return at <= 0;
  });
  const kind = oneOf(random, KINDS);
  changes[kind](place ?? places.at(-1), random, places);
  return { json: copy, kind, key: String((place ?? places.at(-1)).key) };
}
