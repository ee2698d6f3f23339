"""Gradients of everyday layers, as exporters write them, against PyTorch in float64.

    gradients.py SINTER-RUN FOLDER [--policy=disabled] [NAME ...]

Each program is a function of tensors to a number; `wrt` names those that it is differentiated by, and an upstream
gradient multiplies all. Indices repeat; some are outside of what is read, where the program says what is read then.
"""

import argparse
import os
import re
import subprocess
import sys

import numpy as np
import torch
import torch.nn.functional as F

PROGRAMS = {}

PROGRAMS["asum"] = ("0,1", '''func.func @main(%a: tensor<4x5xf64>, %b: tensor<5x6xf64>) -> tensor<f64> {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<4x6xf64>
  %i = linalg.fill ins(%z : f64) outs(%e : tensor<4x6xf64>) -> tensor<4x6xf64>
  %m = linalg.matmul ins(%a, %b : tensor<4x5xf64>, tensor<5x6xf64>) outs(%i : tensor<4x6xf64>) -> tensor<4x6xf64>
  %s = tensor.empty() : tensor<f64>
  %t = linalg.fill ins(%z : f64) outs(%s : tensor<f64>) -> tensor<f64>
  %r = linalg.reduce { arith.addf } ins(%m : tensor<4x6xf64>) outs(%t : tensor<f64>) dimensions = [0, 1]
  return %r : tensor<f64>
}''')
PART = '''  %e{n} = tensor.empty() : tensor<4x6xf64>
  %i{n} = linalg.fill ins(%z : f64) outs(%e{n} : tensor<4x6xf64>) -> tensor<4x6xf64>
  %w{n} = tensor.extract_slice %w[{o}, 0] [6, 5] [1, 1] : tensor<18x5xf64> to tensor<6x5xf64>
  %t{n} = tensor.empty() : tensor<5x6xf64>
  %u{n} = linalg.transpose ins(%w{n} : tensor<6x5xf64>) outs(%t{n} : tensor<5x6xf64>) permutation = [1, 0]
  %m{n} = linalg.matmul ins(%x, %u{n} : tensor<4x5xf64>, tensor<5x6xf64>)
      outs(%i{n} : tensor<4x6xf64>) -> tensor<4x6xf64>
'''
PROGRAMS["weight_slices"] = ("0,1", '''func.func @main(%x: tensor<4x5xf64>, %w: tensor<18x5xf64>) -> tensor<f64> {
  %z = arith.constant 0.0 : f64
'''+''.join(PART.format(n=n,o=6*n) for n in range(3))+'''  %p = arith.mulf %m0, %m1 : tensor<4x6xf64>
  %q = arith.addf %p, %m2 : tensor<4x6xf64>
  %q2 = arith.mulf %q, %q : tensor<4x6xf64>
  %s = tensor.empty() : tensor<f64>
  %t = linalg.fill ins(%z : f64) outs(%s : tensor<f64>) -> tensor<f64>
  %r = linalg.reduce { arith.addf } ins(%q2 : tensor<4x6xf64>) outs(%t : tensor<f64>) dimensions = [0, 1]
  return %r : tensor<f64>
}''')
PROGRAMS["qkv"] = ("0,1", '''func.func @main(%x: tensor<4x5xf64>, %w: tensor<5x18xf64>) -> tensor<f64> {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<4x18xf64>
  %i = linalg.fill ins(%z : f64) outs(%e : tensor<4x18xf64>) -> tensor<4x18xf64>
  %m = linalg.matmul ins(%x, %w : tensor<4x5xf64>, tensor<5x18xf64>) outs(%i : tensor<4x18xf64>) -> tensor<4x18xf64>
  %m0 = tensor.extract_slice %m[0, 0] [4, 6] [1, 1] : tensor<4x18xf64> to tensor<4x6xf64>
  %m1 = tensor.extract_slice %m[0, 6] [4, 6] [1, 1] : tensor<4x18xf64> to tensor<4x6xf64>
  %m2 = tensor.extract_slice %m[0, 12] [4, 6] [1, 1] : tensor<4x18xf64> to tensor<4x6xf64>
  %p = arith.mulf %m0, %m1 : tensor<4x6xf64>
  %q = arith.addf %p, %m2 : tensor<4x6xf64>
  %q2 = arith.mulf %q, %q : tensor<4x6xf64>
  %s = tensor.empty() : tensor<f64>
  %t = linalg.fill ins(%z : f64) outs(%s : tensor<f64>) -> tensor<f64>
  %r = linalg.reduce { arith.addf } ins(%q2 : tensor<4x6xf64>) outs(%t : tensor<f64>) dimensions = [0, 1]
  return %r : tensor<f64>
}''')
PROGRAMS["embedding"] = ("0", '''func.func @main(%w: tensor<9x5xf64>, %t: tensor<7xi64>,
    %y: tensor<7x5xf64>) -> tensor<f64> {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<7x5xf64>
  %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%t : tensor<7xi64>) outs(%e : tensor<7x5xf64>) {
  ^bb0(%n: i64, %o: f64):
    %k = arith.index_cast %n : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %w[%k, %j] : tensor<9x5xf64>
    linalg.yield %v : f64
  } -> tensor<7x5xf64>
  %p = arith.mulf %g, %y : tensor<7x5xf64>
  %q = arith.mulf %p, %p : tensor<7x5xf64>
  %s = tensor.empty() : tensor<f64>
  %tt = linalg.fill ins(%z : f64) outs(%s : tensor<f64>) -> tensor<f64>
  %r = linalg.reduce { arith.addf } ins(%q : tensor<7x5xf64>) outs(%tt : tensor<f64>) dimensions = [0, 1]
  return %r : tensor<f64>
}''')
REDUCE = '''func.func @main(%x: tensor<4x5xf64>, %y: tensor<{k}xf64>) -> tensor<f64> {{
  %z = arith.constant 0.0 : f64
  %c = arith.constant {init} : f64
  %e = tensor.empty() : tensor<{k}xf64>
  %i = linalg.fill ins(%c : f64) outs(%e : tensor<{k}xf64>) -> tensor<{k}xf64>
  %m = linalg.reduce {{ arith.{op} }} ins(%x : tensor<4x5xf64>) outs(%i : tensor<{k}xf64>) dimensions = [{d}]
  %p = arith.mulf %m, %y : tensor<{k}xf64>
  %s = tensor.empty() : tensor<f64>
  %t = linalg.fill ins(%z : f64) outs(%s : tensor<f64>) -> tensor<f64>
  %r = linalg.reduce {{ arith.addf }} ins(%p : tensor<{k}xf64>) outs(%t : tensor<f64>) dimensions = [0]
  return %r : tensor<f64>
}}'''
for d,k in ((0,5),(1,4)):
    for op,init in (('maximumf','0xFFF0000000000000'),('minimumf','0x7FF0000000000000'),('mulf','1.0')):
        PROGRAMS[f'{op}{d}']=('0',REDUCE.format(k=k,d=d,op=op,init=init))
