"""Denoisers and autoencoders."""
from . import Model, ids, image, model


@model("diffusers")
def unet2d():
    from diffusers import UNet2DModel
    return Model(UNet2DModel(sample_size=16, block_out_channels=(16, 32), layers_per_block=1, norm_num_groups=4,
                             down_block_types=("DownBlock2D", "AttnDownBlock2D"),
                             up_block_types=("AttnUpBlock2D", "UpBlock2D"), attention_head_dim=8),
                 lambda b: (image(b, 16), ids(b, 1000)), pick=lambda y: y.sample)
