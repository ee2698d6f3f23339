"""Values and gradients beside float64, and what are indices or counts beside PyTorch's own."""
import math
import warnings

import torch
from torch import nn
from torch.nn import functional as F

import sinter_torch

warnings.filterwarnings("ignore")
torch.manual_seed(11)

ROWS, IMAGES, TABLE = torch.randn(6, 9), torch.randn(2, 3, 7, 10), torch.randn(12, 5)
VAR = (torch.rand(6, 9) - 0.3).clamp_min(0)  # some below eps
BAGS = torch.tensor([[0, 3, 3], [11, 2, 5], [2, 2, 2], [7, 0, 1]])
FLAT, OFFSETS = torch.tensor([4, 4, 0, 11, 2, 7, 2]), torch.tensor([0, 2, 2, 5])  # one bag is empty
NUMBERS = torch.tensor([-2, -1, 1, 3, 5, -4, 3, 0, 2])
PLACES, DEEP = torch.rand(2, 4, 3, 2) * 4 - 2, torch.rand(2, 3, 2, 4, 3) * 4 - 2
VOLUMES, KERNELS = torch.randn(2, 3, 4, 6, 5), torch.randn(6, 1, 3, 3, 2)
WEIGHTS, PUT = torch.rand(7), torch.randn(4, 9)
HOLES = torch.where(torch.rand(6, 9) < 0.3, math.nan, ROWS)
HOLES[2] = math.nan


def boxes(x):
    """Of a box's corner and sides, two corners and the area: the gradient of a part, beside that of a number of it."""
    x = torch.cat([x[:, :2], x[:, :2] + x[:, 2:] + 0.1], 1)
    area = (x[:, 2] - x[:, 0]) * (x[:, 3] - x[:, 1])
    other = torch.linspace(0, 1, 20).to(x).reshape(5, 1, 4)
    return area * (other[..., 2:] * x[:, 2:] - other[..., :2] * x[:, :2]).prod(-1)


def bag(**options):
    return lambda x: F.embedding_bag(FLAT, x, OFFSETS, **options)