SOFTMAX = '''func.func @main(%x: tensor<4x5xf64>, %y: tensor<4x5xf64>) -> tensor<f64> {{
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<4x5xf64>
  %m = linalg.softmax dimension({d}) ins(%x : tensor<4x5xf64>) outs(%e : tensor<4x5xf64>) -> tensor<4x5xf64>
  %p = arith.mulf %m, %y : tensor<4x5xf64>
  %s = tensor.empty() : tensor<f64>
  %t = linalg.fill ins(%z : f64) outs(%s : tensor<f64>) -> tensor<f64>
  %r = linalg.reduce {{ arith.addf }} ins(%p : tensor<4x5xf64>) outs(%t : tensor<f64>) dimensions = [0, 1]
  return %r : tensor<f64>
}}'''
for d in (0,1): PROGRAMS[f'softmax{d}']=('0',SOFTMAX.format(d=d))
PROGRAMS["logsumexp_all"] = ("0", '''func.func @main(%x: tensor<7xf64>) -> tensor<f64> {
  %z = arith.constant 0.0 : f64
  %c = arith.constant 0xFFF0000000000000 : f64
  %s = tensor.empty() : tensor<f64>
  %i = linalg.fill ins(%c : f64) outs(%s : tensor<f64>) -> tensor<f64>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<7xf64>) outs(%i : tensor<f64>) dimensions = [0]
  %e = tensor.empty() : tensor<7xf64>
  %b = linalg.broadcast ins(%m : tensor<f64>) outs(%e : tensor<7xf64>) dimensions = [0]
  %d = arith.subf %x, %b : tensor<7xf64>
  %f = math.exp %d : tensor<7xf64>
  %t = linalg.fill ins(%z : f64) outs(%s : tensor<f64>) -> tensor<f64>
  %r = linalg.reduce { arith.addf } ins(%f : tensor<7xf64>) outs(%t : tensor<f64>) dimensions = [0]
  %l = math.log %r : tensor<f64>
  %o = arith.addf %l, %m : tensor<f64>
  return %o : tensor<f64>
}''')
TAIL = '''  %p = arith.mulf %g, %y : {t}
  %q = arith.mulf %p, %p : {t}
  %s = tensor.empty() : tensor<f64>
  %tt = linalg.fill ins(%z : f64) outs(%s : tensor<f64>) -> tensor<f64>
  %r = linalg.reduce {{ arith.addf }} ins(%q : {t}) outs(%tt : tensor<f64>) dimensions = [{dims}]
  return %r : tensor<f64>
}}'''
PROGRAMS["cumsum"] = ("0", '''func.func @main(%x: tensor<4x5xf64>, %y: tensor<4x5xf64>) -> tensor<f64> {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<4x5xf64>
  %ee = tensor.empty() : tensor<4xf64>
  %f = linalg.fill ins(%z : f64) outs(%ee : tensor<4xf64>) -> tensor<4xf64>
  %g, %h = tm_tensor.scan dimension(1) inclusive(true)
      ins(%x : tensor<4x5xf64>) outs(%e, %f : tensor<4x5xf64>, tensor<4xf64>) {
  ^bb0(%a: f64, %b: f64):
    %c = arith.addf %a, %b : f64
    tm_tensor.yield %c : f64
  } -> tensor<4x5xf64>, tensor<4xf64>
'''+ TAIL.format(t='tensor<4x5xf64>',dims='0, 1'))
def dynamic(text):
    """The program with a size `?` along what is scanned."""
    text = text.replace("tensor<4x5xf64>", "tensor<4x?xf64>")
    return text.replace("%e = tensor.empty() : tensor<4x?xf64>",
                        "%one = arith.constant 1 : index\n  %n = tensor.dim %x, %one : tensor<4x?xf64>\n"
                        "  %e = tensor.empty(%n) : tensor<4x?xf64>")  # fmt: skip


