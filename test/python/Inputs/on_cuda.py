import sys
import types

import torch

import sinter_torch

path, log, rows = sys.argv[1], sys.argv[2], int(sys.argv[3])


class OnCuda(torch.Tensor):
    """A tensor of the CPU that says it is on a GPU."""

    @property
    def device(self):
        return torch.device("cuda", 0)


torch.ones((), requires_grad=True).backward()  # a PyTorch with CUDA asks the driver once, at its first backward
plain_empty = torch.empty


def empty(shape, dtype=None, device=None):
    if dtype is torch.uint8:
        print("empty uint8", [shape])
    return plain_empty(shape, dtype=dtype).as_subclass(OnCuda)


torch.empty = empty
sinter_torch._abi._stream = lambda device: 0x1230
torch.cuda.current_stream = lambda device: types.SimpleNamespace(cuda_stream=0x1230)


def calls(what, run):
    """Prints what the driver was asked meanwhile."""
    print(what)
    open(log, "w").close()
    result = run()
    print(open(log).read(), end="")
    return result


lib = sinter_torch.load(path)
x, y = (torch.randn(rows, 131).as_subclass(OnCuda) for _ in range(2))
calls("prepare", lambda: lib.main.prepare(x, y))
calls("call", lambda: lib.main(x, y))
loss = lib.main(x.requires_grad_(), y)
calls("backward", loss.backward)
assert x.grad.shape == x.shape
lib.check()
plain = torch.randn(rows, 131)
for arguments in [(plain, plain), (x.detach(), plain)]:
    try:
        lib.main(*arguments)
    except ValueError as why:
        print("ValueError:", why)
