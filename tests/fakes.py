"""Generators that draw nothing: what is left of a release is its statistic, and a note of its noise."""

import numpy as np


class Silent(np.random.Generator):
    """Noise that is zero and records that are their means; every scale that was asked for is noted.

    `scales` holds them in order, `asked` the law and number beside; of the choices, `laws` the probabilities.
    """

    def __init__(self, noise=0.0):
        super().__init__(np.random.PCG64(0))
        self.noise, self.scales, self.asked, self.laws = noise, [], [], []

    def _draw(self, law, scale, size):
        self.scales.append(scale)
        self.asked.append((law, scale, size))
        return self.noise if size is None else np.full(size, self.noise)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return self._draw("laplace", scale, size)

    def normal(self, loc=0.0, scale=1.0, size=None):
        return self._draw("normal", scale, size)

    def binomial(self, n, p, size=None):
        return n * p

    def hypergeometric(self, good, bad, k, size=None):
        return k * good / np.maximum(good + bad, 1)

    def choice(self, a, size=None, p=None):
        if p is None:
            return super().choice(a, size)
        self.laws.append(p)
        return int(np.argmax(p))
