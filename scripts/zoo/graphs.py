"""Graph networks."""
from . import Model, ids, model, rows


def graph(batch, features=16):
    """batch * 4 nodes and five times as many edges."""
    import torch
    nodes = 4 * batch
    return torch.randn(nodes, features), torch.stack([ids(5 * nodes, nodes), ids(5 * nodes, nodes)])


def of_pyg(name, config):
    """Two layers of torch_geometric's."""
    from torch_geometric import nn
    return Model(getattr(nn, name)(16, 16, num_layers=2, out_channels=8, **config), graph, batch=6)


def stack_of(name, config):
    """Two convolutions of torch_geometric's with relu between."""
    import torch
    from torch_geometric import nn

    class Two(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = getattr(nn, name)(16, 16, **config), getattr(nn, name)(16, 8, **config)

        def forward(self, x, edges):
            return self.second(torch.relu(self.first(x, edges)), edges)
    # 256 nodes: of 8, known sizes say that what is computed again for each edge costs less than a kernel.
    return Model(Two(), graph, batch=64)


rows({
    "gcn": ("GCN", dict(add_self_loops=False)),
    "graph_sage": ("GraphSAGE", dict()),
    "gin": ("GIN", dict()),
    "gat": ("GAT", dict(heads=2, add_self_loops=False)),
}, of_pyg, "torch_geometric")

rows({
    "graph_conv": ("GraphConv", dict()),
    "sg_conv": ("SGConv", dict(K=2, add_self_loops=False)),
    "tag_conv": ("TAGConv", dict(K=2)),
    "gated_graph": ("ResGatedGraphConv", dict()),
    "transformer_conv": ("TransformerConv", dict()),
    "edge_mean": ("SAGEConv", dict(aggr="mean", normalize=True)),
    "le_conv": ("LEConv", dict()),
    "film_conv": ("FiLMConv", dict()),
    "arma_conv": ("ARMAConv", dict(num_stacks=2, num_layers=2)),
    "general_conv": ("GeneralConv", dict(attention=True, heads=2)),
}, stack_of, "torch_geometric")


@model()
def dense_gat():
    """A GAT over an adjacency matrix, as its paper writes it."""
    import torch
    from torch import nn

    class Layer(nn.Module):
        def __init__(self, features, heads, width):
            super().__init__()
            self.heads, self.project = heads, nn.Linear(features, heads * width, bias=False)
            self.source, self.target = (nn.Parameter(torch.randn(heads, width)) for _ in range(2))

        def forward(self, x, adjacent):
            h = self.project(x).view(x.shape[0], self.heads, -1)
            s, t = (h * self.source).sum(-1), (h * self.target).sum(-1)
            e = nn.functional.leaky_relu(t.unsqueeze(1) + s.unsqueeze(0), 0.2)
            e = e.masked_fill(~adjacent.unsqueeze(-1), float("-inf"))
            return torch.einsum("ijh,jhw->ihw", e.softmax(1), h).flatten(1)

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = Layer(16, 2, 8), Layer(16, 1, 8)

        def forward(self, x, adjacent):
            return self.second(nn.functional.elu(self.first(x, adjacent)), adjacent)

    def inputs(batch):
        n = 4 * batch
        return torch.randn(n, 16), (torch.rand(n, n) < 0.4) | torch.eye(n, dtype=torch.bool)
    return Model(Network(), inputs, batch=6)
