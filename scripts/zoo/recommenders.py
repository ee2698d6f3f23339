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

    # Of a batch of 2, known sizes say that making the four parts of a row twice costs less than a kernel.
    return Model(DLRM(), lambda b: (torch.randn(b, 13), *(ids(b, 4, 37) for _ in range(3))), batch=128)


def fields(batch):
    """Five indices of each of a batch."""
    return (ids(batch, 5, 37),)


@model()
def deepfm():
    from torch import nn

    class DeepFM(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear, self.embed = nn.Embedding(37, 1), nn.Embedding(37, 8)
            self.deep = nn.Sequential(nn.Linear(40, 16), nn.ReLU(), nn.Linear(16, 1))

        def forward(self, x):
            e = self.embed(x)
            pairs = 0.5 * (e.sum(1).square() - e.square().sum(1)).sum(1, keepdim=True)
            return self.linear(x).sum(1) + pairs + self.deep(e.flatten(1))
    return Model(DeepFM(), fields)


@model()
def wide_and_deep():
    from torch import nn

    class WideAndDeep(nn.Module):
        def __init__(self):
            super().__init__()
            self.wide, self.embed = nn.Embedding(37, 1), nn.Embedding(37, 8)
            self.deep = nn.Sequential(nn.Linear(40, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 1))

        def forward(self, x):
            return self.wide(x).sum(1) + self.deep(self.embed(x).flatten(1))
    return Model(WideAndDeep(), fields, batch=6)  # of two, a batch norm keeps signs alone


@model()
def dcn_v2():
    from torch import nn

    class Cross(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.layers = nn.Embedding(37, 8), nn.ModuleList(nn.Linear(40, 40) for _ in range(3))
            self.head = nn.Linear(40, 1)

        def forward(self, x):
            first = h = self.embed(x).flatten(1)
            for layer in self.layers:
                h = first * layer(h) + h
            return self.head(h)
    return Model(Cross(), fields)


@model()
def two_tower():
    import torch
    from torch import nn

    class TwoTower(nn.Module):
        def __init__(self):
            super().__init__()
            self.users, self.items = nn.Embedding(37, 16), nn.Embedding(41, 16)
            self.left, self.right = nn.Linear(16, 8), nn.Linear(16, 8)

        def forward(self, user, item):
            u = nn.functional.normalize(self.left(self.users(user)), dim=-1)
            v = nn.functional.normalize(self.right(self.items(item)), dim=-1)
            return u @ v.mT / 0.1
    # Trained on pairs: the items of the others are what a user did not take.
    return Model(TwoTower(), lambda b: (ids(b, 37), ids(b, 41)), loss="classes", batch=6, pairs=True)


@model()
def ncf():
    import torch
    from torch import nn

    class NCF(nn.Module):
        def __init__(self):
            super().__init__()
            self.tables = nn.ModuleList(nn.Embedding(37, 8) for _ in range(4))
            self.mlp = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 8), nn.ReLU())
            self.head = nn.Linear(16, 1)

        def forward(self, user, item):
            a, b, c, d = self.tables
            return self.head(torch.cat([a(user) * b(item), self.mlp(torch.cat([c(user), d(item)], -1))], -1))
    return Model(NCF(), lambda b: (ids(b, 37), ids(b, 37)))


@model()
def sasrec():
    import torch
    from torch import nn

    class SASRec(nn.Module):
        def __init__(self):
            super().__init__()
            self.items, self.places = nn.Embedding(37, 16), nn.Embedding(10, 16)
            self.attention = nn.MultiheadAttention(16, 2, batch_first=True)
            self.norm, self.feed = nn.LayerNorm(16), nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 16))

        def forward(self, x):
            h = self.items(x) + self.places(torch.arange(10))
            mask = torch.ones(10, 10, dtype=torch.bool).triu(1)
            n = self.norm(h)
            h = h + self.attention(n, n, n, attn_mask=mask, need_weights=False)[0]
            return (h + self.feed(h)) @ self.items.weight.T
    return Model(SASRec(), lambda b: (ids(b, 10, 37),), loss="classes")


@model()
def autoint():
    from torch import nn

    class AutoInt(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.head = nn.Embedding(37, 16), nn.Linear(80, 1)
            self.layers = nn.ModuleList(nn.MultiheadAttention(16, 2, batch_first=True) for _ in range(2))

        def forward(self, x):
            h = self.embed(x)
            for layer in self.layers:
                h = (h + layer(h, h, h, need_weights=False)[0]).relu()
            return self.head(h.flatten(1))
    return Model(AutoInt(), fields)


@model()
def mmoe():
    import torch
    from torch import nn

    class MMoE(nn.Module):
        def __init__(self):
            super().__init__()
            self.experts = nn.Parameter(torch.randn(4, 13, 16) / 4)
            self.gates, self.heads = nn.Parameter(torch.randn(2, 13, 4) / 4), nn.Parameter(torch.randn(2, 16) / 4)

        def forward(self, x):
            h = torch.einsum("bi,eio->beo", x, self.experts).relu()
            g = torch.einsum("bi,tie->bte", x, self.gates).softmax(-1)
            return torch.einsum("bte,beo,to->bt", g, h, self.heads)
    return Model(MMoE(), lambda b: (torch.randn(b, 13),))