PROGRAMS["cumsum_dynamic"] = ("0", dynamic(PROGRAMS["cumsum"][1]))
PROGRAMS["cumsum_reverse"] = ("0", PROGRAMS["cumsum"][1].replace("inclusive(true)", "inclusive(true) {sinter.reverse}"))
PROGRAMS["cumsum_before"] = ("0", dynamic(PROGRAMS["cumsum_reverse"][1]).replace("inclusive(true)", "inclusive(false)"))
PROGRAMS["sort"] = ("0", '''func.func @main(%x: tensor<4x5xf64>, %y: tensor<4x5xf64>,
    %n: tensor<4x5xi64>) -> tensor<f64> {
  %z = arith.constant 0.0 : f64
  %g, %h = tm_tensor.sort dimension(1) outs(%x, %n : tensor<4x5xf64>, tensor<4x5xi64>) {
  ^bb0(%a: f64, %b: f64, %c: i64, %d: i64):
    %l = arith.cmpf oge, %a, %b : f64
    tm_tensor.yield %l : i1
  } -> tensor<4x5xf64>, tensor<4x5xi64>
'''+ TAIL.format(t='tensor<4x5xf64>',dims='0, 1'))
PROGRAMS["scatter"] = ("0,1", '''func.func @main(%x: tensor<9x5xf64>, %u: tensor<7x5xf64>, %y: tensor<9x5xf64>, %n:
      tensor<7x1xi64>) -> tensor<f64> {
  %z = arith.constant 0.0 : f64
  %g = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false)
      ins(%u, %n : tensor<7x5xf64>, tensor<7x1xi64>) outs(%x : tensor<9x5xf64>) {
  ^bb0(%a: f64, %b: f64):
    %l = arith.addf %a, %b : f64
    tm_tensor.yield %l : f64
  } -> tensor<9x5xf64>
'''+ TAIL.format(t='tensor<9x5xf64>',dims='0, 1'))
PROGRAMS["diagonal"] = ("0", '''func.func @main(%x: tensor<5x5xf64>, %y: tensor<5xf64>) -> tensor<f64> {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<5xf64>
  %g = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} outs(%e : tensor<5xf64>) {
  ^bb0(%o: f64):
    %j = linalg.index 0 : index
    %v = tensor.extract %x[%j, %j] : tensor<5x5xf64>
    linalg.yield %v : f64
  } -> tensor<5xf64>
'''+ TAIL.format(t='tensor<5xf64>',dims='0'))
PROGRAMS["diagonal_map"] = ("0", '''func.func @main(%x: tensor<5x5xf64>, %y: tensor<5xf64>) -> tensor<f64> {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<5xf64>
  %g = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%x : tensor<5x5xf64>) outs(%e : tensor<5xf64>) {
  ^bb0(%v: f64, %o: f64):
    linalg.yield %v : f64
  } -> tensor<5xf64>
'''+ TAIL.format(t='tensor<5xf64>',dims='0'))
PROGRAMS["concat"] = ("0,1", '''func.func @main(%x: tensor<3x5xf64>, %x2: tensor<4x5xf64>,
    %y: tensor<7x5xf64>) -> tensor<f64> {
  %z = arith.constant 0.0 : f64
  %g = tensor.concat dim(0) %x, %x2 : (tensor<3x5xf64>, tensor<4x5xf64>) -> tensor<7x5xf64>
'''+ TAIL.format(t='tensor<7x5xf64>',dims='0, 1'))
PROGRAMS["insert_slice"] = ("0,1", '''func.func @main(%x: tensor<3x5xf64>, %x2: tensor<7x5xf64>,
    %y: tensor<7x5xf64>) -> tensor<f64> {
  %z = arith.constant 0.0 : f64
  %g = tensor.insert_slice %x into %x2[2, 0] [3, 5] [1, 1] : tensor<3x5xf64> into tensor<7x5xf64>
'''+ TAIL.format(t='tensor<7x5xf64>',dims='0, 1'))
PROGRAMS["maxpool"] = ("0", '''func.func @main(%x: tensor<2x3x6x6xf64>, %y: tensor<2x3x3x3xf64>) -> tensor<f64> {
  %z = arith.constant 0.0 : f64
  %c = arith.constant 0xFFF0000000000000 : f64
  %e = tensor.empty() : tensor<2x3x3x3xf64>
  %w = tensor.empty() : tensor<2x2xf64>
  %i = linalg.fill ins(%c : f64) outs(%e : tensor<2x3x3x3xf64>) -> tensor<2x3x3x3xf64>
  %g = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<2x3x6x6xf64>, tensor<2x2xf64>) outs(%i : tensor<2x3x3x3xf64>) -> tensor<2x3x3x3xf64>
'''+ TAIL.format(t='tensor<2x3x3x3xf64>',dims='0, 1, 2, 3'))
PROGRAMS["maxpool_overlap"] = ("0", PROGRAMS["maxpool"][1].replace("{strides = dense<2>", "{strides = dense<1>")
                               .replace("3x3x3x", "3x5x5x"))  # fmt: skip
