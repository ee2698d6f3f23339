"""Models of PyPI's packages, small, from their configurations, with random weights.

A family is a module here. A model is a function with @model that returns Model(...); it imports its packages itself, so
that this table can be read without them:

  @model("transformers")
  def bert():
      from transformers import BertConfig, BertModel
      return Model(BertModel(BertConfig(...)), lambda b: (ids(b, 16, 99),), pick=lambda y: y.last_hidden_state)
"""
import dataclasses
import importlib
from collections.abc import Callable

FAMILIES = ["text", "vision", "segmentation", "diffusion", "graphs", "audio", "recommenders"]
MODELS = {}  # name -> Entry, in order


@dataclasses.dataclass
class Entry:
    """What is known of a model before it is built."""
    name: str
    family: str
    packages: tuple
    build: Callable


@dataclasses.dataclass
class Model:
    """A module and what it is run on."""
    module: object                  # torch.nn.Module
    inputs: Callable                # batch -> its arguments, tensors
    pick: Callable = lambda y: y    # what of its output is compared: a tensor or a tuple; the loss reads the first
    loss: str = "mse"               # of a training step: mse to a random target, classes: cross entropy of [..., C],
                                    # pixels: of [N, C, ...]
    batch: int = 2                  # of the static variants
    batches: tuple = (3, 5)         # of the dynamic ones: the first is exported, all are run


def model(*packages):
    def enter(build):
        name = build.__name__.rstrip("_")
        assert name not in MODELS, f"two models are named {name}"
        MODELS[name] = Entry(name, build.__module__.rsplit(".", 1)[1], packages, build)
        return build
    return enter


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
