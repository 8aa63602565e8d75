export { markPath, mixed, PALETTES, sceneSvg } from '../../scene/index.ts';
export type * from '../../scene/scene.ts';
export { type AssessmentPageOptions, assessmentPage } from './assessmentPage.ts';
export { canvasMap } from './canvasMap.ts';
export { type Decode, type DecodedGridOptions, decodedGrid } from './decodedGrid.ts';
export { type AdjacencyPlotOptions, adjacencyPlot, type TracePlotOptions, tracePlot } from './diagnosticPlots.ts';
export {
  chainPlot,
  type DrawsPlotOptions,
  type PredictivePlotOptions,
  pairsPlot,
  predictivePlot,
  rankPlot,
} from './drawsPlot.ts';
export { type LatentPlotOptions, latentPlot, latentScenes } from './latentPlot.ts';
export { panelColumns } from './layers.ts';
export type { LookOptions } from './looks.ts';
export { MOST_LABELS } from './looks.ts';
export type {
  CanvasMap,
  MapEvents,
  MapMargins,
  MapPictures,
  MapScene,
  MapTerrain,
  MapTheme,
  MapTool,
} from './page/mapScene.ts';
export { type PictureGridOptions, pictureGrid } from './pictureGrid.ts';
export { type PlotHtmlOptions, plotHtml } from './plotHtml.ts';
export {
  type PrecisionGrid,
  type PrecisionGridOptions,
  type Predict,
  precisionGrid,
  precisionGridInSlices,
} from './precisionGrid.ts';
export { type SvgToPngOptions, svgToPng } from './render.ts';
export type { ImageShape } from './rowImages.ts';
