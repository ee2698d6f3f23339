"""Single layers whose gradients are compared: slices of weights, look-ups, reductions along any dimension, images.

LAYERS maps a name to Layer: `f` of tensors of these shapes. ("i", 9, (2, 4)) are integers less than 9; all others are
floats, and the layer is differentiated by them. `dynamic`: the dimensions of each argument that may be `?`.
"""
import collections

import torch
import torch.nn.functional as F

Layer = collections.namedtuple("Layer", "f arguments dynamic")
LAYERS = {}


def add(name, f, *arguments, dyn=None):
    LAYERS[name] = Layer(f, arguments, dyn)


def I(high, *shape):  # noqa: E743
    return ("i", high, shape)


# slices and concatenations
add("unbind", lambda x, w: (lambda q, k, v: (x @ q).tanh() * (x @ k) + x @ v)(*w.unbind(0)), (4, 5), (3, 5, 6),
    dyn={0: [0]})
add("chunk", lambda x, w: (lambda a, b: x @ a * torch.sigmoid(x @ b))(*w.chunk(2, 1)), (4, 5), (5, 12), dyn={0: [0]})


def fused_qkv(x, w, b):
    q, k, v = F.linear(x, w, b).view(x.shape[0], 7, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
    return torch.softmax(q @ k.transpose(-1, -2), -1) @ v


add("fused_qkv", fused_qkv, (2, 7, 8), (24, 8), (24,), dyn={0: [0]})
add("sdpa", F.scaled_dot_product_attention, (2, 2, 5, 4), (2, 2, 7, 4), (2, 2, 7, 4), dyn={0: [0], 1: [0], 2: [0]})
add("sdpa_causal", lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), (2, 2, 6, 4), (2, 2, 6, 4),
    (2, 2, 6, 4))
add("mha", lambda x, w, b, o: F.multi_head_attention_forward(x, x, x, 8, 2, w, b, None, None, False, 0.0, o, None,
                                                              need_weights=False)[0], (5, 2, 8), (24, 8), (24,), (8, 8))
add("cat", lambda x, y: torch.cat([x, y], 1).tanh(), (4, 3), (4, 5), dyn={0: [0], 1: [0]})
add("cat0", lambda x, y: torch.cat([x, y, x], 0).tanh(), (4, 3), (2, 3), dyn={0: [0], 1: [0]})
add("stack", lambda x, y: torch.stack([x, y * x], 1).exp(), (4, 3), (4, 3), dyn={0: [0], 1: [0]})
add("narrow", lambda x: (x[1:5:2, 2:] * x[0:2, :-2]).sum(0), (6, 7))
add("split", lambda x: (lambda a, b, c: a * b[..., :2] + c)(*x.split([2, 3, 2], -1)), (4, 7), dyn={0: [0]})
add("slice_assign", lambda x, y: torch.slice_scatter(x.tanh(), y * y, 0, 1, 4), (6, 5), (3, 5))
add("select_scatter", lambda x, y: torch.select_scatter(x.tanh(), y * y, 0, 2), (6, 5), (5,))
# index
add("embedding", lambda w, t: F.embedding(t, w).tanh(), (9, 5), I(9, 2, 4), dyn={1: [0]})
add("embedding_linear", lambda e, t, w: F.linear(F.embedding(t, e), w).tanh(), (9, 5), I(9, 7), (6, 5), dyn={1: [0]})
add("gather", lambda x, t: x.gather(1, t).tanh(), (4, 9), I(9, 4, 3), dyn={0: [0], 1: [0]})
add("gather0", lambda x, t: x.gather(0, t).tanh(), (4, 9), I(4, 6, 9))
add("take_along", lambda x, t: torch.take_along_dim(x, t, 1).tanh(), (4, 9), I(9, 4, 3))
add("index_select", lambda x, t: x.index_select(1, t).tanh(), (4, 9), I(9, 5), dyn={0: [0]})
add("index_one", lambda x, t: x[t].tanh(), (9, 5), I(9, 4), dyn={1: [0]})
add("index_two", lambda x, t, u: x[t, u].tanh(), (9, 5), I(9, 4), I(5, 4), dyn={1: [0], 2: [0]})
add("index_middle", lambda x, t: x[:, t].tanh(), (4, 9, 3), I(9, 5))
add("index_outer", lambda x, t, u: x[t[:, None], u].tanh(), (9, 5), I(9, 4), I(5, 3))
add("index_put", lambda x, t, y: x.tanh().index_put((t,), y, accumulate=True), (9, 5), I(9, 4), (4, 5))
add("index_add", lambda x, t, y: x.tanh().index_add(0, t, y), (9, 5), I(9, 4), (4, 5))
add("scatter_add", lambda x, t, y: x.tanh().scatter_add(1, t, y), (4, 9), I(9, 4, 3), (4, 3))
add("scatter_add0", lambda x, t, y: x.tanh().scatter_add(0, t, y), (4, 9), I(4, 3, 9), (3, 9))
add("scatter", lambda x, y: x.tanh().scatter(1, torch.tensor([[1, 3], [0, 2], [4, 1]]), y * y), (3, 6), (3, 2))
for k in "amax", "amin", "prod", "mean", "sum":
    add("scatter_reduce_" + k, lambda x, t, y, k=k: x.scatter_reduce(0, t, y, k), (4, 5), I(4, 7, 5), (7, 5))
    add("scatter_reduce_only_" + k, lambda x, t, y, k=k: x.scatter_reduce(0, t, y, k, include_self=False),
        (4, 5), I(4, 7, 5), (7, 5))
