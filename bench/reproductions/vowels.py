#!/usr/bin/python3
"""Writes vowels_X.npy (2700x24) and vowels_y.npy, nine vowels of one speaker, 300 of each, out of jon_vowel_data.mat of the repository
SheffieldML/GPmat (datasets/data), columns 13 and 26 left out as in its lvmLoadData.m:

  python3 bench/reproductions/vowels.py jon_vowel_data.mat FOLDER
"""
import sys
from pathlib import Path

import numpy as np
from scipy.io import loadmat

VOWELS = ['a', 'ae', 'ao', 'e', 'i', 'ibar', 'o', 'schwa', 'u']

if len(sys.argv) != 3:
    sys.exit(__doc__)
sounds = loadmat(sys.argv[1])
folder = Path(sys.argv[2])
rows = np.vstack([sounds[f'{vowel}_raw'] for vowel in VOWELS])
np.save(folder / 'vowels_X.npy', np.ascontiguousarray(np.delete(rows, [12, 25], axis=1), dtype='<f8'))
np.save(folder / 'vowels_y.npy', np.repeat(np.arange(9, dtype='<i4'), 300))
