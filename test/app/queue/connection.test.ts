import { expect, it } from 'vitest';
import { lasting } from '../../../src/app/queue/redis/connection.ts';

it('a connection is tried again after 50 ms, then ever later up to a second, for a minute', () => {
  const { retryStrategy } = lasting({ host: 'localhost', port: 6379, db: 0 });
  expect([1, 2, 19, 20, 21].map(retryStrategy)).toEqual([50, 100, 950, 1000, 1000]);
  let milliseconds = 0;
  for (let k = 1; ; k++) {
    const pause = retryStrategy(k);
    if (pause === null) break;
    milliseconds += pause;
  }
  expect(Math.round(milliseconds / 1000)).toBe(61);
});