add("masked_fill", lambda x, m: x.masked_fill(m > 1, -3.0).softmax(-1), (4, 6), I(3, 4, 6), dyn={0: [0], 1: [0]})
# reductions
ALONG = {
    "amax": lambda x, d: x.amax(d),
    "amin": lambda x, d: x.amin(d),
    "max": lambda x, d: x.max(d)[0],
    "min": lambda x, d: x.min(d)[0],
    "prod": lambda x, d: x.prod(d),
    "logsumexp": lambda x, d: x.logsumexp(d),
    "softmax": lambda x, d: x.softmax(d),
    "log_softmax": lambda x, d: x.log_softmax(d),
    "std": lambda x, d: x.std(d),
    "norm": lambda x, d: x.norm(dim=d),
    "cumsum": lambda x, d: x.cumsum(d).tanh(),
    "cumprod": lambda x, d: x.cumprod(d),
    "sort": lambda x, d: x.sort(d)[0].cumsum(d),
    "topk": lambda x, d: x.topk(2, d)[0].prod(d),
    "argmax": lambda x, d: x.gather(d, x.argmax(d, keepdim=True)),
    "logcumsumexp": lambda x, d: torch.logcumsumexp(x, d),
}
for d in 0, 1, 2:
    for n, f in ALONG.items():
        add(f"{n}{d}", lambda x, d=d, f=f: f(x, d), (3, 4, 5), dyn={0: [0]} if d else {0: [1]})
add("amax_two", lambda x: x.amax((0, 2)), (3, 4, 5), dyn={0: [1]})
add("logsumexp_two", lambda x: x.logsumexp((0, 2)), (3, 4, 5), dyn={0: [1]})
add("logsumexp_all", lambda x: x.logsumexp(0), (7,))
add("amax_all", lambda x: x.amax(), (3, 4))
add("max_all", lambda x: x.max(), (3, 4))
add("prod_all", lambda x: x.prod(), (3, 4))
add("softmax_vector", lambda x: x.softmax(0), (7,))
add("var_two", lambda x: x.var((0, 2), unbiased=False), (3, 4, 5), dyn={0: [0]})
add("sort_desc", lambda x, w: x.sort(1, descending=True)[0] @ w, (4, 6), (6, 3))
add("sort_indices", lambda x, y: y.gather(1, x.argsort(1)).cumsum(1) * x, (4, 6), (4, 6))
add("topk_indices", lambda x, y: (lambda v, i: v * y.gather(1, i))(*x.topk(3, 1)), (4, 6), (4, 6), dyn={0: [0], 1: [0]})
add("kthvalue", lambda x: x.kthvalue(2, 1)[0], (4, 5))
add("cummax1", lambda x, y: torch.cummax(x, 1)[0].tanh() * y.gather(1, torch.cummax(x, 1)[1]), (4, 6), (4, 6),
    dyn={0: [0], 1: [0]})
