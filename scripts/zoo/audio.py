"""Speech and sound."""
from . import Model, model


@model("torchaudio")
def conformer():
    import torch
    import torchaudio
    return Model(torchaudio.models.Conformer(input_dim=16, num_heads=2, ffn_dim=32, num_layers=2,
                                             depthwise_conv_kernel_size=5),
                 lambda b: (torch.randn(b, 12, 16), torch.full((b,), 12)), pick=lambda y: y[0])
