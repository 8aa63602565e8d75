"""gpScores.json and embeddingScores.json from meu.json, which meu.py makes: python3 embeddingScores.py MEU_JSON OUTPUT_FOLDER

gpScores.json holds the embeddings of the Swiss roll of 30 points with their scores; embeddingScores.json the scores of the real data sets, whose
numbers stay outside, rounded to a tenth, with the options by which the library makes the same embedding."""
import json, os, sys

source, folder = sys.argv[1:3]
meu = json.load(open(source))


def dump(name, value):
    with open(os.path.join(folder, name), 'w') as file:
        json.dump(value, file, indent=2 if name.startswith("embedding") else None)


roll = meu['swiss30']
dump('gpScores.json', {
    'description': 'swiss30 of meu.json: GP-LVM scores of embeddings of 30 points of a Swiss roll, by SciPy L-BFGS-B from five starts; Y is centered, X has unit variance; logLik is the maximized log likelihood',
    'Y': roll['Y'],
    'scores': {name: {'X': score['Xunit'], 'logLik': score['unitVariance']['logLik']} for name, score in roll['scores'].items()},
})


def embeddings(data, k):
    models = [
        ('pca', 'pca', {}),
        ('isomap', 'isomap', {'neighbors': k}),
        ('leRbf', 'laplacianEigenmaps', {'neighbors': k, 'weights': 'heat', 'width': 1}),
        ('lle', 'lle', {'neighbors': k, 'regularization': 'auto'}),
        ('alle', 'alle', {'neighbors': k}),
        ('meu', 'meu', {'neighbors': k, 'basePrecision': 1e-4}),
        ('drill', 'drill', {'neighbors': k}),
    ]
    return [{'model': model, 'options': options, 'score': round(meu[data]['scores'][name]['unitVariance']['logLik'], 1)} for name, model, options in models]


dump('embeddingScores.json', {
    'description': 'GP-LVM scores of embeddings in two dimensions, computed with NumPy and SciPy: the likelihood of an rbf, a bias and a noise, their parameters at the best of five optima, the columns of the embedding at unit variance. Columns of a file are features; the options are those of the model of that name.',
    'run1': {'file': 'run1_X.npy', 'embeddings': embeddings('run1', 6)},
    'robot': {'file': 'robot_train_X.npy', 'embeddings': embeddings('wifi', 7)},
})
