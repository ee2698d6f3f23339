"""Models of PyPI's packages, small, from their configurations, with random weights.

A family is a module here. A model is a function with @model that returns Model(...); it imports its packages itself, so
that this table can be read without them:

  @model("timm")
  def vit():
      import timm
      return Model(timm.create_model("vit_tiny_patch16_224", img_size=32, ...), lambda b: (image(b),), loss="classes")

Where many differ in a few words, a table does: rows(table, build, packages) makes a model of each line.
"""
import dataclasses
import functools
import importlib
from collections.abc import Callable

FAMILIES = ["text", "vision", "segmentation", "diffusion", "graphs", "audio", "recommenders", "losses"]
MODELS = {}  # name -> Entry, in order


@dataclasses.dataclass
class Entry:
    """What is known of a model before it is built."""
    name: str
    family: str
    packages: tuple
    build: Callable
    row: str = ""  # what build reads, where several models share it


@dataclasses.dataclass
class Model:
    """A module and what it is run on."""
    module: object                  # torch.nn.Module
    inputs: Callable                # batch -> its arguments, tensors
    call: Callable = lambda m, *x: m(*x)
    pick: Callable = lambda y: y    # what of its output is compared: a tensor or a tuple; the loss reads the first
    loss: str = "mse"               # of a training step: mse to a random target, classes: cross entropy of [..., C],
                                    # pixels: of [N, C, ...]; mean: its output is a loss itself
    batch: int = 2                  # of the static variants
    batches: tuple = (3, 5)         # of the dynamic ones: the first is exported, all are run
    half: Callable = None           # batch -> arguments of gradients in bf16, where rounding leaves nothing of those of
                                    # so few pixels
    pairs: bool = False             # its inputs belong together one by one, which nothing in it says: their batches are
                                    # exported as one size


def model(*packages):
    def enter(build):
        name = build.__name__.rstrip("_")
        assert name not in MODELS, f"two models are named {name}"
        MODELS[name] = Entry(name, build.__module__.rsplit(".", 1)[1], packages, build)
        return build
    return enter


def rows(table, build, *packages):
    """A model for each name of a table: build(*row)."""
    for name, row in table.items():
        assert name not in MODELS, f"two models are named {name}"
        MODELS[name] = Entry(name, build.__module__.rsplit(".", 1)[1], packages, functools.partial(build, *row),
                             repr(row))


def load():
    for family in FAMILIES:
        importlib.import_module(f"{__name__}.{family}")
    return MODELS


def ids(*shape_and_high):
    """Random indices: ids(2, 16, 99) are 2 x 16 and less than 99."""
    import torch
    *shape, high = shape_and_high
    return torch.randint(0, high, shape)


def image(batch, size=32, channels=3):
    import torch
    return torch.randn(batch, channels, size, size)
