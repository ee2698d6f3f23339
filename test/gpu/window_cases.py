"""Convolutions whose windows threads load where they lie, for cases.py: strides, dilations, ends of everything."""
import numpy as np


def convolve(x, w, stride, dilation, pad):
    """x[n, c, ...] by w[o, c, ...] in NumPy: of one or two dimensions."""
    dims = x.ndim - 2
    axes = tuple(range(2, 2 + dims))
    padded = np.pad(x.astype("f8"), ((0, 0), (0, 0)) + dims * ((pad, pad),))
    long = [dilation * (s - 1) + 1 for s in w.shape[2:]]
    seen = np.lib.stride_tricks.sliding_window_view(padded, long, axes)
    step = lambda n: dims * (slice(None, None, n),)
    seen = seen[(slice(None), slice(None)) + step(stride) + step(dilation)]
    return np.einsum("ncyxrs,ocrs->noyx" if dims == 2 else "ncxs,ocs->nox", seen, w.astype("f8"))


def windows(case, program, tensor, cast):
    def add(name, x, filters, taps, schedule, stride=1, dilation=1, pad=0, t="f32", bias=False, infinite=False):
        """x: [n, c, ...]; infinite: elements beside which zeros are read are infinite in the channel in front."""
        names, of = ["y", "x"][-len(taps):], ["r", "s"][-len(taps):]
        w = (filters, x[1], *taps)
        out = [(size + 2 * pad - dilation * (s - 1) - 1) // stride + 1 for size, s in zip(x[2:], taps)]
        sizes = lambda l: ", ".join(f"{k} = {v}" for k, v in l)
        at = ", ".join(f"{a} * {stride} + {r} * {dilation} - {pad}" for a, r in zip(names, of))
        y, row = (x[0], filters, *out), f"tensor<{int(np.prod(out))}xf32>"
        operands = [("x", x, "f32"), ("w", w, t)] + ([("c", (filters,), "f32")] if bias else [])
        ins = f"    ins(%c[o] : {tensor((filters,), 'f32')})\n" if bias else ""
        body = f"^row(%p: {row}):\n  sinter.yield %p : {row}"
        if bias:
            body = (f"^row(%p: {row}, %b: f32):\n  %s = sinter.broadcast %b : f32 -> {row}\n"
                    f"  %v = arith.addf %p, %s : {row}\n  sinter.yield %v : {row}")
        text = (f"%y = sinter.contract (n = {x[0]}, o = {filters}) by ({sizes(zip(names, out))})\n"
                f"    product ({sizes([('c', x[1]), *zip(of, taps)])}) (%w[o, c, {', '.join(of)}] : {tensor(w, t)}, "
                f"%x[n, c, {at}] : {tensor(x, 'f32')}{' else 0.0' if pad else ''}) : f32\n{ins}"
                f"    outs(%empty_y[n, o, {', '.join(names)}] : {tensor(y, 'f32')})"
                + (f' schedule(#sinter.mma<kernel = "fma.window", {schedule}>)' if schedule else "")
                + f" {{\n{body}\n}}")

        def inputs(r):
            made = [r.standard_normal(x).astype("f4"), cast(r.standard_normal(w), t)]
            if infinite:  # what a clamped subscript would read, times 0
                made[0][0, 0, 0] = np.inf
                made[1][:, 0, -1] = np.abs(made[1][:, 0, -1]) + 1
            return made + ([r.standard_normal(filters).astype("f4")] if bias else [])

        def right(x, w, c=None):
            with np.errstate(invalid="ignore"):
                y = convolve(x, w, stride, dilation, pad)
            return [y + c.astype("f8")[:, None, None] if bias else y]

        case("window_taps_" + name, program(operands, [("y", y, "f32")], [], text), inputs, right)

    tile = lambda m, n, k, threads, patch, more="": (f"m = {m}, n = {n}, k = {k}, threads = {threads}, "
                                                     f"patch = {patch}{more}")
    add("3x3", (2, 5, 9, 18), 3, (3, 3), tile(4, 128, 2, 64, 16), pad=1)
    add("7x7_shared", (1, 11, 13, 20), 2, (7, 7), tile(2, 128, 4, 128, 16, ", split = 2"), pad=3)
    add("inside", (2, 3, 10, 18), 2, (3, 3), tile(2, 128, 4, 32, 8))
    add("infinite", (1, 2, 6, 10), 1, (3, 3), tile(1, 64, 1, 32, 8), pad=1, infinite=True)
    add("many_filters", (1, 3, 6, 9), 37, (3, 3), tile(32, 64, 2, 128, 16), pad=1, bias=True)
    add("taps_of_a_line", (1, 2, 9, 12), 16, (7, 7), tile(16, 128, 2, 64, 16), pad=3)
    add("strided", (2, 3, 15, 21), 5, (5, 3), tile(8, 64, 2, 32, 8), stride=2, pad=1)
    add("dilated", (1, 3, 12, 15), 2, (3, 3), tile(2, 32, 1, 64, 8, ", blocks = 3"), dilation=2, pad=2)
    add("bf16_filters", (1, 3, 8, 8), 8, (3, 3), tile(8, 128, 4, 32, 8), pad=1, t="bf16")
    add("line", (3, 5, 70), 5, (5,), tile(8, 128, 4, 64, 64), stride=2, pad=2)
    add("lines", (5, 4, 40), 1, (3,), tile(1, 128, 2, 32, 32, ", split = 2"))
    add("chosen", (2, 24, 40, 40), 2, (7, 7), None, pad=3, bias=True)
    add("chosen_many", (2, 24, 30, 31), 40, (5, 5), None, pad=2)
