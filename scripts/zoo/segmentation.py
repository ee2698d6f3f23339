"""Networks with an output for each pixel."""
from . import Model, image, model, rows


def pixels(module, size=64, **more):
    return Model(module, lambda b: (image(b, size),), loss="pixels", **dict(batch=4, batches=(4, 5)) | more)


def of_smp(name, config):
    """A network of segmentation_models_pytorch on a small encoder."""
    import segmentation_models_pytorch as smp
    return pixels(getattr(smp, name)("timm-mobilenetv3_small_minimal_100", encoder_weights=None, classes=3, **config))


rows({
    "unet": ("Unet", dict(decoder_channels=(32, 16, 16, 8, 8))),
    "unetplusplus": ("UnetPlusPlus", dict(decoder_channels=(32, 16, 16, 8, 8))),
    "linknet": ("Linknet", dict()),
    "fpn": ("FPN", dict(decoder_pyramid_channels=32, decoder_segmentation_channels=32)),
    "pspnet": ("PSPNet", dict(psp_out_channels=16)),
    "deeplab": ("DeepLabV3Plus", dict(decoder_channels=16, encoder_output_stride=16)),
    "manet": ("MAnet", dict(decoder_channels=(32, 16, 16, 8, 8), decoder_pab_channels=8)),
}, of_smp, "segmentation_models_pytorch", "timm")


@model("transformers")
def segformer():
    from transformers import SegformerConfig, SegformerForSemanticSegmentation
    module = SegformerForSemanticSegmentation(SegformerConfig(
        depths=[1, 1, 1, 1], hidden_sizes=[8, 16, 16, 32], num_attention_heads=[1, 2, 2, 4], mlp_ratios=[2, 2, 2, 2],
        decoder_hidden_size=16, num_labels=3))
    return pixels(module, 64, pick=lambda y: y.logits)


@model("torchvision")
def fcn():
    from torchvision.models._utils import IntermediateLayerGetter
    from torchvision.models.resnet import BasicBlock, ResNet
    from torchvision.models.segmentation.fcn import FCN, FCNHead
    trunk = IntermediateLayerGetter(ResNet(BasicBlock, [1, 1, 1, 1]), {"layer2": "out"})
    return pixels(FCN(trunk, FCNHead(128, 3)), pick=lambda y: y["out"])