CASES = {
    "boxes": (boxes, ROWS[:, :4]),
    **{f"antialias_{mode}_{size}_{align}": (lambda x, mode=mode, size=size, align=align: F.interpolate(
        x, size, mode=mode, antialias=True, align_corners=align), IMAGES)
       for mode in ("bilinear", "bicubic") for size, align in (((3, 4), False), ((3, 14), True), ((1, 5), True))},
    "antialias_factor": (lambda x: F.interpolate(x, scale_factor=0.6, mode="bicubic", antialias=True), IMAGES),
    "dist": (lambda x: torch.dist(x, x.flip(0), 3), ROWS),
    **{f"pdist_{p}": (lambda x, p=p: F.pdist(x, p), ROWS) for p in (1.0, 2.0, math.inf)},
    **{f"norm_{p}": (lambda x, p=p: torch.linalg.norm(x, p), ROWS) for p in (1, -1, math.inf, -math.inf)},
    "matrix_norm": (lambda x: torch.linalg.matrix_norm(x, 1, (3, 0), keepdim=True), IMAGES),
    "matrix_norm_rows": (lambda x: torch.linalg.matrix_norm(x, -math.inf, (1, 2)), IMAGES),
    "block_diag": (lambda x: torch.block_diag(x, x[0], x[:, :2] * 3), ROWS),
    **{f"index_{r}": (lambda x, r=r: x.index_reduce(0, torch.tensor([4, 1, 4, 0]), PUT.to(x), r), ROWS)
       for r in ("amax", "amin", "mean")},
    "index_prod": (lambda x: x.index_reduce(1, torch.tensor([2]), x[:, :1], "prod", include_self=False), ROWS),
    "nanmedian": (torch.nanmedian, HOLES[:2]),
    "adaptive_1d": (lambda x: F.adaptive_max_pool1d(x, 4), IMAGES[0]),
    "adaptive_2d": (lambda x: F.adaptive_max_pool2d(x, (3, 4)), IMAGES),
    "volume": (lambda x: F.grid_sample(x, DEEP.to(x), align_corners=False), VOLUMES),
    "volume reflected": (lambda x: F.grid_sample(x, DEEP.to(x), "bilinear", "reflection", True), VOLUMES),
    "volume nearest": (lambda x: F.grid_sample(x, DEEP.to(x), "nearest", "border", False), VOLUMES),
    "volume at": (lambda g: F.grid_sample(VOLUMES.to(g), g, "bilinear", "border", False), DEEP),
    "reflected": (lambda x: F.grid_sample(x, PLACES.to(x), padding_mode="reflection", align_corners=False), IMAGES),
    "reflected nearest": (lambda x: F.grid_sample(x, PLACES.to(x), "nearest", "reflection", True), IMAGES),
    "adaptive_3d_mean": (lambda x: F.adaptive_avg_pool3d(x, (2, 3, 4)) ** 2, VOLUMES),
    "adaptive_3d_parts": (lambda x: F.interpolate(x, size=(2, 1, 5), mode="area") ** 2, VOLUMES),
    "adaptive_3d": (lambda x: F.adaptive_max_pool3d(x, (2, 3, 7)), IMAGES),
    "gaussian_nll": (lambda x: F.gaussian_nll_loss(x, ROWS.to(x), VAR.to(x), full=True), ROWS.roll(1)),
    "gaussian_nll_rows": (lambda x: nn.GaussianNLLLoss(reduction="sum")(ROWS.to(x), ROWS.to(x) * 2, x),
                          VAR[:, :1]),
    "roll": (lambda x: torch.roll(x, 3) * x, ROWS),
    "roll_far": (lambda x: torch.roll(torch.roll(x, (13, -22), (0, 1)), -500) * x, ROWS),
    "finite": (lambda x: torch.where(torch.isfinite((x - 0.5).log()), x, x.square()), ROWS),
    "stable sort": (lambda x: torch.sort((x * 2).round() / 2, dim=1, stable=True)[0] * x, ROWS),
    **{f"diagonal_{k}": (lambda x, k=k: torch.diagonal_scatter(x, PUT[0, :6 - (k < 0)].to(x), k) * x, ROWS)
       for k in (0, 2, -1)},
    "diagonal_dims": (lambda x: torch.diagonal_scatter(x, x[:, 0, :, :3], -2, 3, 1) * x, IMAGES),
    "power_known": (lambda x: x * NUMBERS**3 + NUMBERS.to(torch.int8) ** 5, ROWS),
    "power_base": (lambda x: x * 2 ** NUMBERS.abs(), ROWS),
    "power": (lambda x: x * torch.tensor([-3, -1, 1, 0, 7, 3, -1, 2, -2]) ** NUMBERS, ROWS),
    "power_wraps": (lambda x: x * ((torch.tensor([-3, 5, 3, 0, 7, 3, -1, 2, -2]) ** (NUMBERS.abs() + 40)) % 97), ROWS),
    "fmod": (lambda x: torch.fmod(x, 0.7) + torch.fmod(NUMBERS, 3), ROWS),
    "channels_3d": (lambda x: F.conv3d(x, KERNELS.to(x), PUT[0, :6].to(x), (2, 1, 2), 1, (1, 2, 1), 3), VOLUMES),
    "cov": (lambda x: torch.cov(x, correction=0), ROWS),
    "corrcoef": (torch.corrcoef, ROWS),
    **{f"bags_{m}": (lambda x, m=m: F.embedding_bag(BAGS, x, mode=m), TABLE) for m in ("sum", "mean", "max")},
    **{f"bags_padded_{m}": (lambda x, m=m: F.embedding_bag(BAGS, x, mode=m, padding_idx=2), TABLE)
       for m in ("sum", "mean", "max")},
    "bags_weighted": (lambda x: F.embedding_bag(BAGS, x, mode="sum", per_sample_weights=BAGS.to(x) / 4), TABLE),
    **{f"offsets_{m}": (bag(mode=m), TABLE) for m in ("sum", "mean", "max")},
    **{f"offsets_padded_{m}": (bag(mode=m, padding_idx=2), TABLE) for m in ("sum", "mean", "max")},
    "offsets_last": (bag(mode="mean", include_last_offset=True), TABLE),
    "offsets_weighted": (lambda x: F.embedding_bag(FLAT, x, OFFSETS, mode="sum", padding_idx=11,
                                                   per_sample_weights=WEIGHTS.to(x)), TABLE),
}  # fmt: skip

for name, (function, x) in CASES.items():
    x, wide = x.clone().requires_grad_(), x.double().requires_grad_()
    got, want = sinter_torch.compile(function, x, upstream=True, cache=None)(x), function(wide)
    upstream = torch.randn_like(want)
    got.backward(upstream.float())
    want.backward(upstream)
    for got, want in ((got.detach().double(), want.detach()), (x.grad.double(), wide.grad)):
        assert got.shape == want.shape, f"{name}: {got.shape}, not {want.shape}"
        off = (got - want).abs().max() / want.abs().max()
        assert off <= 1e-6, f"{name}: off by {off}"

# What has no gradient: equal.
EDGES, KEYS = torch.tensor([-1.0, 0.0, 0.0, 0.5, 2.0]), torch.tensor([[0.0, -1.0, 3.0], [0.5, math.nan, -7.0]])
SORTED = ROWS.sort(1)[0]
for name, function, x in (
    ("searchsorted", lambda x: torch.searchsorted(EDGES, x), KEYS),
    ("searchsorted right", lambda x: torch.searchsorted(EDGES, x, side="right", out_int32=True), KEYS),
    ("searchsorted rows", lambda x: torch.searchsorted(x, x.flip(0)), SORTED),
    ("searchsorted sorter", lambda x: torch.searchsorted(x, x * 0.5, sorter=x.argsort(1)), ROWS),
    ("searchsorted integers", lambda x: torch.searchsorted(torch.tensor([1, 3, 3, 8]), x), BAGS),
    ("bucketize", lambda x: torch.bucketize(x, EDGES, right=True), KEYS),
    ("finite", torch.isfinite, torch.tensor([0.0, math.inf, -math.inf, math.nan, 3e38])),
    ("finite integers", torch.isfinite, BAGS),
    ("stable places", lambda x: torch.sort((x * 2).round(), dim=1, stable=True, descending=True)[1], ROWS),
    ("histc", lambda x: torch.histc(x, 7), ROWS),
    ("histc of a range", lambda x: torch.histc(x, 4, -1, 1), ROWS),
    ("nanmedian", lambda x: torch.nanmedian(x, 1, keepdim=True)[0], HOLES),
    ("adaptive places", lambda x: F.adaptive_max_pool2d(x, (3, 4), return_indices=True)[1], IMAGES),
    ("adaptive places in front", lambda x: F.adaptive_max_pool3d(x, (2, 5, 3), return_indices=True)[1], IMAGES),
):
    got, want = sinter_torch.compile(function, x, cache=None)(x), function(x)
    assert got.dtype == want.dtype and torch.equal(got.nan_to_num(7), want.nan_to_num(7)), f"{name}: {got}, not {want}"

