import { count, drawnRows, hasData, library, readLabels, readMatrix, rowsOf } from './data.mjs';

const { Matrix } = library;

/**
 * The data sets of Table 2 of Mao et al. 2017, with the dimension that the paper states and the accuracy and NMI that it prints by method. Two are used where
 * the folder of the data has them: `satimage_X.npy`, `satimage_y.npy` (the 4435 training rows of UCI, written by `mlbench.R`) and
 * `isolet_X.npy`, `isolet_y.npy` (26 letters, two classes in the paper, written by `matlabFiles.py`).
 */
export const SETS = {
  Coil20: {
    file: 'coil20_32',
    d: 84,
    paper: {
      'K-means': [0.6674, 0.7845],
      PCA: [0.6674, 0.7845],
      KPCA: [0.2243, 0.3104],
      LLE: [0.3493, 0.3848],
      LE: [0.3889, 0.5077],
      ℓMVU: [0.5146, 0.6595],
      GPLVM: [0.6674, 0.7845],
      MEU: [0.359, 0.5067],
      't-SNE': [0.7319, 0.8743],
      MPME: [0.759, 0.8862],
    },
  },
  USPS: {
    file: 'usps',
    from: 7291,
    d: 32,
    paper: {
      'K-means': [0.6153, 0.5657],
      PCA: [0.6208, 0.5664],
      KPCA: [0.1933, 0.1085],
      LLE: [0.1624, 0.0106],
      LE: [0.4828, 0.4522],
      ℓMVU: [0.3896, 0.3858],
      GPLVM: [0.4709, 0.3824],
      MEU: [0.6129, 0.5743],
      't-SNE': [0.7603, 0.7868],
      MPME: [0.7344, 0.7611],
    },
  },
  'YALE-B': {
    file: 'yaleb',
    unit: true,
    d: 116,
    paper: {
      'K-means': [0.1081, 0.1694],
      PCA: [0.111, 0.1781],
      KPCA: [0.0766, 0.0911],
      LLE: [0.0667, 0.081],
      LE: [0.1475, 0.2534],
      ℓMVU: [0.0684, 0.087],
      GPLVM: [0.0671, 0.0716],
      MEU: [0.3094, 0.4174],
      't-SNE': [0.3592, 0.5925],
      MPME: [0.401, 0.5301],
    },
  },
  Pendigits: {
    file: 'pendigits_test',
    d: 9,
    paper: {
      'K-means': [0.6544, 0.6669],
      PCA: [0.6527, 0.6627],
      KPCA: [0.7387, 0.6849],
      LLE: [0.1215, 0.0059],
      LE: [0.7742, 0.7397],
      ℓMVU: [0.5692, 0.6422],
      GPLVM: [0.6527, 0.6627],
      MEU: [0.7138, 0.7635],
      't-SNE': [0.7504, 0.7846],
      MPME: [0.8276, 0.8139],
    },
  },
  Letter: {
    file: 'letter',
    rows: 5000,
    candidates: 20,
    d: 12,
    paper: {
      'K-means': [0.2632, 0.3621],
      PCA: [0.2634, 0.3591],
      KPCA: [0.2596, 0.3528],
      LLE: [0.3084, 0.3992],
      LE: [0.0674, 0.0211],
      ℓMVU: [0.1484, 0.1379],
      GPLVM: [0.2634, 0.3591],
      MEU: [0.2518, 0.3341],
      't-SNE': [0.3856, 0.5059],
      MPME: [0.3432, 0.4616],
    },
  },
  Satimage: {
    file: 'satimage',
    optional: true,
    d: 6,
    paper: {
      'K-means': [0.6685, 0.6097],
      PCA: [0.6681, 0.609],
      KPCA: [0.7145, 0.6028],
      LLE: [0.651, 0.508],
      LE: [0.6692, 0.5812],
      ℓMVU: [0.6886, 0.5818],
      GPLVM: [0.6681, 0.609],
      MEU: [0.7398, 0.6826],
      't-SNE': [0.6257, 0.6266],
      MPME: [0.7411, 0.6594],
    },
  },
  Isolet: {
    file: 'isolet',
    optional: true,
    halves: true,
    d: 165,
    paper: {
      'K-means': [0.5633, 0.0117],
      PCA: [0.5633, 0.0117],
      KPCA: [0.5008, 0.0006],
      LLE: [0.5021, 0.0004],
      LE: [0.5361, 0.0369],
      ℓMVU: [0.5989, 0.0292],
      GPLVM: [0.563, 0.0116],
      MEU: [0.5476, 0.0151],
      't-SNE': [0.5976, 0.0288],
      MPME: [0.6935, 0.1109],
    },
  },
};

const filesOf = ({ file }) => [`${file}_X.npy`, `${file}_y.npy`];
/** Whether the files of a set are there; those that are not optional are looked for before a reproduction begins. */
export const isThere = (set) => !set.optional || filesOf(set).every(hasData);
export const CLUSTERED_FILES = Object.values(SETS)
  .filter(({ optional }) => !optional)
  .flatMap(filesOf);

export async function readSet({ file, from = 0, rows, unit, halves }, quick, drawn = false) {
  const all = await readMatrix(`${file}_X.npy`);
  const allLabels = readLabels(`${file}_y.npy`);
  const own = count(all.rows).slice(from);
  const most = quick ? 150 : rows;
  const few = most === undefined || own.length <= most;
  const firsts = () => (quick || drawn ? drawnRows(own.length, most, 1).map((k) => own[k]) : own.slice(0, most));
  const chosen = few ? own : firsts();
  const Y = rowsOf(all, chosen);
  return {
    Y: unit ? rowsOfUnitLength(Y) : Y,
    labels: chosen.map((i) => (halves ? Math.floor(allLabels[i] / 13) : allLabels[i])),
  };
}

/** Each row centered and divided by its length, which gives the dimension that the paper states for YALE-B. */
function rowsOfUnitLength(Y) {
  return Matrix.from(
    count(Y.rows).map((i) => {
      const row = Y.row(i);
      const mean = row.reduce((sum, entry) => sum + entry, 0) / row.length;
      const length = Math.sqrt(row.reduce((sum, entry) => sum + (entry - mean) ** 2, 0));
      return Array.from(row, (entry) => (entry - mean) / length);
    }),
  );
}
