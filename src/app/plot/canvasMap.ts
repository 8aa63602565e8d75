import { checkGiven } from '../../core/options.ts';
import { insidePolygon } from '../../scene/index.ts';
import { drawLand, drawMarks, drawOver, drawRulers, landOf } from './page/mapDrawing.ts';
import { mapOnCanvas } from './page/mapOnCanvas.ts';
import type { CanvasMap, MapEvents } from './page/mapScene.ts';

/**
 * Makes a map of points on a canvas in a page: terrain with contours behind the points, axes with equal units, zoom by wheel, pinch or calls, panning
 * by the middle button or Space, a lasso with Shift. It scales to a million points. It draws the scene passed to `show` and reports the visitor's
 * actions to `on`.
 *
 * @param canvas - a canvas of any size; the map follows its element
 * @param on - see {@link MapEvents}
 * @throws InvalidInputError if there is no canvas, as in Node, or a listener is missing
 */
export function canvasMap(canvas: HTMLCanvasElement, on: MapEvents): CanvasMap {
  checkGiven(canvas, 'canvasMap', 'a canvas of a page', (given) => typeof given.getContext === 'function');
  checkGiven(on, 'canvasMap', 'listeners hover, pick and lasso', ({ hover, pick, lasso }) =>
    [hover, pick, lasso].every((listener) => typeof listener === 'function'),
  );
  return mapOnCanvas(canvas, on, { landOf, drawLand, drawMarks, drawOver, drawRulers, insidePolygon });
}
