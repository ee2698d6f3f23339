"""Functions with gradients as torch.autograd.Function.

In the table a result is the gradient of the input gradient_of, and an input the upstream of the result gradient_of; the
gradients are those of the results that have an upstream, or of result 0 for an upstream of 1. What forward does:

  multiply    runs the function with gradients, upstream 1, and keeps them; backward multiplies them by its upstream.
              One pass over the inputs. For one scalar value.
  one         the same, and backward hands the kept gradients on as they are: right where loss.backward() is called
              on the value itself, and wrong where anything is computed from it.
  recompute   runs the values (without gradients, where the library has @NAME beside @NAME_backward) and keeps the
              inputs; backward runs the function with gradients on its own upstream.
"""

import torch

from ._abi import ALIGNMENT

MODES = ("multiply", "recompute", "one")


class Gradients:
    """A row with gradients, by the arguments and results that a caller sees."""

    def __init__(self, row):
        self.row = row
        self.positions = [i for i, a in enumerate(row.inputs) if a.gradient_of < 0]  # of a caller's inputs in the row's
        self.inputs = [row.inputs[i] for i in self.positions]
        self.values = [k for k, a in enumerate(row.outputs) if a.gradient_of < 0]  # results that are no gradients
        # a caller's input -> the result that is its gradient
        self.of_input = {self.positions.index(a.gradient_of): k for k, a in enumerate(row.outputs)
                         if a.gradient_of in self.positions}
        # the value's number -> the row's input that is its upstream
        number = {k: n for n, k in enumerate(self.values)} if self.values else None
        self.upstreams = {number[a.gradient_of] if number else a.gradient_of: i for i, a in enumerate(row.inputs)
                          if a.gradient_of >= 0}
        self.differentiated = sorted(self.upstreams) or [0]
        self.in_order = self.positions == list(range(len(self.positions)))
        self.kept_ones = {}  # of a scalar upstream, by device: no kernel of a call fills it

    def values_of(self, value):
        return value.outputs if value else [self.row.outputs[k] for k in self.values]

    def arguments(self, inputs, upstreams):
        """The row's inputs: the caller's, and an upstream for each value that has one."""
        arguments = [None] * len(self.row.inputs)
        for i, t in zip(self.positions, inputs):
            arguments[i] = t
        for n, i in self.upstreams.items():
            arguments[i] = upstreams(n, self.row.inputs[i])
        return arguments

    def ones(self, inputs, shapes=None):
        device = inputs[0].device if inputs else torch.device("cpu")

        def one(n, a):
            kept = self.kept_ones.get((device, a.dtype))
            if a.shape or kept is None:
                kept = torch.ones(shapes[n] if shapes else a.shape, dtype=a.dtype, device=device)
                if not a.shape and not (device.type == "cuda" and torch.cuda.is_current_stream_capturing()):
                    if device.type == "cuda":
                        torch.cuda.current_stream(device).synchronize()  # once: other streams read it too
                    self.kept_ones[device, a.dtype] = kept
            return kept

        return one

    def value_shapes(self, inputs):
        """Shapes of the values, where the upstreams need them: from the sizes of the inputs."""
        if all(self.row.inputs[i].static for i in self.upstreams.values()):
            return None
        # The sizes of results do not depend on those of the upstreams, which stand in with none.
        stand_in = self.arguments(inputs, lambda n, a: torch.empty([max(0, s) for s in a.shape], dtype=a.dtype))
        shapes = self.row.output_shapes(stand_in)
        return [shapes[k] for k in self.values]

    def check(self, inputs):
        if len(inputs) != len(self.inputs):
            raise TypeError(f"{self.row.name} takes {len(self.inputs)} tensors, and was given {len(inputs)}")
        for a, t in zip(self.inputs, inputs):
            if not isinstance(t, torch.Tensor):
                raise TypeError(f"{self.row.name}: {a.who} is a {type(t).__name__}, expected a tensor")
            if len(t.shape) != len(a.shape):
                raise ValueError(f"{self.row.name}: {a.who} has {len(t.shape)} dimensions, expected {len(a.shape)}")

    def run_all(self, inputs):
        if not self.upstreams and self.in_order:
            return self.row.run(inputs)
        self.check(inputs)
        return self.row.run(self.arguments(inputs,
                                           self.ones(inputs, self.value_shapes(inputs) if self.values else None)))

    def run_values(self, inputs):
        results = self.run_all(inputs)
        return [results[k] for k in self.values]

    def prepare(self, value, inputs):
        self.check(inputs)
        shapes = self.value_shapes(inputs) if self.values else value.output_shapes(inputs)
        self.row.run(self.arguments(inputs, self.ones(inputs, shapes)), prepare=True)


