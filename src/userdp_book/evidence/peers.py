"""The same release by this package and by public packages, each through its own functions.

What the page on peers audits, what it estimates, and what ``make bench`` times. A *reporter* takes the values
of the users and a seed and returns one report each; opendp draws from the system and cannot be seeded.
"""

import random
from functools import cache

import numpy as np

from userdp.privacy.noise import gaussian_sigma
from userdp.privacy.reports import LaplaceReport, UnaryEncoding

PACKAGES = ("userdp", "diffprivlib", "dp-accounting", "multi-freq-ldpy", "opendp", "pure-ldp")


# one bit for each of k items, all randomised: reports of shape (n, k)


def userdp_bits(items, k, epsilon, seed):
    return UnaryEncoding(k, 1, epsilon).privatise(items[:, None], np.random.default_rng(seed))


def pure_ldp_bits(items, k, epsilon, seed):
    return np.array(list(pure_ldp_reports(items, k, epsilon, seed)))


def pure_ldp_reports(items, k, epsilon, seed):
    from pure_ldp.frequency_oracles.unary_encoding import UEClient

    random.seed(seed)
    np.random.seed(seed)
    client = UEClient(epsilon, k, index_mapper=lambda item: item)
    return map(client.privatise, items.tolist())


def multi_freq_bits(items, k, epsilon, seed):
    return np.array(multi_freq_reports(items, k, epsilon, seed))


def multi_freq_reports(items, k, epsilon, seed):
    from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Client

    numba_seeder()(seed)
    return [UE_Client(item, k, epsilon, False) for item in items.tolist()]


@cache
def numba_seeder():
    """What seeds the generator of compiled functions, which ``np.random.seed`` does not reach."""
    from numba import njit

    @njit
    def reseed(seed):
        np.random.seed(seed)

    return reseed


BITS = {"userdp": userdp_bits, "pure-ldp": pure_ldp_bits, "multi-freq-ldpy": multi_freq_bits}


# how often each item is held, estimated from such reports: shares of shape (k,)


def userdp_shares(items, k, epsilon, seed):
    randomiser = UnaryEncoding(k, 1, epsilon)
    total = randomiser.sample_total(items[:, None], np.random.default_rng(seed))
    return randomiser.unbias(total, len(items)) / len(items)


def pure_ldp_shares(items, k, epsilon, seed):
    from pure_ldp.frequency_oracles.unary_encoding import UEServer

    server = UEServer(epsilon, k, index_mapper=lambda item: item)
    for report in pure_ldp_reports(items, k, epsilon, seed):
        server.aggregate(report)
    found = [server.estimate(item, suppress_warnings=True) for item in range(k)]
    return np.array(found) / len(items)


def multi_freq_shares(items, k, epsilon, seed):
    from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Aggregator_MI

    return UE_Aggregator_MI(multi_freq_reports(items, k, epsilon, seed), epsilon, False)


SHARES = {"userdp": userdp_shares, "pure-ldp": pure_ldp_shares, "multi-freq-ldpy": multi_freq_shares}


# a number in [low, high] with Laplace noise: reports of shape (n,)


def userdp_laplace(x, low, high, epsilon, seed):
    return LaplaceReport(low, high, epsilon).privatise(x, np.random.default_rng(seed))


def diffprivlib_laplace(x, low, high, epsilon, seed):
    from diffprivlib.mechanisms import Laplace

    mechanism = Laplace(epsilon=epsilon, delta=0, sensitivity=high - low, random_state=seed)
    return np.array([mechanism.randomise(value) for value in x.tolist()])


def opendp_laplace(x, low, high, epsilon, seed):
    """One call for all users; each value gets the noise that it would get alone."""
    return np.array(_opendp_laplace((high - low) / epsilon)(x.tolist()))


@cache
def _opendp_laplace(scale):
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l1_distance(T=float)
    return dp.m.make_laplace(*space, scale=scale)


LAPLACE = {"userdp": userdp_laplace, "diffprivlib": diffprivlib_laplace, "opendp": opendp_laplace}


# the standard deviation of Gaussian noise for sensitivity 1


def userdp_sigma(epsilon, delta):
    return gaussian_sigma(epsilon=epsilon, delta=delta)


def dp_accounting_sigma(epsilon, delta):
    from dp_accounting import gaussian_mechanism

    return gaussian_mechanism.get_sigma_gaussian(epsilon, delta)


def diffprivlib_sigma(epsilon, delta):
    from diffprivlib.mechanisms import GaussianAnalytic

    return GaussianAnalytic(epsilon=epsilon, delta=delta, sensitivity=1.0)._scale


SIGMA = {"userdp": userdp_sigma, "dp-accounting": dp_accounting_sigma, "diffprivlib": diffprivlib_sigma}
