import type { NumericType, Values } from '../backend.ts';
import { kernel, typeOf, type Unary } from './operation.ts';

/**
 * Registers y_i = f(x_i). Every kernel brings its own loop: V8 specialises a loop on the function in it, and one loop shared
 * by several functions runs four to eight times slower.
 *
 * @param dtype - type of the result; that of x unless given
 */
export function elementwise<A extends object>(
  name: string,
  loop: (x: Values, y: Values, attributes: A) => void,
  dtype?: NumericType,
): void {
  kernel<Unary, A>(name, ({ x }, attributes, backend) => {
    const result = backend.allocate(x.shape, dtype ?? typeOf(x));
    loop(backend.values(x), backend.values(result), attributes);
    return result;
  });
}
