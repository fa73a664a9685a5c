"""Compiled kernel: records of users with Polya urns, counted by size of the user and by block of positions.

Compiled with numba where it is installed; `count_urns_reference` is the plain version, which it is tested
against and falls back to. Both are functions of the same uniform variables, and their counts are equal.
"""

import numpy as np

from userdp_papers._compiled import jit, njit

# uniform variables that are held at a time
CHUNK = 2**18


def urn_blocks(sizes, rows, cumulative, blocks, clips, rng, by_size, by_block):
    """Draw every user's records by a Polya urn and add them up, in place.

    Record i + 1 is a copy of one of the first i with probability i / (mass + i), and otherwise a fresh item:
    the sequence is exchangeable, with Dirichlet-multinomial counts (Blackwell and MacQueen 1973). The first
    clip takes the records in this order, every further one in a fresh random order.

    Parameters
    ----------
    sizes, rows : ndarray of int, shape (n,)
        Records of each user, and the row of `by_size` to which they go.
    cumulative : ndarray, shape (d,)
        Cumulated parameters of the Dirichlet distribution; the last is its mass.
    blocks : ndarray of int, shape (largest size,)
        Block of each position, from 0 and increasing.
    clips
        Random orders of each user's records.
    rng
        Source of the randomness: one uniform variable per record, and one per swap.
    by_size : ndarray of int, shape (rows, d)
        Counts to which every record is added once.
    by_block : ndarray of int, shape (clips, number of blocks, d)
        Counts to which every record is added once a clip.
    """
    # users within the first block need no new order, and nobody needs one within the last
    first, top = np.count_nonzero(blocks == 0), np.count_nonzero(blocks < blocks.max(initial=0))
    swaps = np.where(sizes > first, np.minimum(sizes - 1, top), 0)
    used = sizes + (clips - 1) * swaps
    count = count_urns_reference if njit is None else count_urns
    ends = np.flatnonzero(np.diff(np.cumsum(used) // CHUNK)) + 1
    for start, stop in zip([0, *ends], [*ends, sizes.size], strict=True):
        users, uniform = slice(start, stop), rng.random(used[start:stop].sum())
        count(sizes[users], swaps[users], rows[users], cumulative, blocks, uniform, by_size, by_block)


def count_urns_reference(sizes, swaps, rows, cumulative, blocks, uniform, by_size, by_block):
    """The plain version of `count_urns`: all users together, position by position."""
    clips = len(by_block)
    used = sizes + (clips - 1) * swaps
    start = np.cumsum(used) - used
    records = _urns(sizes, start, uniform, cumulative)
    held = np.arange(records.shape[1]) < sizes[:, None]
    row, block = (np.broadcast_to(x, held.shape)[held] for x in (rows[:, None], blocks[: records.shape[1]]))
    np.add.at(by_size, (row, records[held]), 1)
    for clip in range(clips):
        if clip:
            _shuffle(records, sizes, swaps, start + sizes + (clip - 1) * swaps, uniform)
        np.add.at(by_block[clip], (block, records[held]), 1)


def _urns(sizes, start, uniform, cumulative):
    """Records of each user in the order of the urn, shape (users, largest size)."""
    records, mass = np.zeros((sizes.size, sizes.max()), dtype=np.int64), cumulative[-1]
    for i in range(records.shape[1]):
        users = np.flatnonzero(sizes > i)
        x = uniform[start[users] + i] * (mass + i)
        fresh = np.minimum(np.searchsorted(cumulative, x, side="right"), cumulative.size - 1)
        copied = records[users, np.clip((x - mass).astype(np.int64), 0, max(i - 1, 0))]
        records[users, i] = np.where((x < mass) | (i == 0), fresh, copied)
    return records


def _shuffle(records, sizes, swaps, start, uniform):
    """Swap position i of each user with one of i .. m - 1, for the first `swaps` positions."""
    for i in range(swaps.max()):
        users = np.flatnonzero(swaps > i)
        m = sizes[users]
        other = np.minimum(i + (uniform[start[users] + i] * (m - i)).astype(np.int64), m - 1)
        records[users, i], records[users, other] = records[users, other], records[users, i]


@jit
def count_urns(sizes, swaps, rows, cumulative, blocks, uniform, by_size, by_block):
    """Add up the records of users, one after the other; `uniform` holds what each of them uses.

    Places are unsigned: for signed ones compiled code asks each time whether to count from the end.
    """
    mass, one, used, records = cumulative[-1], np.uint64(1), 0, np.empty(blocks.size, np.uint64)
    by_place, place = by_block.reshape(len(by_block), -1), (blocks * cumulative.size).astype(np.uint64)
    for u in range(sizes.size):
        m, held, totals = np.uint64(sizes[u]), by_size[rows[u]], by_place[0]
        own = uniform[used : used + sizes[u]]
        for i in range(m):
            x = own[i] * (mass + i)
            if x < mass or i == 0:
                item = np.uint64(min(np.searchsorted(cumulative, x, side="right"), cumulative.size - 1))
            else:
                item = records[min(np.uint64(x - mass), i - one)]
            records[i] = item
            held[item] += 1
            totals[place[i] + item] += 1
        used += sizes[u]
        for clip in range(1, len(by_place)):
            totals, own = by_place[clip], uniform[used : used + swaps[u]]
            for i in range(np.uint64(swaps[u])):
                other = min(i + np.uint64(own[i] * (m - i)), m - one)
                records[i], records[other] = records[other], records[i]
            for i in range(m):
                totals[place[i] + records[i]] += 1
            used += swaps[u]