PROGRAMS["avgpool"] = ("0", PROGRAMS["maxpool"][1].replace("nchw_max", "nchw_sum")
                       .replace("0xFFF0000000000000", "0.0"))  # fmt: skip
PROGRAMS["groupconv"] = ("0,1", '''func.func @main(%x: tensor<2x2x3x6x6xf64>, %w: tensor<2x4x3x3x3xf64>,
    %y: tensor<2x2x4x4x4xf64>) -> tensor<f64> {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<2x2x4x4x4xf64>
  %i = linalg.fill ins(%z : f64) outs(%e : tensor<2x2x4x4x4xf64>) -> tensor<2x2x4x4x4xf64>
  %g = linalg.conv_2d_ngchw_gfchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<2x2x3x6x6xf64>, tensor<2x4x3x3x3xf64>) outs(%i : tensor<2x2x4x4x4xf64>)
      -> tensor<2x2x4x4x4xf64>
'''+ TAIL.format(t='tensor<2x2x4x4x4xf64>',dims='0, 1, 2, 3, 4'))
PROGRAMS["depthwise"] = ("0,1", '''func.func @main(%x: tensor<2x3x6x6xf64>, %w: tensor<3x3x3xf64>,
    %y: tensor<2x3x4x4xf64>) -> tensor<f64> {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<2x3x4x4xf64>
  %i = linalg.fill ins(%z : f64) outs(%e : tensor<2x3x4x4xf64>) -> tensor<2x3x4x4xf64>
  %g = linalg.depthwise_conv_2d_nchw_chw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<2x3x6x6xf64>, tensor<3x3x3xf64>) outs(%i : tensor<2x3x4x4xf64>) -> tensor<2x3x4x4xf64>
'''+ TAIL.format(t='tensor<2x3x4x4xf64>',dims='0, 1, 2, 3'))
# transposed conv as torch-mlir: zeros between, flipped weights
PROGRAMS["convT"] = ("0,1", '''func.func @main(%x: tensor<2x3x4x4xf64>, %w: tensor<3x4x3x3xf64>,
    %y: tensor<2x4x9x9xf64>) -> tensor<f64> {
  %z = arith.constant 0.0 : f64
  %e0 = tensor.empty() : tensor<4x3x3x3xf64>
  %c2 = arith.constant 2 : index
  %wf = linalg.generic {indexing_maps = [affine_map<(c, f, a, b) -> (c, f, a, b)>],
      iterator_types = ["parallel","parallel","parallel","parallel"]} outs(%e0 : tensor<4x3x3x3xf64>) {
  ^bb0(%o: f64):
    %f = linalg.index 0 : index
    %c = linalg.index 1 : index
    %a = linalg.index 2 : index
    %b = linalg.index 3 : index
    %ra = arith.subi %c2, %a : index
    %rb = arith.subi %c2, %b : index
    %v = tensor.extract %w[%c, %f, %ra, %rb] : tensor<3x4x3x3xf64>
    linalg.yield %v : f64
  } -> tensor<4x3x3x3xf64>
  %e1 = tensor.empty() : tensor<2x3x11x11xf64>
  %zz = linalg.fill ins(%z : f64) outs(%e1 : tensor<2x3x11x11xf64>) -> tensor<2x3x11x11xf64>
  %xs = tensor.insert_slice %x into %zz[0, 0, 2, 2] [2, 3, 4, 4] [1, 1, 2, 2] : tensor<2x3x4x4xf64> into
      tensor<2x3x11x11xf64>
  %e = tensor.empty() : tensor<2x4x9x9xf64>
  %i = linalg.fill ins(%z : f64) outs(%e : tensor<2x4x9x9xf64>) -> tensor<2x4x9x9xf64>
  %g = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%xs,
      %wf : tensor<2x3x11x11xf64>, tensor<4x3x3x3xf64>) outs(%i : tensor<2x4x9x9xf64>) -> tensor<2x4x9x9xf64>
'''+ TAIL.format(t='tensor<2x4x9x9xf64>',dims='0, 1, 2, 3'))
PROGRAMS["nearest"] = ("0", '''func.func @main(%x: tensor<2x3x4x4xf64>, %y: tensor<2x3x8x8xf64>) -> tensor<f64> {
  %z = arith.constant 0.0 : f64
  %h = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<2x3x8x8xf64>
  %g = linalg.generic {indexing_maps = [affine_map<(c, f, a, b) -> (c, f, a, b)>],
      iterator_types = ["parallel","parallel","parallel","parallel"]} outs(%e : tensor<2x3x8x8xf64>) {
  ^bb0(%o: f64):
    %n = linalg.index 0 : index
    %c = linalg.index 1 : index
    %a = linalg.index 2 : index
    %b = linalg.index 3 : index
    %ia = arith.index_cast %a : index to i64
    %fa = arith.sitofp %ia : i64 to f32
    %ma = arith.mulf %fa, %h : f32
    %la = math.floor %ma : f32
    %ja = arith.fptosi %la : f32 to i64
    %ka = arith.index_cast %ja : i64 to index
    %ib = arith.index_cast %b : index to i64
    %fb = arith.sitofp %ib : i64 to f32
    %mb = arith.mulf %fb, %h : f32
    %lb = math.floor %mb : f32
    %jb = arith.fptosi %lb : f32 to i64
    %kb = arith.index_cast %jb : i64 to index
    %v = tensor.extract %x[%n, %c, %ka, %kb] : tensor<2x3x4x4xf64>
    linalg.yield %v : f64
  } -> tensor<2x3x8x8xf64>
'''+ TAIL.format(t='tensor<2x3x8x8xf64>',dims='0, 1, 2, 3'))
PROGRAMS["gather_dim"] = ("0", '''func.func @main(%x: tensor<4x9xf64>, %t: tensor<4x3xi64>,
    %y: tensor<4x3xf64>) -> tensor<f64> {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<4x3xf64>
  %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%t : tensor<4x3xi64>) outs(%e : tensor<4x3xf64>) {
  ^bb0(%n: i64, %o: f64):
    %k = arith.index_cast %n : i64 to index
    %i = linalg.index 0 : index
    %v = tensor.extract %x[%i, %k] : tensor<4x9xf64>
    linalg.yield %v : f64
  } -> tensor<4x3xf64>
'''+ TAIL.format(t='tensor<4x3xf64>',dims='0, 1'))
PROGRAMS["index_list"] = ("0", '''func.func @main(%x: tensor<4x9xf64>, %t: tensor<6xi64>, %u: tensor<6xi64>,
    %y: tensor<6xf64>) -> tensor<f64> {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<6xf64>
  %g = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%t, %u : tensor<6xi64>, tensor<6xi64>) outs(%e : tensor<6xf64>) {
  ^bb0(%n: i64, %m: i64, %o: f64):
    %k = arith.index_cast %n : i64 to index
    %i = arith.index_cast %m : i64 to index
    %v = tensor.extract %x[%k, %i] : tensor<4x9xf64>
    linalg.yield %v : f64
  } -> tensor<6xf64>
'''+ TAIL.format(t='tensor<6xf64>',dims='0'))
PROGRAMS["tensor_gather"] = ("0", '''func.func @main(%x: tensor<9x5xf64>, %t: tensor<7x1xi64>,
    %y: tensor<7x1x5xf64>) -> tensor<f64> {
  %z = arith.constant 0.0 : f64
  %g = tensor.gather %x[%t] gather_dims([0]) : (tensor<9x5xf64>, tensor<7x1xi64>) -> tensor<7x1x5xf64>
'''+ TAIL.format(t='tensor<7x1x5xf64>',dims='0, 1, 2'))
# What begins an exclusive scan, all its values, and the last of them.
PROGRAMS["products_before"] = ("0,1", '''func.func @main(%x: tensor<4x5x2xf64>, %b: tensor<4x2xf64>,
    %y: tensor<4x5x2xf64>) -> tensor<f64> {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<4x5x2xf64>
  %c, %h = tm_tensor.scan dimension(1) inclusive(false)
      ins(%x : tensor<4x5x2xf64>) outs(%e, %b : tensor<4x5x2xf64>, tensor<4x2xf64>) {
  ^bb0(%a: f64, %d: f64):
    %c = arith.mulf %a, %d : f64
    tm_tensor.yield %c : f64
  } -> tensor<4x5x2xf64>, tensor<4x2xf64>
  %l = linalg.broadcast ins(%h : tensor<4x2xf64>) outs(%e : tensor<4x5x2xf64>) dimensions = [1]
  %g = arith.addf %c, %l : tensor<4x5x2xf64>
'''+ TAIL.format(t='tensor<4x5x2xf64>',dims='0, 1, 2'))
for name, dim, by in ("first_two", 1, "oge"), ("first_two_rows", 0, "ole"):
    v = "tensor<4x2xf64>" if dim else "tensor<2x5xf64>"
    PROGRAMS[name] = ("0", f'''func.func @main(%x: tensor<4x5xf64>, %y: {v}) -> tensor<f64> {{
  %z = arith.constant 0.0 : f64
  %k = arith.constant {"0xFFF0000000000000" if dim else "0x7FF0000000000000"} : f64
  %m = arith.constant 0 : i64
  %e = tensor.empty() : {v}
  %o = tensor.empty() : {v.replace("f64", "i64")}
  %i = linalg.fill ins(%k : f64) outs(%e : {v}) -> {v}
  %j = linalg.fill ins(%m : i64) outs(%o : {v.replace("f64", "i64")}) -> {v.replace("f64", "i64")}
  %g, %h = tm_tensor.topk dimension({dim}) ins(%x : tensor<4x5xf64>)
      outs(%i, %j : {v}, {v.replace("f64", "i64")}) {{
  ^bb0(%a: f64, %b: f64):
    %l = arith.cmpf {by}, %a, %b : f64
    tm_tensor.yield %l : i1
  }} -> {v}, {v.replace("f64", "i64")}
'''+ TAIL.format(t=v,dims='0, 1'))
# Windows of 2x5 from an index on, which may overlap.
for name, body in {"windows_sum": "%a, %b", "windows_put": None}.items():
    last = "%a" if body is None else "%l"
    PROGRAMS[name] = ("0,1", f'''func.func @main(%x: tensor<9x5xf64>, %u: tensor<3x2x5xf64>, %y: tensor<9x5xf64>,
    %n: tensor<3x1xi64>) -> tensor<f64> {{
  %z = arith.constant 0.0 : f64
  %g = tm_tensor.scatter {{dimension_map = array<i64: 0>}} unique_indices(false)
      ins(%u, %n : tensor<3x2x5xf64>, tensor<3x1xi64>) outs(%x : tensor<9x5xf64>) {{
  ^bb0(%a: f64, %b: f64):
    %l = arith.addf %a, %b : f64
    tm_tensor.yield {last} : f64
  }} -> tensor<9x5xf64>
'''+ TAIL.format(t='tensor<9x5xf64>',dims='0, 1'))


