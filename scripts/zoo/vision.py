"""Classifiers and backbones of images."""
from . import Model, image, model


def classes(module, size=32, **more):
    return Model(module, lambda b: (image(b, size),), loss="classes", **more)


@model("timm")
def vit():
    import timm
    return classes(timm.create_model("vit_tiny_patch16_224", img_size=32, patch_size=8, embed_dim=32, depth=2,
                                     num_heads=4, num_classes=10))


@model("timm")
def swin():
    import timm
    return classes(timm.create_model("swin_tiny_patch4_window7_224", img_size=32, patch_size=2, window_size=4,
                                     embed_dim=16, depths=(2, 2), num_heads=(2, 4), num_classes=10))


@model("torchvision")
def resnet18():
    import torchvision
    return classes(torchvision.models.resnet.ResNet(torchvision.models.resnet.BasicBlock, [1, 1, 1, 1], num_classes=10,
                                                    width_per_group=64))


@model("torchvision")
def mobilenet_v3():
    import torchvision
    return classes(torchvision.models.mobilenet_v3_small(width_mult=0.25, num_classes=10))
