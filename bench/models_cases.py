"""Whole models of PyPI's packages at sizes that take a CPU 5 to 50 ms a call: (module, arguments) by name."""


def ids(*shape_and_high):
    import torch
    *shape, high = shape_and_high
    return torch.randint(0, high, shape)


def image(batch, size):
    import torch
    return torch.randn(batch, 3, size, size)


def picked(module, what):
    """The module, whose answer is one tensor of what a model of transformers returns."""
    import torch

    class Picked(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.module = module

        def forward(self, *x):
            return getattr(self.module(*x), what)
    return Picked()


def bert():
    from transformers import BertConfig, BertModel
    config = BertConfig(vocab_size=8192, hidden_size=384, num_hidden_layers=4, num_attention_heads=6,
                        intermediate_size=1536)
    return picked(BertModel(config), "last_hidden_state"), (ids(1, 128, 8192),)


def gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel
    config = GPT2Config(vocab_size=8192, n_embd=384, n_layer=4, n_head=6, use_cache=False)
    return picked(GPT2LMHeadModel(config), "logits"), (ids(1, 128, 8192),)


def llama():
    from transformers import LlamaConfig, LlamaForCausalLM
    config = LlamaConfig(vocab_size=8192, hidden_size=384, num_hidden_layers=4, num_attention_heads=6,
                         num_key_value_heads=2, intermediate_size=1024, use_cache=False)
    return picked(LlamaForCausalLM(config), "logits"), (ids(1, 128, 8192),)


def t5():
    """An encoder with a decoder of fewer tokens."""
    import torch
    from transformers import T5Config, T5ForConditionalGeneration
    config = T5Config(vocab_size=8192, d_model=256, d_kv=32, d_ff=1024, num_layers=4, num_heads=8, use_cache=False)

    class Both(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.module = T5ForConditionalGeneration(config)

        def forward(self, x, z):
            return self.module(input_ids=x, decoder_input_ids=z).logits
    return Both(), (ids(1, 128, 8192), ids(1, 64, 8192))


def vit():
    import timm
    return timm.create_model("vit_tiny_patch16_224"), (image(1, 224),)


def convnext():
    import timm
    return timm.create_model("convnext_atto"), (image(1, 224),)


def resnet18():
    import torchvision
    return torchvision.models.resnet18(), (image(1, 224),)


def mobilenet_v3():
    import torchvision
    return torchvision.models.mobilenet_v3_small(), (image(4, 224),)


def encoder_packed():
    """A layer of a transformer whose queries, keys and values are one product."""
    import torch
    from torch import nn
    import torch.nn.functional as F

    class Layer(nn.Module):
        def __init__(self, d=512, heads=8):
            super().__init__()
            self.heads = heads
            self.first, self.second = nn.LayerNorm(d), nn.LayerNorm(d)
            self.qkv, self.out = nn.Linear(d, 3 * d), nn.Linear(d, d)
            self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

        def forward(self, x):
            b, t, d = x.shape
            q, k, v = self.qkv(self.first(x)).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
            y = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, t, d)
            x = x + self.out(y)
            return x + self.down(F.gelu(self.up(self.second(x))))
    return Layer(), (torch.randn(2, 256, 512),)


def dlrm():
    import torch
    from torch import nn

    class DLRM(nn.Module):
        def __init__(self, tables=8, rows=20000, d=64):
            super().__init__()
            self.tables = nn.ModuleList(nn.EmbeddingBag(rows, d, mode="sum") for _ in range(tables))
            self.bottom = nn.Sequential(nn.Linear(13, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(),
                                        nn.Linear(256, d), nn.ReLU())
            pairs = (tables + 1) * tables // 2
            self.top = nn.Sequential(nn.Linear(d + pairs, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(),
                                     nn.Linear(256, 1))

        def forward(self, dense, *bags):
            x = self.bottom(dense)
            z = torch.stack([x] + [table(bag) for table, bag in zip(self.tables, bags)], 1)
            i, j = torch.tril_indices(z.shape[1], z.shape[1], -1)
            return self.top(torch.cat([x, torch.bmm(z, z.mT)[:, i, j]], 1))
    return DLRM(), (torch.randn(2048, 13), *(ids(2048, 8, 20000) for _ in range(8)))


CASES = [bert, gpt2, llama, t5, vit, convnext, resnet18, mobilenet_v3, encoder_packed, dlrm]
