"""Graph networks."""
from . import Model, ids, model


def graph(batch, features=16):
    """batch * 4 nodes and five times as many edges."""
    import torch
    nodes = 4 * batch
    return torch.randn(nodes, features), torch.stack([ids(5 * nodes, nodes), ids(5 * nodes, nodes)])


@model("torch_geometric")
def gat():
    from torch_geometric.nn import GAT
    return Model(GAT(16, 16, num_layers=2, out_channels=8, heads=2), graph)
