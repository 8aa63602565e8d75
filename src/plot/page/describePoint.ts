import type { PageData } from './pageData.ts';

/**
 * Fills an element with what is known of a point: id, label or number, its image, the values of its row. Its text becomes part of a page: it
 * uses nothing of this module.
 */
export function describePoint(data: PageData, i: number, into: HTMLElement): void {
  const MOST_VALUES = 24;
  const line = (text: string, name: string) => {
    const element = document.createElement('div');
    element.className = name;
    element.textContent = text;
    into.append(element);
  };
  into.replaceChildren();
  line(data.ids[i]!, 'id');
  if (data.kindOf.length > 0) line(`${data.legendTitle}: ${data.kinds[data.kindOf[i]!]!.name}`, 'look');
  if (data.values.length > 0) line(`${data.legendTitle}: ${data.values[i] ?? 'none'}`, 'look');
  // Columns of the observations may be called x1 too.
  line(`latents: ${data.latents.map((column, d) => `x${d + 1} ${column[i]!.toPrecision(4)}`).join(', ')}`, 'latent');
  const row = data.rows[i];
  if (row === undefined) return;
  if (data.image === undefined) {
    line('observed:', 'latent');
    const values = row.slice(0, MOST_VALUES).map((value, j) => `${data.columns[j]}: ${value ?? 'missing'}`);
    for (const value of values) line(value, 'value');
    if (row.length > MOST_VALUES) line(`… ${row.length - MOST_VALUES} more columns`, 'value');
    return;
  }
  const [height, width, channels] = data.image.shape as [number, number, number];
  const [black, white] = data.image.range;
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  canvas.style.width = `${Math.max(96, Math.min(192, width * 4))}px`;
  const context = canvas.getContext('2d')!;
  const pixels = context.createImageData(width, height);
  for (let p = 0; p < width * height; p++) {
    for (let c = 0; c < 3; c++) {
      const value = row[p * channels + (channels === 3 ? c : 0)]!;
      pixels.data[4 * p + c] = value === null ? 128 : (255 * (value - black)) / (white - black);
    }
    pixels.data[4 * p + 3] = 255;
  }
  context.putImageData(pixels, 0, 0);
  into.append(canvas);
}
