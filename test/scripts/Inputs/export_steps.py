"""Exports training steps of operations that a trace asks data of or torch-mlir does not know; compiles and compares.

  export_steps.py SOURCE BUILD FOLDER
"""
import importlib.machinery
import importlib.util
import pathlib
import sys
import types

source, build, folder = sys.argv[1:]
sys.path[:0] = [f"{source}/scripts", f"{source}/scripts/zoo"]
import torch
from torch.nn import functional as F

import export
import zoo

loader = importlib.machinery.SourceFileLoader("models", f"{source}/scripts/models")
models = importlib.util.module_from_spec(importlib.util.spec_from_loader("models", loader))
loader.exec_module(models)
options = types.SimpleNamespace(build=pathlib.Path(build), policy="medium", timeout=100, slack=4)


class Behind(torch.nn.Module):
    """A function behind a convolution, whose gradients are asked for."""
    def __init__(self, function):
        super().__init__()
        self.convolution, self.function = torch.nn.Conv2d(2, 3, 1), function

    def forward(self, x, *rest):
        return self.function(self.convolution(x), *rest)


def shares(x, labels):
    """What each class has of the pixels that are it."""
    return (x.softmax(1) * F.one_hot(labels, 3).permute(0, 3, 1, 2)).sum((0, 2, 3))


image, labels = (lambda b: (torch.randn(b, 2, 7, 8),)), (lambda b: (torch.randn(b, 2, 7, 8), zoo.ids(b, 7, 8, 3)))
turned = lambda **more: lambda x: F.conv_transpose2d(x, x.flatten()[:54].view(3, 2, 3, 3), **more)
for name, function, inputs in (
        ("turned", turned(), image),
        ("turned_in_steps", turned(stride=(2, 3), padding=1, output_padding=(1, 0)), image),
        ("turned_wide", turned(dilation=(2, 3), output_padding=(1, 2)), image),
        ("turned_groups", lambda x: F.conv_transpose2d(x.repeat(1, 2, 1, 1), x.flatten()[:72].view(6, 1, 3, 4),
                                                       stride=2, groups=2), image),
        ("one_hot", shares, labels),
        ("average", lambda x: F.avg_pool2d(x, 2), image),
        ("average_overlapping", lambda x: F.avg_pool2d(x, (3, 2), (2, 1), (1, 0)), image),
        ("average_whole", lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True), image),
        ("average_own", lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False), image)):
    entry = zoo.Entry(name, "losses", (), lambda: zoo.Model(Behind(function), inputs))
    place = pathlib.Path(folder, name, "step")
    facts = export.export(entry, place, ["step"])
    row = models.tried(options, place, "step", facts)
    print(name, row["word"], row["why"])