add("cummin0", lambda x: torch.cummin(x * x, 0)[0] * x, (5, 3, 2), dyn={0: [0]})
add("cumsum_exclusive", lambda x: (x.cumsum(1) - x).exp(), (4, 5), dyn={0: [0, 1]})
add("diagonal", lambda x: x.diagonal().exp(), (5, 5))
add("diagonal_offset", lambda x: x.diagonal(1, 1, 2).exp(), (2, 5, 4))
add("diag_embed", lambda x: torch.diag_embed(x) @ torch.ones(3, 2, dtype=x.dtype), (4, 3))
add("trace", lambda x: x.trace(), (4, 4))
add("tril", lambda x, y: x.tril() @ y.triu(1), (4, 5), (5, 6))
# images
INTERPOLATIONS = {
    "nearest": dict(scale_factor=2, mode="nearest"),
    "nearest_size": dict(size=(7, 5), mode="nearest"),
    "bilinear": dict(scale_factor=2, mode="bilinear"),
    "bilinear_aligned": dict(scale_factor=2, mode="bilinear", align_corners=True),
    "bilinear_size": dict(size=(7, 5), mode="bilinear"),
    "bicubic": dict(scale_factor=2, mode="bicubic"),
}
for n, kw in INTERPOLATIONS.items():
    add("interpolate_" + n, lambda x, kw=kw: F.interpolate(x, **kw).tanh(), (2, 3, 4, 6), dyn={0: [0]})
add("interpolate_linear", lambda x: F.interpolate(x, scale_factor=2, mode="linear").tanh(), (2, 3, 4))
add("grid_sample", lambda x, g: F.grid_sample(x, g, align_corners=False), (2, 3, 4, 5), (2, 3, 3, 2))
add("max_pool1d", lambda x: F.max_pool1d(x, 3, 2, 1), (2, 3, 9), dyn={0: [0]})
add("max_pool2d", lambda x: F.max_pool2d(x, 2), (2, 3, 6, 6), dyn={0: [0]})
add("max_pool2d_pad", lambda x: F.max_pool2d(x, 3, 2, 1), (2, 3, 7, 6), dyn={0: [0]})
add("max_pool2d_dilated", lambda x: F.max_pool2d(x, 2, 1, 0, 2), (2, 3, 7, 6))
add("max_pool2d_ceil", lambda x: F.max_pool2d(x, 3, 2, ceil_mode=True), (2, 3, 8, 6))
add("max_pool3d", lambda x: F.max_pool3d(x, 2), (2, 3, 4, 4, 6))
add("avg_pool1d", lambda x: F.avg_pool1d(x, 3, 2, 1).tanh(), (2, 3, 9))
add("avg_pool2d", lambda x: F.avg_pool2d(x, 2).tanh(), (2, 3, 6, 6), dyn={0: [0]})
add("avg_pool2d_pad", lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False).tanh(), (2, 3, 7, 6))
add("avg_pool3d", lambda x: F.avg_pool3d(x, 2).tanh(), (2, 3, 4, 4, 6))
add("adaptive_avg", lambda x: F.adaptive_avg_pool2d(x, 3).tanh(), (2, 3, 6, 6), dyn={0: [0]})
add("adaptive_avg_odd", lambda x: F.adaptive_avg_pool2d(x, (3, 4)).tanh(), (2, 3, 7, 6))
add("adaptive_avg_one", lambda x: F.adaptive_avg_pool2d(x, 1).tanh(), (2, 3, 7, 6), dyn={0: [0]})
add("adaptive_max", lambda x: F.adaptive_max_pool2d(x, 3), (2, 3, 6, 6))
add("conv1d", lambda x, w, b: F.conv1d(x, w, b, padding=1).tanh(), (2, 3, 8), (4, 3, 3), (4,), dyn={0: [0]})
add("conv2d", lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=1).tanh(), (2, 3, 7, 8), (4, 3, 3, 3), (4,),
    dyn={0: [0]})
add("conv2d_same", lambda x, w: F.conv2d(x, w, padding=1).tanh(), (2, 3, 6, 8), (4, 3, 3, 3), dyn={0: [2, 3]})
add("conv2d_dilated", lambda x, w: F.conv2d(x, w, dilation=2).tanh(), (2, 3, 7, 8), (4, 3, 3, 3))
add("conv2d_groups", lambda x, w: F.conv2d(x, w, groups=2).tanh(), (2, 4, 7, 8), (6, 2, 3, 3), dyn={0: [0]})
add("conv2d_depthwise", lambda x, w: F.conv2d(x, w, groups=4, padding=1).tanh(), (2, 4, 7, 8), (4, 1, 3, 3),
    dyn={0: [0]})
add("conv2d_depthwise_stride", lambda x, w: F.conv2d(x, w, groups=4, padding=1, stride=2).tanh(), (2, 4, 7, 8),
    (8, 1, 3, 3))
