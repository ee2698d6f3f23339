"""Weights for decode_tiny.mlir, and the tokens that float64 gives: decode_tiny.py FOLDER COUNT FIRST-TOKEN."""
import pathlib
import sys

import numpy as np

LAYERS, WIDTH, GROUPS, HEADS, SIZE, INNER, WORDS, CONTEXT = 2, 64, 2, 2, 16, 128, 96, 128


def weights():
    r = np.random.default_rng(7)
    matrix = lambda m, n: r.standard_normal((m, n)) / n ** 0.5
    gain = lambda: 1 + r.standard_normal(WIDTH) / 10
    angles = np.arange(CONTEXT)[:, None] * 10000.0 ** (-np.arange(SIZE // 2) / (SIZE / 2))
    every = [r.standard_normal((WORDS, WIDTH)), np.cos(angles), np.sin(angles)]
    for _ in range(LAYERS):
        every += [gain(), matrix(GROUPS * HEADS * SIZE, WIDTH), matrix(GROUPS * SIZE, WIDTH),
                  matrix(GROUPS * SIZE, WIDTH), matrix(WIDTH, GROUPS * HEADS * SIZE), gain(), matrix(INNER, WIDTH),
                  matrix(INNER, WIDTH), matrix(WIDTH, INNER)]
    return [w.astype(np.float32) for w in [*every, gain(), matrix(WORDS, WIDTH)]]


def norm(x, g):
    return x / np.sqrt((x * x).mean() + 1e-5) * g


def rotate(x, cos, sin):
    a, b = np.split(x, 2, -1)
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


def step(token, keys, values, table, cosines, sines, *w):
    """keys, values: of each layer a list of what was kept at each position so far."""
    x, cos, sin = table[token], cosines[len(keys[0])], sines[len(keys[0])]
    for layer in range(LAYERS):
        g1, wq, wk, wv, wo, g2, gate, up, down = w[9 * layer:9 * layer + 9]
        h = norm(x, g1)
        q = rotate((wq @ h).reshape(GROUPS, HEADS, SIZE), cos, sin)
        keys[layer].append(rotate((wk @ h).reshape(GROUPS, SIZE), cos, sin))
        values[layer].append((wv @ h).reshape(GROUPS, SIZE))
        s = np.einsum("ghd,tgd->ght", q, np.stack(keys[layer])) / SIZE ** 0.5
        p = np.exp(s - s.max(-1, keepdims=True))
        o = np.einsum("ght,tgd->ghd", p / p.sum(-1, keepdims=True), np.stack(values[layer]))
        x = x + wo @ o.reshape(-1)
        h = norm(x, g2)
        a = gate @ h
        x = x + down @ (a / (1 + np.exp(-a)) * (up @ h))
    return int((w[-1] @ norm(x, w[-2])).argmax())


folder, count, token = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
every = weights()
for i, w in enumerate(every):
    np.save(folder / f"{i + 3}.npy", w)
wide = [w.astype(np.float64) for w in every]
keys, values, tokens = [[] for _ in range(LAYERS)], [[] for _ in range(LAYERS)], []
for _ in range(count):
    token = step(token, keys, values, *wide)
    tokens.append(str(token))
print(" ".join(tokens))
