"""Classifiers and backbones of images."""
import functools

from . import Model, image, model, rows


def classes(module, size=32, **more):
    """A batch of four: between two, what is left of an image of one pixel is the same behind any batch norm."""
    return Model(module, lambda b: (image(b, size),), loss="classes", **dict(batch=4, batches=(4, 5)) | more)


def of_timm(name, size, config, half=None):
    """timm's architecture of that name, smaller; half: the size of images where gradients are in bf16."""
    import timm
    module = timm.create_model(name, num_classes=10, **config)
    for m in module.modules():
        if hasattr(m, "attention_bias_cache"):  # what was looked up once would be no function of the weights any more
            m.get_attention_biases = functools.partial(biases, m)
    return classes(module, size, half=half and (lambda b: (image(b, half),)))


def biases(attention, device):
    at = attention.attention_bias_idxs
    return attention.attention_biases.index_select(1, at.flatten()).unflatten(1, at.shape)


rows({
    "vit": ("vit_tiny_patch16_224", 32, dict(img_size=32, patch_size=8, embed_dim=32, depth=2, num_heads=4)),
    "deit": ("deit_tiny_distilled_patch16_224", 32, dict(img_size=32, patch_size=8, embed_dim=32, depth=2,
                                                         num_heads=4)),
    "beit": ("beit_base_patch16_224", 32, dict(img_size=32, patch_size=8, embed_dim=32, depth=2, num_heads=4)),
    "eva02": ("eva02_tiny_patch14_224", 32, dict(img_size=32, patch_size=8, embed_dim=32, depth=2, num_heads=4)),
    "cait": ("cait_xxs24_224", 32, dict(img_size=32, patch_size=8, embed_dim=32, depth=2, num_heads=4)),
    "xcit": ("xcit_nano_12_p16_224", 32, dict(img_size=32, patch_size=8, embed_dim=32, depth=2, num_heads=4)),
    "swin": ("swin_tiny_patch4_window7_224", 32, dict(img_size=32, patch_size=2, window_size=4, embed_dim=16,
                                                      depths=(2, 2), num_heads=(2, 4))),
    "swinv2": ("swinv2_tiny_window8_256", 32, dict(img_size=32, patch_size=2, window_size=4, embed_dim=16,
                                                   depths=(2, 2), num_heads=(2, 4))),
    "pvt_v2": ("pvt_v2_b0", 32, dict(depths=(1, 1, 1, 1), embed_dims=(8, 16, 24, 32), num_heads=(1, 2, 3, 4))),
    "twins": ("twins_svt_small", 64, dict(img_size=64, embed_dims=(16, 16, 32, 32), num_heads=(2, 2, 4, 4),
                                          depths=(1, 1, 2, 1), wss=(4, 4, 4, 2))),
    "convnext": ("convnext_tiny", 32, dict(depths=(1, 1, 1, 1), dims=(8, 16, 24, 32))),
    "convnext_v2": ("convnextv2_tiny", 32, dict(depths=(1, 1, 1, 1), dims=(8, 16, 24, 32))),
    "davit": ("davit_tiny", 64, dict(depths=(1, 1, 1, 1), embed_dims=(16, 16, 32, 32), num_heads=(2, 2, 4, 4),
                                     window_size=2)),
    "edgenext": ("edgenext_xx_small", 32, dict(depths=(1, 1, 1, 1), dims=(8, 16, 24, 32))),
    "resnet50": ("resnet50", 32, dict(layers=(1, 1, 1, 1), channels=(16, 16, 32, 32))),
    "resnext": ("resnext50_32x4d", 64, dict(layers=(1, 1, 1, 1), channels=(16, 16, 32, 32), cardinality=4,
                                            base_width=4)),
    "seresnet": ("seresnet50", 32, dict(layers=(1, 1, 1, 1), channels=(16, 16, 32, 32))),
    "ecaresnet": ("ecaresnet50t", 32, dict(layers=(1, 1, 1, 1), channels=(16, 16, 32, 32), stem_width=8)),
    "efficientnet": ("test_efficientnet", 32, dict()),
    "nfnet": ("test_nfnet", 32, dict()),
    "byobnet": ("test_byobnet", 32, dict()),
    "mobilenet_v2": ("mobilenetv2_035", 64, dict()),
    "mobilenet_v4": ("mobilenetv4_conv_small_035", 64, dict()),
    "ghostnet": ("ghostnet_050", 32, dict()),
    "mnasnet": ("mnasnet_small", 64, dict()),
    "repvgg": ("repvgg_a0", 32, dict()),
    "dla": ("dla46x_c", 64, dict()),
    "lcnet": ("lcnet_050", 32, dict()),
    "tinynet": ("tinynet_e", 32, dict()),
    "mobilevit": ("mobilevit_xxs", 64, dict()),
    "mobileone": ("mobileone_s0", 64, dict()),
    "levit": ("levit_128s", 64, dict(img_size=64, embed_dim=(16, 24, 32), num_heads=(2, 3, 4), depth=(1, 1, 1),
                                     key_dim=8)),
    "regnet": ("regnetx_002", 32, dict(), 64),
    "res2net": ("res2net50_26w_4s", 32, dict(layers=(1, 1, 1, 1), channels=(16, 16, 32, 32), base_width=4)),
    "starnet": ("starnet_s1", 32, dict(depths=(1, 1, 1, 1), base_dim=8)),
    "sequencer": ("sequencer2d_s", 32, dict(img_size=32, layers=(1, 1), patch_sizes=(8, 1), embed_dims=(16, 32),
                                            hidden_sizes=(8, 8), mlp_ratios=(2, 2))),
}, of_timm, "timm")