add("conv2d_one", lambda x, w: F.conv2d(x, w), (2, 3, 7, 8), (1, 3, 3, 3), dyn={0: [0]})
add("conv3d", lambda x, w: F.conv3d(x, w, stride=2).tanh(), (2, 3, 5, 6, 4), (4, 3, 3, 2, 2))
add("conv_transpose1d", lambda x, w: F.conv_transpose1d(x, w, stride=2).tanh(), (2, 3, 5), (3, 4, 3))
add("conv_transpose2d", lambda x, w, b: F.conv_transpose2d(x, w, b, stride=2, padding=1, output_padding=1).tanh(),
    (2, 3, 4, 5), (3, 4, 3, 3), (4,), dyn={0: [0]})
add("conv_transpose2d_plain", lambda x, w: F.conv_transpose2d(x, w).tanh(), (2, 3, 4, 5), (3, 4, 2, 3))
add("conv_transpose2d_groups", lambda x, w: F.conv_transpose2d(x, w, stride=2, groups=2).tanh(), (2, 4, 4, 5),
    (4, 3, 3, 3))
add("conv_transpose2d_dilated", lambda x, w: F.conv_transpose2d(x, w, dilation=2).tanh(), (2, 3, 4, 5), (3, 4, 2, 3))
add("pad_reflect", lambda x: F.pad(x, (1, 2), mode="reflect").tanh(), (2, 3, 5))
add("pad_replicate", lambda x: F.pad(x, (1, 2), mode="replicate").tanh(), (2, 3, 5))
add("pad_circular", lambda x: F.pad(x, (1, 2), mode="circular").tanh(), (2, 3, 5))
add("pad", lambda x: F.pad(x, (1, 2, 0, 1), value=0.5).tanh(), (2, 3, 5), dyn={0: [0]})
add("pixel_shuffle", lambda x: F.pixel_shuffle(x, 2).tanh(), (2, 8, 3, 4))
add("pixel_unshuffle", lambda x: F.pixel_unshuffle(x, 2).tanh(), (2, 2, 6, 4))
add("unfold", lambda x, w: w @ F.unfold(x, 3, padding=1), (2, 3, 5, 6), (4, 27))
add("fold", lambda x: F.fold(x, (5, 6), (2, 2)).tanh(), (2, 12, 20))
add("roll", lambda x: (x.roll(2, 1) * x).tanh(), (4, 5), dyn={0: [0]})
add("roll_two", lambda x: x.roll((1, -1), (1, 2)).exp(), (2, 4, 5))
add("flip", lambda x: x.flip(1) * x, (4, 5))
add("repeat", lambda x: x.repeat(2, 3).cumsum(1), (4, 5))
add("repeat_interleave", lambda x: x.repeat_interleave(2, 1).exp(), (4, 5))
add("expand", lambda x, y: (x[:, None].expand(4, 3, 5) * y).exp(), (4, 5), (4, 3, 5))
add("as_strided_unfold", lambda x: x.unfold(1, 3, 2).exp(), (4, 9))
# products
add("matmul_sum", lambda a, b: (a @ b).sum(), (4, 5), (5, 6), dyn={0: [0]})
add("matmul_rows", lambda a, b: (a @ b).sum(0), (4, 5), (5, 6))
add("matmul_mean", lambda a, b, c: (a @ b + c).mean(1), (4, 5), (5, 6), (6,))
add("matvec", lambda a, b: (a @ b).tanh(), (4, 5), (5,), dyn={0: [0]})
add("dot", lambda a, b: a @ b, (5,), (5,))
add("outer", lambda a, b: torch.outer(a, b).tanh(), (5,), (4,))
add("bmm", lambda a, b: torch.bmm(a, b).tanh(), (2, 4, 5), (2, 5, 3), dyn={0: [0], 1: [0]})
add("bmm_broadcast", lambda a, b: (a @ b).tanh(), (2, 4, 5), (5, 3), dyn={0: [0]})
add("einsum_sum", lambda a, b: torch.einsum("bij,bjk->ik", a, b).tanh(), (2, 4, 5), (2, 5, 3))
add("einsum_outer", lambda a, b: torch.einsum("bi,bj->bij", a, b).tanh(), (2, 4), (2, 5))
add("einsum_diagonal", lambda a, b: torch.einsum("ii,ij->j", a, b).tanh(), (4, 4), (4, 5))
add("bilinear", lambda x, y, w: F.bilinear(x, y, w).tanh(), (3, 4), (3, 5), (2, 4, 5))
add("chain", lambda x, a, b: (x @ a).relu() @ b, (4, 5), (5, 6), (6, 3), dyn={0: [0]})
# norms, losses
add("layer_norm", lambda x, w, b: F.layer_norm(x, (5,), w, b), (4, 3, 5), (5,), (5,), dyn={0: [0]})
add("group_norm", lambda x, w, b: F.group_norm(x, 2, w, b), (2, 4, 3, 3), (4,), (4,), dyn={0: [0]})
add("instance_norm", lambda x: F.instance_norm(x), (2, 4, 3, 3))
add("batch_norm_train", lambda x, w, b: F.batch_norm(x, None, None, w, b, True), (3, 4, 3, 3), (4,), (4,), dyn={0: [0]})
add("rms_norm", lambda x, w: F.rms_norm(x, (5,), w), (4, 3, 5), (5,))
add("normalize", lambda x, w: F.normalize(x, dim=1) @ F.normalize(w, dim=0), (4, 5), (5, 6))
add("weight_norm", lambda x, v, g: F.linear(x, v * (g / v.norm(dim=1, keepdim=True))), (4, 5), (6, 5), (6, 1))
add("cosine", lambda x, y: F.cosine_similarity(x, y, 1), (4, 5), (4, 5))
add("cross_entropy", lambda x, t: F.cross_entropy(x, t), (4, 9), I(9, 4), dyn={0: [0], 1: [0]})
add("cross_entropy_ignore", lambda x, t: F.cross_entropy(x, t, ignore_index=2, label_smoothing=0.1), (6, 5), I(5, 6))
add("cross_entropy_2d", lambda x, t: F.cross_entropy(x, t), (2, 5, 3, 4), I(5, 2, 3, 4), dyn={0: [0], 1: [0]})
add("nll", lambda x, t: F.nll_loss(x.log_softmax(1), t, reduction="none"), (4, 9), I(9, 4))
add("bce", lambda x, y: F.binary_cross_entropy_with_logits(x, y.sigmoid()), (4, 5), (4, 5))
add("kl", lambda x, y: F.kl_div(x.log_softmax(1), y.softmax(1), reduction="batchmean"), (4, 5), (4, 5))
add("glu", lambda x: F.glu(x, 1), (4, 6))
add("prelu", lambda x, w: F.prelu(x, w), (2, 3, 4), (3,))
add("gru_cell", lambda x, h, w, u, b, c: torch.gru_cell(x, h, w, u, b, c), (4, 5), (4, 3), (9, 5), (9, 3), (9,), (9,),
    dyn={0: [0], 1: [0]})
