"""The softmax that intents are learned with: the same whether it counts in examples or in features."""

import numpy as np
import pytest

from understanding.kit import softmax


def told(examples, features, classes=5):
    chance = np.random.default_rng(examples * features)
    labels = chance.integers(0, classes, examples)
    middles = chance.normal(size=(classes, features))
    return (middles[labels] + chance.normal(size=(examples, features))).astype(np.float32), labels.tolist()


@pytest.mark.parametrize(("examples", "features"), [(240, 30), (40, 90), (61, 60)])
def test_both_spaces_give_the_same_weights(examples, features):
    rows, labels = told(examples, features)
    ones = np.hstack([rows, np.ones((examples, 1), dtype=np.float32)])
    targets = np.eye(5, dtype=np.float32)[labels]
    share = np.linspace(0.5, 2.0, examples, dtype=np.float32)[:, np.newaxis]
    by_examples = softmax._by_examples(ones, targets, share, 0.15, 18)
    by_features = softmax._by_features(ones, targets, share, 0.15, 18)
    assert np.allclose(by_examples, by_features, atol=2e-3)


@pytest.mark.parametrize(("examples", "features"), [(240, 30), (40, 90)])
def test_what_was_learned_is_said_again(examples, features):
    rows, labels = told(examples, features)
    learned = softmax.fit_softmax(rows, labels, 5, penalty=0.15)
    assert np.mean([learned.predict(row).argmax() == label for row, label in zip(rows, labels, strict=True)]) > 0.95


def test_a_class_without_examples_is_never_the_answer():
    rows, labels = told(240, 30)
    learned = softmax.fit_softmax(rows, labels, 6, penalty=0.15)
    assert all(learned.predict(row).argmax() != 5 for row in rows)