# What PyTorch refuses when it runs is refused when it is compiled.
try:
    sinter_torch.compile(lambda x: x ** -1, BAGS, cache=None)
    raise AssertionError("an integer has a negative power")
except Exception as refused:
    assert "negative integer powers are not allowed" in str(refused), refused

# Sizes of a call: another number of bags and of rows.
step = sinter_torch.compile(lambda x, at: F.embedding_bag(at, x, mode="max"), TABLE, BAGS, dynamic={1: 0}, cache=None)
assert torch.equal(step(TABLE, BAGS[:2]), F.embedding_bag(BAGS[:2], TABLE, mode="max"))

# Places of several dimensions, of which there are `?`, from the end too; behind a dimension that is whole, as well.
PAIRS, VOLUME = torch.tensor([[0, -1], [3, 4], [-6, 0], [5, 8]]), torch.randn(4, 6, 9)
GRID = torch.rand(2, 3, 4, 2) * 2.4 - 1.2
for name, function, x, more in (
    ("pairs", lambda x, at: x[at[:, 0], at[:, 1]], ROWS, PAIRS),
    ("pairs of a volume", lambda x, at: x[:, at[:, 0], at[:, 1]], VOLUME, PAIRS),
    ("antialias", lambda x, grid: F.interpolate(x, (3, 6), mode="bilinear", antialias=True) * grid[:, :1], IMAGES,
     torch.rand(2, 3, 3, 6)),
    ("grid_sample", lambda x, grid: F.grid_sample(x, grid, padding_mode="border", align_corners=False), IMAGES, GRID),
):
    dynamic = {0: 0, 1: 0} if x is IMAGES else {1: 0}
    step = sinter_torch.compile(function, x.clone().requires_grad_(), more, dynamic=dynamic, cache=None)
    for n in (2, len(more) + 3):
        many = more[torch.arange(n) % len(more)]
        own = (x[torch.arange(n) % len(x)] if x is IMAGES else x).clone().requires_grad_()
        wide = own.detach().double().requires_grad_()
        got, want = step(own, many), function(wide, many.double() if many.is_floating_point() else many)
        up = torch.randn_like(got)
        (got * up).sum().backward(), (want * up).sum().backward()
        for a, b in ((got.detach(), want.detach()), (own.grad, wide.grad)):
            far = (a - b).norm() / b.norm()
            assert far < 1e-5, f"{name} of {n}: {far}"

# Of half types in f32, rounded once, and with f32's own epsilon where none is given; of sizes `?`, too.
NORMS = (2, None, 1e-3, torch.bfloat16), (4, 1e-5, 1, torch.bfloat16), (9, None, 1, torch.float16)
for size, eps, scale, kind in NORMS:
    own, weight = (torch.randn(5, size) * scale).to(kind).requires_grad_(), torch.randn(size).to(kind)
    norm = lambda x, w, eps=eps: F.rms_norm(x, (w.shape[0],), w, eps)
    wide, up = own.detach().double().requires_grad_(), torch.randn(5, size).to(kind)
    want = norm(wide, weight.double(), torch.finfo(torch.float32).eps if eps is None else eps)
    want.backward(up.double())
    for dynamic in (None, {0: [0, 1], 1: 0}):
        own.grad = None
        got = sinter_torch.compile(norm, own, weight, wrt=0, upstream=True, dynamic=dynamic, cache=None)(own, weight)
        got.backward(up)
        for a, b in ((got.detach(), want.detach()), (own.grad, wide.grad)):
            far = (a.double() - b).abs().max() / b.abs().max()
            assert far < torch.finfo(kind).eps, f"rms_norm of {size}, {kind}: {far}"

# A size that PyTorch's parts are right for alone is asserted.
step = sinter_torch.compile(lambda x: torch.roll(x[:, ::2], -3, -1), torch.randn(3, 4), dynamic={0: 1}, cache=None)
assert torch.equal(step(ROWS[:3, :3].clone()), torch.roll(ROWS[:3, :3:2], -3, -1))
try:
    step(ROWS[:3])
    raise AssertionError("a roll of five is one of two")
except sinter_torch.Error as refused:
    assert "what PyTorch exported is for sizes where" in str(refused), refused

print("all right")
