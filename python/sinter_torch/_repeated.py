"""What is the same for all of a dimension of size `?`, where a program looks something up in it.

    y = cumsum(ne(expand(x: [1, 12], [s0, 12]), 1), 1)       y = cumsum(ne(x, 1), 1)
    index(y, [arange(s0).unsqueeze(1), i])              ->   expand(index(y[0], [i]), [s0, ...])
    gather(expand(x: [1, 32], [s0, 32]), 1, i)               index(x[0], [i])

Masks of attention are made so: of positions, or of ones, for each sequence of a batch. Where the batch is known, all of
that is a table of a few numbers in the compiler's hands; of `?` sequences it was as many tables as there are.

test: test/python/sizes.test
"""

import torch

from ._decompositions import graphs

_WHOLE = 2**63 - 1


def _ops():
    a = torch.ops.aten
    moved = {a.to.dtype, a.to.device, a.to.dtype_layout, a._to_copy.default, a.clone.default, a.type_as.default}
    filled = {a.ones.default, a.zeros.default, a.full.default}
    return a, moved, filled


def _shape(node):
    return node.meta["val"].shape


def _tensors(node):
    return [x for x in (*node.args, *node.kwargs.values()) if isinstance(x, torch.fx.Node) and
            isinstance(x.meta.get("val"), torch.Tensor)]  # fmt: skip


def _is_whole(node):
    """A slice that leaves nothing out."""
    x, _, start, end = (*node.args, *(0, None, None)[len(node.args) - 1 :])[:4]
    return not start and end in (None, _WHOLE) and list(map(str, _shape(x))) == list(map(str, _shape(node)))