@model("timm")
def mixer():
    from timm.models.mlp_mixer import MlpMixer
    return classes(MlpMixer(10, 32, patch_size=8, num_blocks=2, embed_dim=32))


@model("timm")
def resmlp():
    from timm.models.mlp_mixer import Affine, MlpMixer, ResBlock
    return classes(MlpMixer(10, 32, patch_size=8, num_blocks=2, embed_dim=32, mlp_ratio=4, block_layer=ResBlock,
                            norm_layer=Affine))


@model("timm")
def gmlp():
    from timm.layers import GatedMlp
    from timm.models.mlp_mixer import MlpMixer, SpatialGatingBlock
    return classes(MlpMixer(10, 32, patch_size=8, num_blocks=2, embed_dim=32, mlp_ratio=6, mlp_layer=GatedMlp,
                            block_layer=SpatialGatingBlock))


@model("timm")
def convmixer():
    from timm.models.convmixer import ConvMixer
    return classes(ConvMixer(32, 2, kernel_size=5, patch_size=4, num_classes=10))


@model("timm")
def focalnet():
    from timm.models.focalnet import FocalNet
    return classes(FocalNet(num_classes=10, embed_dim=16, depths=(1, 1, 1, 1)))


@model("timm")
def poolformer():
    from timm.models.metaformer import MetaFormer, Pooling
    return classes(MetaFormer(num_classes=10, depths=(1, 1, 1, 1), dims=(8, 16, 24, 32), token_mixers=Pooling))


@model("torchvision")
def resnet18():
    from torchvision.models.resnet import BasicBlock, ResNet
    return classes(ResNet(BasicBlock, [1, 1, 1, 1], num_classes=10), batch=16)


@model("torchvision")
def mobilenet_v3():
    import torchvision
    return classes(torchvision.models.mobilenet_v3_small(width_mult=0.25, num_classes=10))


@model("torchvision")
def shufflenet():
    from torchvision.models import ShuffleNetV2
    return classes(ShuffleNetV2([2, 2, 2], [8, 16, 32, 64, 64], num_classes=10))


@model("torchvision")
def squeezenet():
    import torchvision
    return classes(torchvision.models.squeezenet1_1(num_classes=10))


@model("torchvision")
def densenet():
    from torchvision.models import DenseNet
    return classes(DenseNet(growth_rate=8, block_config=(2, 2, 2), num_init_features=16, num_classes=10))


@model("torchvision")
def inception_block():
    import torch
    from torchvision.models.inception import InceptionA, InceptionB
    pool = torch.nn.Sequential(torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(720, 10))
    return classes(torch.nn.Sequential(InceptionA(3, pool_features=16), InceptionB(240), pool), 16)


@model("torchvision")
def tv_convnext():
    from torchvision.models.convnext import CNBlockConfig, ConvNeXt
    return classes(ConvNeXt([CNBlockConfig(8, 16, 1), CNBlockConfig(16, None, 1)], num_classes=10))


@model("torchvision")
def tv_vit():
    from torchvision.models import VisionTransformer
    return classes(VisionTransformer(32, 8, 2, 4, 32, 64, num_classes=10))


@model("torchvision")
def maxvit():
    from torchvision.models import MaxVit
    return classes(MaxVit((32, 32), 8, 4, [8, 16], [1, 1], 8, 0.0, num_classes=10))


@model("torchvision")
def vgg():
    import torch
    from torchvision.models.vgg import make_layers
    return classes(torch.nn.Sequential(make_layers([8, "M", 16, "M", 32, 32, "M"], batch_norm=True),
                                       torch.nn.Flatten(), torch.nn.Linear(512, 10)))


@model("torchvision")
def video_resnet():
    import torch
    from torchvision.models.video.resnet import BasicBlock, BasicStem, Conv3DSimple, VideoResNet
    return Model(VideoResNet(BasicBlock, [Conv3DSimple] * 4, [1, 1, 1, 1], BasicStem, num_classes=10),
                 lambda b: (torch.randn(b, 3, 4, 16, 16),), loss="classes")


@model("transformers")
def clip_vision():
    from transformers import CLIPVisionConfig, CLIPVisionModel
    module = CLIPVisionModel(CLIPVisionConfig(hidden_size=32, intermediate_size=64, num_hidden_layers=2,
                                              num_attention_heads=4, image_size=32, patch_size=8))
    return Model(module, lambda b: (image(b),), pick=lambda y: y.last_hidden_state)


@model("transformers")
def dinov2():
    from transformers import Dinov2Config, Dinov2Model
    module = Dinov2Model(Dinov2Config(hidden_size=32, mlp_ratio=2, num_hidden_layers=2, num_attention_heads=4,
                                      image_size=32, patch_size=8))
    return Model(module, lambda b: (image(b),), pick=lambda y: y.last_hidden_state)
