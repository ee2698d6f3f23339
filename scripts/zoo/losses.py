"""Losses of others, behind a layer whose gradients are asked for."""
from . import Model, ids, model, rows


def behind(layer, loss, inputs, **more):
    """loss(layer(x), ...) for inputs x, ..."""
    import torch

    class Behind(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = layer

        def forward(self, x, *rest):
            return loss(self.layer(x), *rest)
    return Model(Behind(), inputs, loss="mean", **more)


def masks(name, config):
    """A loss of segmentation_models_pytorch: images of three classes, a class for each pixel."""
    import segmentation_models_pytorch as smp
    import torch
    return behind(torch.nn.Conv2d(4, 3, 1), getattr(smp.losses, name)(**config),
                  lambda b: (torch.randn(b, 4, 8, 8), ids(b, 8, 8, 3)))


rows({
    "tversky_loss": ("TverskyLoss", dict(mode="multiclass", alpha=0.3, beta=0.7, gamma=1.3)),
    "dice_log_loss": ("DiceLoss", dict(mode="multiclass", log_loss=True)),
    "soft_cross_entropy": ("SoftCrossEntropyLoss", dict(smooth_factor=0.1, ignore_index=2)),
    "smp_focal_loss": ("FocalLoss", dict(mode="multiclass", gamma=1.5, normalized=True)),
}, masks, "segmentation_models_pytorch")


@model("timm")
def asymmetric_loss():
    import torch
    from timm.loss import AsymmetricLossMultiLabel
    return behind(torch.nn.Linear(6, 9), AsymmetricLossMultiLabel(disable_torch_grad_focal_loss=False),
                  lambda b: (torch.randn(b, 6), ids(b, 9, 2).float()))


@model("timm")
def jsd_loss():
    """Cross entropy and the Jensen-Shannon divergence of three augmentations."""
    import torch
    from timm.loss import JsdCrossEntropy
    return behind(torch.nn.Linear(6, 9), JsdCrossEntropy(num_splits=3, smoothing=0.1),
                  lambda b: (torch.randn(3 * b, 6), ids(3 * b, 9)))


@model()
def info_nce():
    """Symmetric contrastive cross entropy, as CLIP's."""
    import torch

    def loss(y):
        a, b = (torch.nn.functional.normalize(z, dim=-1) for z in y.chunk(2, -1))
        scores = a @ b.mT / 0.07
        at, cross_entropy = torch.arange(y.shape[0]), torch.nn.functional.cross_entropy
        return (cross_entropy(scores, at) + cross_entropy(scores.mT, at)).view(1)
    return behind(torch.nn.Linear(6, 16), loss, lambda b: (torch.randn(b, 6),), batch=6, batches=(5, 7))