def square(y, g):
    return ((g * y) ** 2).sum()


def scattered(x, u, y, n):
    return square(x.index_add(0, n[:, 0], u), y)


def products_before(x, b, y):
    parts = [b]
    for k in range(4):
        parts.append(parts[-1] * x[:, k])
    return square(torch.stack([p + parts[-1] for p in parts], 1), y)


def windows(x, u, y, n, put):
    for w, at in zip(u, n[:, 0].tolist()):
        middle = w if put else x[at : at + 2] + w
        x = torch.cat([x[:at], middle, x[at + 2 :]])
    return square(x, y)


WANTED = {
    "products_before": products_before,
    "first_two": lambda x, y: square(x.topk(2, 1)[0], y),
    "first_two_rows": lambda x, y: square(x.topk(2, 0, largest=False)[0], y),
    "windows_sum": lambda x, u, y, n: windows(x, u, y, n, False),
    "windows_put": lambda x, u, y, n: windows(x, u, y, n, True),
    "asum": lambda a, b: (a @ b).sum(),
    "weight_slices": lambda x, w: (lambda q, k, v: ((q * k + v) ** 2).sum())(*(x @ p.T for p in w.chunk(3))),
    "qkv": lambda x, w: (lambda q, k, v: ((q * k + v) ** 2).sum())(*(x @ w).chunk(3, -1)),
    "embedding": lambda w, t, y: square(F.embedding(t, w), y),
    "maximumf0": lambda x, y: (x.amax(0) * y).sum(),
    "maximumf1": lambda x, y: (x.amax(1) * y).sum(),
    "minimumf0": lambda x, y: (x.amin(0) * y).sum(),
    "minimumf1": lambda x, y: (x.amin(1) * y).sum(),
    "mulf0": lambda x, y: (x.prod(0) * y).sum(),
    "mulf1": lambda x, y: (x.prod(1) * y).sum(),
    "softmax0": lambda x, y: (x.softmax(0) * y).sum(),
    "softmax1": lambda x, y: (x.softmax(1) * y).sum(),
    "logsumexp_all": lambda x: x.logsumexp(0),
    "cumsum": lambda x, y: square(x.cumsum(1), y),
    "cumsum_dynamic": lambda x, y: square(x.cumsum(1), y),
    "cumsum_reverse": lambda x, y: square(x.flip(1).cumsum(1).flip(1), y),
    "cumsum_before": lambda x, y: square(x.flip(1).cumsum(1).flip(1) - x, y),
    "sort": lambda x, y, n: square(torch.sort(x, dim=1, descending=True, stable=True)[0], y),
    "scatter": scattered,
    "diagonal": lambda x, y: square(x.diagonal(), y),
    "diagonal_map": lambda x, y: square(x.diagonal(), y),
    "concat": lambda a, b, y: square(torch.cat([a, b]), y),
    "insert_slice": lambda a, b, y: square(torch.cat([b[:2], a, b[5:]]), y),
    "maxpool": lambda x, y: square(F.max_pool2d(x, 2), y),
    "maxpool_overlap": lambda x, y: square(F.max_pool2d(x, 2, 1), y),
    "avgpool": lambda x, y: square(F.avg_pool2d(x, 2) * 4, y),
    "groupconv": lambda x, w, y: square(torch.stack([F.conv2d(x[:, g], w[g]) for g in range(2)], 1), y),
    "depthwise": lambda x, w, y: square(F.conv2d(x, w[:, None], groups=3), y),
    "convT": lambda x, w, y: square(F.conv_transpose2d(x, w, stride=2), y),
    "nearest": lambda x, y: square(F.interpolate(x, scale_factor=2), y),
    "gather_dim": lambda x, t, y: square(x.gather(1, t), y),
    "index_list": lambda x, t, u, y: square(x[t, u], y),
    "tensor_gather": lambda x, t, y: square(x[t], y),
}


