export { type AdjacencyPlotOptions, adjacencyPlot } from './adjacencyPlot.ts';
export { type LatentPlotOptions, latentPlot } from './latentPlot.ts';
export { MOST_LABELS } from './palette.ts';
export { type PictureGridOptions, pictureGrid } from './pictureGrid.ts';
export { type PrecisionGrid, type PrecisionGridOptions, type Predict, precisionGrid } from './precisionGrid.ts';
export { type TracePlotOptions, tracePlot } from './tracePlot.ts';
