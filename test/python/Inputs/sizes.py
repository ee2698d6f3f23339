"""Programs of sizes `?`, values and gradients beside PyTorch's in float64, at sizes that the example does not have."""
import re

import torch
from torch.nn import functional as F

import sinter_torch
from sinter_torch._linalg import linalg_of, text_of

torch.manual_seed(5)
ROWS = ((6, 5), (8, 7), (10, 2), (4, 9), (14, 5))      # [s0, s1, 2, 4]
IMAGES = ((12, 10), (8, 14), (11, 7), (13, 9), (3, 4))  # [2, 3, s0, s1]


def positions(x):
    """A count along each row, the same for all, looked up by row and column, as masks of attention are made."""
    rows, columns = torch.arange(x.shape[0]).unsqueeze(1), torch.arange(x.shape[1])
    counted = (columns.unsqueeze(0).expand(x.shape[0], -1) * 3 + 1).cumsum(1)
    return x * counted[rows, columns.unsqueeze(0)].to(x.dtype)[:, :, None, None]


def repeated(x):
    """Of a row that is the same for all, what each one asks for."""
    return torch.arange(9.0, dtype=x.dtype).expand(x.shape[0], 9).gather(1, (x > 0).sum((2, 3)))


VIEWS = {
    "last two": lambda x: x.exp().reshape(-1, 8).tanh(),
    "turned": lambda x: x.exp().permute(1, 0, 2, 3).reshape(x.shape[0] * x.shape[1], 8).view(x.shape[1], x.shape[0], 8),
    "one": lambda x: x.exp().view(-1),
    "split otherwise": lambda x: x.exp().view(x.shape[1], x.shape[0], 2, 4).tanh(),
    "a one between": lambda x: x.exp().view(x.shape[0], 1, x.shape[1], 8).tanh(),
    "ones and twos": lambda x: x.exp().view(x.shape[0] * x.shape[1], 1, 2, 2, 2).tanh(),
    "known in front": lambda x: x.exp().view(4, x.shape[0] * x.shape[1], 2).tanh(),
    "both grow": lambda x: x.exp().view(x.shape[1] * 2, x.shape[0] * 4).tanh(),
    "halves": lambda x: x.exp().view(2, x.shape[0], x.shape[1], 4).permute(2, 1, 0, 3).reshape(x.shape[1], -1).tanh(),
    "a one in front": lambda x: x.exp().view(1, x.shape[0] * x.shape[1], 8).tanh(),
    "channels last": lambda x: F.adaptive_avg_pool2d(x.permute(0, 3, 1, 2).exp(), 1).flatten(1),
    "positions": positions,
    "a repeated row": lambda x: x * repeated(x)[:, :, None, None],
    "three factors": lambda x: torch.einsum("btij,bskj,jl->bts", x, x + 1, torch.eye(4, dtype=x.dtype) * 0.1),
    "a part for all": lambda x: x.flatten(2)[..., :3] * x.exp().sum(1).flatten(1)[:, None, 2:5],
    "a product of rows": lambda x: (x.reshape(-1, 8) @ torch.ones(8, 3, dtype=x.dtype)).view(*x.shape[:2], 3).tanh(),
}
PICTURES = {
    "a third": lambda x: x[:, :, : x.shape[2] // 3] * 2,
    "split": lambda x: x.split([x.shape[2] // 3, x.shape[2] - x.shape[2] // 3], 2)[0].exp(),
    "chunk": lambda x: x.chunk(2, 2)[1].exp(),
    "pad to even": lambda x: F.pad(x, (0, x.shape[3] % 2, 0, x.shape[2] % 2)),
    "pad behind": lambda x: F.pad(x, (0, 1)),
    "windows": lambda x: F.pad(x, (0, -x.shape[3] % 4, 0, -x.shape[2] % 4)).unfold(2, 4, 4).unfold(3, 4, 4).mean(-1),
    "nearest": lambda x: F.interpolate(x, scale_factor=2),
    "nearest 1.7": lambda x: F.interpolate(x, scale_factor=1.7),
    "bilinear 1.7": lambda x: F.interpolate(x, scale_factor=1.7, mode="bilinear"),
    "bicubic": lambda x: F.interpolate(x, scale_factor=(2, 1.5), mode="bicubic"),
    "half": lambda x: F.interpolate(x, scale_factor=0.5, mode="area"),
    "area": lambda x: F.interpolate(x, scale_factor=1.7, mode="area"),
    "average": lambda x: F.adaptive_avg_pool2d(x, (3, 5)),
    "average of a line": lambda x: F.adaptive_avg_pool2d(x, (1, None)),
    "average of sevens": lambda x: F.adaptive_avg_pool2d(x, 7),
    "average of one dimension": lambda x: F.adaptive_avg_pool1d(x.flatten(1, 2), 4),
    "average of three": lambda x: F.adaptive_avg_pool3d(x.unflatten(1, (1, 3)), (2, 3, 2)),
    "largest": lambda x: F.adaptive_max_pool2d(x, (3, 5)),
    "largest of all": lambda x: F.adaptive_max_pool2d(x, 1),
}
# Parts that overlap, also of one element and of none.
LINES = ((3, 5), (1, 1), (2, 1), (1, 3), (17, 40))  # [s0, s1]
PARTS = {
    "neighbours": lambda x: x[1:] - x[:-1],
    "differences": lambda x: torch.diff(x.exp(), dim=1).square(),
    "three": lambda x: x[2:] + x[1:-1] * x[:-2],
    "total variation": lambda x: (x[1:] - x[:-1]).square().sum() + torch.diff(x, dim=1).abs().sum(),
    "every second": lambda x: x[1::2].exp(),
    "two paddings": lambda x: F.pad(x, (0, 1)).exp().sum(1) + F.pad(x, (0, 2)).cos().sum(1),
    "rms norm": lambda x: F.rms_norm(x, x.shape[-1:]) * 2,
    "diagonal": lambda x: x.diagonal(0, 0, 1).exp(),
    "turned by two": lambda x: torch.roll(x, 2, 0) * x,
    "turned back by four": lambda x: torch.roll(x.exp(), (-4, 1), (0, 1)),
    "ends": lambda x: torch.cat([x[1:].tanh(), x[:1] * 3]),
}


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)

    def forward(self, x):
        return self.encoder(x)


class Temporal(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm = torch.nn.Conv1d(8, 16, 3, padding=1), torch.nn.GroupNorm(4, 16)
        self.last = torch.nn.Conv1d(16, 8, 3, padding=2, dilation=2)

    def forward(self, x):
        return x + self.last(F.gelu(self.norm(self.first(x.transpose(1, 2))))).transpose(1, 2)


def compare(name, program, call, twin, x):
    wide = x.detach().double().requires_grad_()
    got, want = call(x), twin(wide)
    assert got.shape == want.shape, f"{name}: {tuple(got.shape)}, not {tuple(want.shape)}"
    up = torch.randn_like(got)
    (got * up).sum().backward()
    (want * up).sum().backward()
    for a, b in ((got, want), *((x.grad, wide.grad) for _ in "g" if x.grad is not None)):
        if not b.numel():
            continue
        worst = (a.double() - b).abs().max().item() / max(1.0, b.abs().max().item())
        assert worst < 1e-5, f"{name} of {tuple(x.shape)}: {worst}"


for table, example, sizes, dims in (
    (VIEWS, torch.randn(6, 5, 2, 4), [(*s, 2, 4) for s in ROWS], (0, 1)),
    (PICTURES, torch.randn(2, 3, 12, 10), [(2, 3, *s) for s in IMAGES], (2, 3)),
    (PARTS, torch.randn(12, 9), LINES, (0, 1)),
):
    for name, program in table.items():
        call = sinter_torch.compile(program, example.requires_grad_(), upstream=True, dynamic={0: dims}, cache=None)
        for shape in sizes:
            compare(name, program, call, program, torch.randn(shape, requires_grad=True))

for build in (Attention, Temporal):
    layer = build()
    call = sinter_torch.compile(layer, torch.randn(4, 6, 8), upstream=True, dynamic={0: (0, 1)}, cache=None)
    twin = build().double()
    twin.load_state_dict(layer.state_dict())
    for batch, steps in ((4, 6), (3, 9), (7, 2)):
        layer.zero_grad()
        twin.zero_grad()
        x = torch.randn(batch, steps, 8)
        compare(build.__name__, layer, call, twin, x)
        for (name, a), b in zip(layer.named_parameters(), twin.parameters()):
            worst = (a.grad.double() - b.grad).abs().max().item() / max(1e-3, b.grad.abs().max().item())
            assert worst < 1e-4, f"{name}: {worst}"

# All of a tensor, written anew in other sizes, as PyTorch's gradient of a pool has it.
X = torch.randn(4, 6)
call = sinter_torch.compile(lambda x: torch.as_strided_scatter(x.new_zeros(24), x.exp(), (4, 6), (6, 1)), X, cache=None)
assert torch.allclose(call(X), X.exp().flatten())

# What each row of a batch has is counted once.
class Positions(torch.nn.Module):
    def forward(self, x):
        return positions(x)


BATCH = ({0: torch.export.Dim.DYNAMIC},)
TEXT = text_of(linalg_of(torch.export.export(Positions(), (torch.randn(4, 12, 2, 4),), dynamic_shapes=BATCH), "main"))
assert re.search(r"tm_tensor.scan.* ins\(%\w+ : tensor<1x12xi64>\)", TEXT)

# What the example alone answers is asserted.
call = sinter_torch.compile(lambda x: x.tensor_split(3, 0)[1], torch.randn(12, 4), dynamic={0: 0}, cache=None)
assert torch.equal(call(IMAGE := torch.randn(9, 4)), IMAGE[3:6])
try:
    call(torch.randn(10, 4))
except sinter_torch.Error as error:
    assert "what PyTorch exported is for sizes where" in str(error), error
else:
    raise AssertionError("a third of 10 rows")

# A roll by one asks for nothing, of two rows neither.
call = sinter_torch.compile(lambda x: torch.roll(x, 1, 0), torch.randn(2, 4), dynamic={0: 0}, cache=None)
assert torch.equal(call(IMAGE := torch.randn(5, 4)), torch.roll(IMAGE, 1, 0)) and call.library.stats()["kernels"] == 1

# How many parts there are is asserted, too, and that the last has one element.
call = sinter_torch.compile(lambda x: torch.cat([t * k for k, t in enumerate(x.chunk(3))]), torch.randn(7, 4),
                            dynamic={0: 0}, cache=None)  # fmt: skip
for rows, fits in ((7, True), (5, True), (10, False), (9, False), (4, False)):
    try:
        assert torch.equal(call(IMAGE := torch.randn(rows, 4)),
                           torch.cat([t * k for k, t in enumerate(IMAGE.chunk(3))])) and fits, rows  # fmt: skip
    except sinter_torch.Error as error:
        assert "what PyTorch exported is for sizes where" in str(error) and not fits, (rows, error)

print("all right")
