import type { Kernel } from '../kernels/kernel.ts';
import { shapeOf } from '../model/parameter.ts';

/** Numbers of columns that a kernel can be tried on: what its lists and centres have entries for, or else some small ones. */
export function dimensionsOf(kernel: Kernel): readonly number[] {
  const { exact, least } = columnsOf(kernel);
  if (exact !== undefined) return [exact];
  return least > 1 ? [least] : [1, 2, 3];
}

/** How many columns a kernel must see, when that is decided, and how many it needs. */
function columnsOf(kernel: Kernel): { exact: number | undefined; least: number } {
  const { form } = kernel;
  switch (form.type) {
    case 'leaf': {
      const lists = Object.values(kernel.parameters).flatMap(({ initial }) => shapeOf(initial).slice(-1));
      const { centres } = form.options;
      const points = Array.isArray(centres) ? [(centres[0] as number[]).length] : [];
      const [exact] = [...lists.filter((length) => length > 1), ...points];
      return { exact, least: exact ?? 1 };
    }
    case 'select':
      return { exact: undefined, least: Math.max(...form.columns) + 1 };
    case 'scale':
      return columnsOf(form.child);
    default: {
      const children = form.children.map(columnsOf);
      return {
        exact: children.find(({ exact }) => exact !== undefined)?.exact,
        least: Math.max(...children.map(({ least }) => least)),
      };
    }
  }
}
