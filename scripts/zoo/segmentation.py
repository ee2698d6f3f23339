"""Networks with an output for each pixel."""
from . import Model, image, model


def pixels(module, size=32, **more):
    return Model(module, lambda b: (image(b, size),), loss="pixels", **more)


@model("segmentation_models_pytorch", "timm")
def unet():
    import segmentation_models_pytorch as smp
    return pixels(smp.Unet("resnet18", encoder_weights=None, decoder_channels=(32, 16, 16, 8, 8), classes=3))