class _Repeated:
    """Which dimensions of size `?` of which nodes are repeated, and each of these nodes once."""

    def __init__(self, graph):
        self.graph, self.dims, self.made = graph, {}, {}
        self.aten, self.moved, self.filled = _ops()
        for node in graph.nodes:
            if isinstance(node.meta.get("val"), torch.Tensor) and node.op == "call_function":
                found = {d for d in self._of(node) if isinstance(_shape(node)[d], torch.SymInt)}
                if found:
                    self.dims[node] = found

    def of(self, node):
        return self.dims.get(node, set())

    def _is_elementwise(self, node):
        tags = getattr(node.target, "tags", ())
        return node.target in self.moved or torch.Tag.pointwise in tags and not node.target._schema.is_mutable

    def _through(self, x, rank, dims):
        """Which of these dimensions of a result of that rank a tensor that is broadcast to it repeats, or has not."""
        more = rank - len(_shape(x))
        return {d for d in dims if d < more or d - more in self.of(x) or str(_shape(x)[d - more]) == "1"}

    def _of(self, node):
        a, target, rank = self.aten, node.target, len(_shape(node))
        if target in self.filled:
            return set(range(rank))
        if target == a.expand.default:
            return self._through(node.args[0], rank, range(rank))
        if self._is_elementwise(node):
            read = _tensors(node)[:1] if target in self.moved else _tensors(node)
            if not read or any(len(_shape(x)) > rank for x in read):  # new_ones(x, []) asks x for its type alone
                return set()
            return set.intersection(*(self._through(x, rank, range(rank)) for x in read))
        if target == a.unsqueeze.default:
            at = node.args[1] % rank
            return {d + (d >= at) for d in self.of(node.args[0])}
        if target == a.slice.Tensor:
            at = (*node.args, 0)[1] % rank
            return self.of(node.args[0]) - (set() if _is_whole(node) else {at})
        if target == a.cumsum.default:
            return self.of(node.args[0]) - {node.args[1] % rank}
        if target == a.diff.default:
            x, _, d, *ends = (*node.args, *(1, -1)[len(node.args) - 1 :])
            return set.intersection(self.of(x), *(self.of(e) for e in ends if e is not None)) - {d % rank}
        return set()

    def call(self, before, target, *args, **kwargs):
        with self.graph.inserting_before(before):
            node = self.graph.call_function(target, args, kwargs)
        node.meta["val"] = target(*torch.fx.map_arg(args, lambda n: n.meta["val"]),
                                  **torch.fx.map_arg(kwargs, lambda n: n.meta["val"]))  # fmt: skip
        return node

    def once(self, node):
        """The node with a one for each dimension that it repeats."""
        dims = self.of(node)
        if not dims:
            return node
        if node not in self.made:
            args, kwargs = list(node.args), dict(node.kwargs)
            if node.target in self.filled:
                args[0] = [1 if d in dims else n for d, n in enumerate(args[0])]
            elif node.target == self.aten.expand.default:
                args = [self.once(args[0]), [1 if d in dims else n for d, n in enumerate(args[1])]]
            else:
                args, kwargs = torch.fx.map_arg((args, kwargs), self.once)
            self.made[node] = self.call(node, node.target, *args, **kwargs)
        return self.made[node]

    def without(self, before, node):
        """The node without the dimensions that it repeats."""
        x = self.once(node)
        for d in sorted(self.of(node), reverse=True):
            x = self.call(before, self.aten.select.int, x, d, 0)
        return x

    def counts(self, node, size):
        """Whether an index counts all of that size, and so is never out of it."""
        while node.target in (self.aten.unsqueeze.default, self.aten.slice.Tensor):
            if node.target == self.aten.slice.Tensor and not _is_whole(node):
                return False
            node = node.args[0]
        ends = {self.aten.arange.default: [0], self.aten.arange.start: [0, 1]}.get(node.target)
        given = [node.args[k] for k in ends] if ends else [None]
        value = getattr(given[-1], "meta", {}).get("val", given[-1])
        return str(value) == str(size) and given[0] in (given[-1], 0)

    def look_up(self, node):
        """index(x, [..., i, ...]) whose other indices count what x repeats."""
        x, indices = node.args[0], list(node.args[1])
        dims = self.of(x)
        if not dims or len(indices) < len(_shape(x)) or any(i is None for i in indices):
            return
        if not all(self.counts(indices[d], _shape(x)[d]) for d in dims):
            return
        rest = [i for d, i in enumerate(indices) if d not in dims]
        y = self.without(node, x)
        y = self.call(node, self.aten.index.Tensor, y, rest) if rest else y
        sizes = [self.size_of(node, d, indices) for d in range(len(_shape(node)))]
        node.replace_all_uses_with(self.call(node, self.aten.expand.default, y, sizes))

    def size_of(self, node, d, broadcast):
        """How many a dimension of a node has, asked of one of those that were broadcast to its shape."""
        size, behind = _shape(node)[d], len(_shape(node)) - d
        if isinstance(size, int):
            return size
        has = next(x for x in broadcast if len(_shape(x)) >= behind and str(_shape(x)[-behind]) == str(size))
        return self.call(node, self.aten.sym_size.int, has, len(_shape(has)) - behind)

    def gather(self, node):
        """gather(x, d, i) of an x that has nothing but d, and repeats it."""
        x, d, index = node.args[:3]
        if self.of(x) | {d % len(_shape(x))} == set(range(len(_shape(x)))) and d % len(_shape(x)) not in self.of(x):
            node.replace_all_uses_with(self.call(node, self.aten.index.Tensor, self.without(node, x), [index]))


def look_up_once(exported):
    """The program, whose repeated tables are looked up as one."""
    a = torch.ops.aten
    for part in graphs(exported):
        nodes = [node for node in part.graph.nodes if node.target in (a.index.Tensor, a.gather.default)]
        repeated = _Repeated(part.graph) if nodes else None
        for node in nodes:
            if all("val" in x.meta for x in node.all_input_nodes):
                (repeated.look_up if node.target == a.index.Tensor else repeated.gather)(node)
        part.graph.eliminate_dead_code()
        part.recompile()
