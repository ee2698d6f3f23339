"""Philox 4x32-10 in NumPy, written from the paper (Salmon, Moraes, Dror, Shaw 2011), and sinter.random's counters.

Known answers are those of Random123's tests (kat_vectors, philox4x32 10).
"""

import numpy as np

KNOWN = (  # counter, key, what comes of them
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
)


def philox(counter, key):
    """Four words of 32 bits by four of the counter and two of the key; of arrays too."""
    c = [np.asarray(x, "u8") for x in counter]
    k = [np.asarray(x, "u8") for x in key]
    mask, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    for _ in range(10):
        p, q = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [q >> half ^ c[1] ^ k[0], q & mask, p >> half ^ c[3] ^ k[1], p & mask]
        k = [k[0] + np.uint64(0x9E3779B9) & mask, k[1] + np.uint64(0xBB67AE85) & mask]
    return [x.astype("u4") for x in c]


for counter, key, words in KNOWN:
    got = philox(*([int(x, 16) for x in text.split()] for text in (counter, key)))
    assert [int(x) for x in got] == [int(x, 16) for x in words.split()], (counter, got)


def random_words(seed, i, j):
    """What sinter.random gives as i32: integers, signed, of 64 bits."""
    seed, i, j = (np.asarray(x, "i8") for x in (seed, i, j))
    call = j // 64 * 16 + j % 16  # rounded down, as NumPy does
    halves = lambda x: [x.astype("u8") & np.uint64(0xFFFFFFFF), x.astype("u8") >> np.uint64(32)]
    words = np.stack(np.broadcast_arrays(*philox(halves(call) + halves(i), halves(seed))))
    return np.take_along_axis(words, np.broadcast_to(j // 16 % 4, words.shape[1:])[None], 0)[0]


def random_units(seed, i, j):
    """What sinter.random gives as f32."""
    return (random_words(seed, i, j) >> 8).astype("f4") * np.float32(2.0**-24)