def inputs(rng, name, text):
    given = []
    arguments = text[text.index("@main(") : text.index(") -> tensor<f64> {")]
    for shape, kind in re.findall(r"tensor<([0-9x?]*)(f64|i64)>", arguments):
        sizes = [5 if n == "?" else int(n) for n in shape.split("x") if n]
        given.append(rng.standard_normal(sizes) if kind == "f64" else rng.integers(0, 4, sizes))
    if name == "windows_put":  # those that overlap would have no order in PyTorch
        given[3] = np.array([[4], [0], [6]])
    if name == "sort":
        given[0] = np.round(given[0])
        given[2] = np.broadcast_to(np.arange(5), (4, 5)).copy()
    return given


def wanted(name, given, wrt, upstream):
    x = [torch.tensor(v, requires_grad=k in wrt) for k, v in enumerate(given)]
    y = WANTED[name](*x)
    return [y.detach().numpy(), *(g.numpy() for g in torch.autograd.grad(y * upstream, [x[k] for k in wrt]))]


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("runner")
    p.add_argument("folder")
    p.add_argument("names", nargs="*")
    p.add_argument("--policy", default="medium")
    a = p.parse_args()
    os.makedirs(a.folder, exist_ok=True)
    rng, bad, names = np.random.default_rng(5), 0, a.names or list(PROGRAMS)
    for name in names:
        numbers, text = PROGRAMS[name]
        wrt = [int(k) for k in numbers.split(",")]
        given, path = inputs(rng, name, text), os.path.join(a.folder, name)
        with open(f"{path}.mlir", "w") as f:
            f.write(text + "\n")
        files = []
        upstream = np.array(0.7)
        for option, arrays in ("input", [*given, upstream]), ("expect", wanted(name, given, wrt, 0.7)):
            for k, v in enumerate(arrays):
                np.save(f"{path}-{option}{k}.npy", v)
                files.append(f"--{option}={path}-{option}{k}.npy")
        said = subprocess.run([a.runner, f"{path}.mlir", f"--wrt={numbers}", "--upstream", f"--policy={a.policy}",
                               "--quiet", *files], capture_output=True, text=True, check=False)  # fmt: skip
        bad += said.returncode != 0
        if said.returncode:
            print(f"FAIL {name}: {said.stdout.strip()[:300]} {said.stderr.strip()[:300]}")
    print(f"{len(names)} gradients, {bad} wrong")
    return int(bad > 0 or not names)


if __name__ == "__main__":
    sys.exit(main())
