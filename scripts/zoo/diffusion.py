"""Denoisers and autoencoders."""
from . import Model, ids, image, model


@model("diffusers")
def unet2d():
    from diffusers import UNet2DModel
    return Model(UNet2DModel(sample_size=16, block_out_channels=(16, 32), layers_per_block=1, norm_num_groups=4,
                             down_block_types=("DownBlock2D", "AttnDownBlock2D"),
                             up_block_types=("AttnUpBlock2D", "UpBlock2D"), attention_head_dim=8),
                 lambda b: (image(b, 16), ids(b, 1000)), pick=lambda y: y.sample)


@model("diffusers")
def unet2d_condition():
    import torch
    from diffusers import UNet2DConditionModel
    return Model(UNet2DConditionModel(sample_size=8, block_out_channels=(16, 32), layers_per_block=1,
                                      norm_num_groups=4, cross_attention_dim=16, attention_head_dim=8,
                                      down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
                                      up_block_types=("UpBlock2D", "CrossAttnUpBlock2D")),
                 lambda b: (image(b, 8, 4), ids(b, 1000), torch.randn(b, 7, 16)), pick=lambda y: y.sample)


@model("diffusers")
def vae():
    from diffusers import AutoencoderKL
    return Model(AutoencoderKL(block_out_channels=(8, 16), layers_per_block=1, norm_num_groups=4, latent_channels=4,
                               down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2),
                 lambda b: (image(b, 16),), pick=lambda y: y.sample)


@model("diffusers")
def vq():
    from diffusers import VQModel
    return Model(VQModel(block_out_channels=(8, 16), layers_per_block=1, norm_num_groups=4, latent_channels=4,
                         num_vq_embeddings=16, down_block_types=("DownEncoderBlock2D",) * 2,
                         up_block_types=("UpDecoderBlock2D",) * 2),
                 lambda b: (image(b, 16),), pick=lambda y: y.sample)


@model("diffusers")
def dit():
    from diffusers import DiTTransformer2DModel
    return Model(DiTTransformer2DModel(num_attention_heads=2, attention_head_dim=16, in_channels=4, out_channels=4,
                                       num_layers=2, sample_size=8, num_embeds_ada_norm=10, norm_num_groups=4),
                 lambda b: (image(b, 8, 4), ids(b, 1000), ids(b, 10)), pick=lambda y: y.sample)


@model("diffusers")
def flux():
    import torch
    from diffusers import FluxTransformer2DModel
    return Model(FluxTransformer2DModel(in_channels=16, num_layers=1, num_single_layers=1, attention_head_dim=16,
                                        num_attention_heads=2, joint_attention_dim=16, pooled_projection_dim=16,
                                        axes_dims_rope=(4, 6, 6)),
                 lambda b: (torch.randn(b, 16, 16), torch.randn(b, 7, 16), torch.randn(b, 16), torch.rand(b)),
                 pick=lambda y: y.sample,
                 call=lambda m, x, text, pooled, t: m(x, text, pooled, t, torch.zeros(16, 3), torch.zeros(7, 3)))
