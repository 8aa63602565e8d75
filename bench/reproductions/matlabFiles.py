#!/usr/bin/python3
"""Writes the rows and the labels of a data set, NAME_X.npy and NAME_y.npy, out of a MATLAB file of a public repository:

  python3 bench/reproductions/matlabFiles.py vowels jon_vowel_data.mat FOLDER

vowels  2700x24, nine vowels of one speaker, 300 of each: datasets/data/jon_vowel_data.mat of SheffieldML/GPmat, columns 13 and 26 left out
        as in its lvmLoadData.m
umist   575x644, faces of 20 people, 28x23 gray values: data/umist.mat of domainxz/unsupervised-feature-selection-evaluation
isolet  1560x617, 26 letters: skfeature/data/Isolet.mat of jundongl/scikit-feature
"""
import sys
from pathlib import Path

import numpy as np
from scipy.io import loadmat

VOWELS = ['a', 'ae', 'ao', 'e', 'i', 'ibar', 'o', 'schwa', 'u']


def vowels(file):
    rows = np.vstack([file[f'{vowel}_raw'] for vowel in VOWELS])
    return np.delete(rows, [12, 25], axis=1), np.repeat(np.arange(9), 300)


def umist(file):
    return file['X'].T, np.asarray(file['Y'].todense()).argmax(axis=1)


def isolet(file):
    return file['X'], file['Y'].ravel() - 1


SETS = {'vowels': vowels, 'umist': umist, 'isolet': isolet}

if len(sys.argv) != 4 or sys.argv[1] not in SETS:
    sys.exit(__doc__)
name, path, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
rows, labels = SETS[name](loadmat(path))
np.save(folder / f'{name}_X.npy', np.ascontiguousarray(rows, dtype='<f8'))
np.save(folder / f'{name}_y.npy', labels.astype('<i4'))
