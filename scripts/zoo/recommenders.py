"""Recommenders and other networks of tables, written here as their papers do."""
from . import Model, ids, model


@model()
def dlrm():
    import torch
    from torch import nn

    class DLRM(nn.Module):
        def __init__(self):
            super().__init__()
            self.tables = nn.ModuleList(nn.EmbeddingBag(37, 8, mode="sum") for _ in range(3))
            self.bottom = nn.Sequential(nn.Linear(13, 16), nn.ReLU(), nn.Linear(16, 8), nn.ReLU())
            self.top = nn.Sequential(nn.Linear(8 + 6, 16), nn.ReLU(), nn.Linear(16, 1))

        def forward(self, dense, *bags):
            x = self.bottom(dense)
            z = torch.stack([x] + [table(bag) for table, bag in zip(self.tables, bags)], 1)
            i, j = torch.tril_indices(4, 4, -1)
            return self.top(torch.cat([x, torch.bmm(z, z.mT)[:, i, j]], 1))

    return Model(DLRM(), lambda b: (torch.randn(b, 13), *(ids(b, 4, 37) for _ in range(3))))