add("lstm_cell", lambda x, h, c, w, u, b, d: torch.cat(torch.lstm_cell(x, (h, c), w, u, b, d), 1), (4, 5), (4, 3),
    (4, 3), (12, 5), (12, 3), (12,), (12,), dyn={0: [0], 1: [0], 2: [0]})

# sizes that are no other tensor's: the shorter of two, a part of what is put together
add("diagonal_shorter", lambda x: x.permute(0, 2, 1).diagonal(0, 1, 0).exp(), (4, 5, 3), dyn={0: [0, 1]})
add("roll_stack", lambda x, y: torch.stack([x.roll(2, 0) * x, y, x.roll(2, 0) * x], 2), (6, 3, 3, 3), (6, 3, 3, 3),
    dyn={0: [2], 1: [1]})
add("conv2d_channels", lambda x, w: F.conv2d(x, w).tanh(), (5, 2, 4, 6), (1, 2, 1, 3), dyn={1: [1]})
add("reshape_repeated", lambda x, w: F.linear(x, w).log_softmax(-1), (2, 6, 6, 2, 4), (3, 4), dyn={0: [1, 2]})

# Those that are differentiated twice: what is gathered, scattered, scanned, sorted, resampled, and some of all others.
TWICE = """unbind fused_qkv cat slice_assign embedding embedding_linear gather gather0 take_along index_select index_one
index_two index_middle index_outer index_put index_add scatter_add scatter scatter_reduce_amax
scatter_reduce_prod scatter_reduce_only_mean masked_fill max1 prod1 logsumexp1 softmax1 std1 norm1 cumsum1
cumsum2 cumprod0 cumprod1 cumprod2 sort1 topk1 argmax1 logcumsumexp0 logcumsumexp1 logcumsumexp2 kthvalue
sort_indices topk_indices cumsum_exclusive cummax1 cummin0 diagonal diagonal_offset interpolate_nearest
interpolate_nearest_size interpolate_bilinear interpolate_bilinear_aligned interpolate_bicubic
interpolate_linear grid_sample max_pool2d max_pool2d_pad avg_pool2d_pad adaptive_avg_odd conv2d_groups
conv_transpose1d conv_transpose2d_groups pad_reflect pad_replicate unfold einsum_diagonal group_norm layer_norm
batch_norm_train cross_entropy gru_cell""".split()