def why_not(name):
    return (
        f"A library has them where {name} returns them too, with sinter.gradient_of, or where {name}_backward does: "
        f"sinter-cc --wrt writes it."
    )


def plan(gradients, value, wanted):
    """How backward gets its gradients: what was wanted, or the first that is possible."""
    name, row = gradients.row.name, gradients.row
    values = gradients.values_of(value)
    if value:
        mine, others = value.inputs, gradients.inputs
        if [(a.dtype, a.shape) for a in mine] != [(a.dtype, a.shape) for a in others]:
            raise ValueError(
                f"{name} is not the backward of {value.name}: its inputs without upstreams are {others}, expected "
                f"{mine}"
            )
        if gradients.values and [row.outputs[k].dtype for k in gradients.values] != [a.dtype for a in values]:
            raise ValueError(
                f"{name} is not the backward of {value.name}: its values are "
                f"{[row.outputs[k] for k in gradients.values]}, expected {values}"
            )
    if gradients.differentiated[-1] >= len(values):
        raise ValueError(f"{name} has an upstream of value {gradients.differentiated[-1]}, and there are {len(values)}")
    scalar = len(gradients.differentiated) == 1 and values[gradients.differentiated[0]].shape == ()
    possible = [mode for mode in MODES if (gradients.upstreams if mode == "recompute" else scalar and gradients.values)]
    if not possible:
        raise ValueError(
            f"{name} has gradients of {values[gradients.differentiated[0]]!r} for an upstream of 1 only: give it an "
            f"argument with sinter.upstream_of"
        )
    return wanted if wanted in possible else possible[0]


def _ready(upstream):
    """As a library takes it: autograd hands on views of all kinds."""
    upstream = upstream.detach().resolve_neg().contiguous()
    return upstream.clone() if upstream.data_ptr() % ALIGNMENT else upstream


def _scaled(kept, upstream):
    if kept.dtype is upstream.dtype is not torch.float16:
        return kept * upstream
    if kept.dtype is torch.float16:  # a loss scale of 65536 is no float16
        return (kept.float() * upstream).to(kept.dtype)
    return kept * upstream.to(kept.dtype)


def _first_order(name):
    """In backward: its result has no graph, and where one is asked for it would be missing in silence."""
    if torch.is_grad_enabled():
        raise RuntimeError(f"{name}: create_graph=True asks for a gradient of its gradient, and the library has none: "
                           "leave create_graph out, or write in PyTorch what is differentiated twice")  # fmt: skip


def node_of(gradients, value, mode):
    """The part of PyTorch's graph that a call is: a torch.autograd.Function of the tensors alone."""
    name = (value or gradients.row).name
    wanted, values, row = sorted(gradients.of_input.items()), gradients.values, gradients.row
    count, upstream_of = len(gradients.inputs), gradients.differentiated[0]
    others = [n for n in range(len(gradients.values_of(value))) if n not in gradients.differentiated]

    def answer(ctx, results):
        if others:
            ctx.mark_non_differentiable(*(results[n] for n in others))
        return results[0] if len(results) == 1 else tuple(results)

    class Keep(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *inputs):
            results = gradients.run_all(inputs)
            ctx.needed = [(i, k) for i, k in wanted if ctx.needs_input_grad[i]]
            ctx.save_for_backward(*[results[k] for _, k in ctx.needed])
            return answer(ctx, [results[k] for k in values])

        @staticmethod
        def backward(ctx, *upstreams):
            _first_order(name)
            upstream, found = upstreams[upstream_of], [None] * count
            for (i, _), kept in zip(ctx.needed, ctx.saved_tensors):
                found[i] = kept if mode == "one" else _scaled(kept, upstream)
            return tuple(found)

    class Recompute(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *inputs):
            ctx.save_for_backward(*inputs)
            return answer(ctx, value.run(inputs) if value else gradients.run_values(inputs))

        @staticmethod
        def backward(ctx, *upstreams):
            _first_order(name)
            results = row.run(gradients.arguments(ctx.saved_tensors, lambda n, a: _ready(upstreams[n])))
            found = [None] * count
            for i, k in wanted:
                if ctx.needs_input_grad[i]:
                    found[i] = results[k]
            return tuple(found)

    node = Recompute if mode == "recompute" else Keep
    node.__name__ = node.__qualname__ = name
    return node
