"""Trained models as tensor programs: features in, predictions out, on the device of the query.

`features` says what flows, `model` what a model is, `registry` how an object becomes one. An importer reads a fitted
estimator once and makes a program of it that knows nothing of the framework.
"""
