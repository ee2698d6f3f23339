"""Programs that drawn ones showed (bundle-fuzz): what no other case of cases.py has."""
import numpy as np


def corners(case, program, tensor, cast):
    nothing_left(case, program)
    half_that_is_summed(case, program, tensor, cast)
    number_of_products(case, program)
    odd_lines(case)


def nothing_left(case, program):
    """Rows over which nothing is reduced, and a result behind them: nobody is waited for."""
    for name, schedule in (("blocks", "threads = 128, blocks = 6, vector = 1, residency = \"registers\", team = 8"),
                           ("clusters", "threads = 32, blocks = 4, vector = 1, residency = \"registers\", cluster = 2"),
                           ("one", "threads = 64, blocks = 1, vector = 1, residency = \"registers\", team = 8")):
        body = f"""
%y = sinter.rowwise (i = 8, j = 11) by (k = 8) ins(%x[] : tensor<i8>) outs(%empty_y[k] : tensor<8xi8>)
    schedule(#sinter.gpu_rows<{schedule}>) {{
^row(%a: i8):
  sinter.yield
}} finish {{
^done(%a: i8):
  %r = sinter.broadcast %a : i8 -> tensor<8xi8>
  sinter.yield %r : tensor<8xi8>
}}"""
        case(f"nothing_left_{name}", program([("x", (), "i8")], [("y", (8,), "i8")], [], body),
             lambda r: [np.array(r.integers(-100, 100), np.int8)], lambda x: [np.full(8, x)])
    body = """
%r:2 = sinter.contract (i = 16) by (j = 20)
    product (l = 17) (%x[i, l] : tensor<16x17xf32>, %w[j, l] : tensor<20x17xf32>) : f32
    outs(%empty_y[i, j] : tensor<16x20xf32>, %empty_z[j] : tensor<20xf32>) {
^row(%p: tensor<20xf32>):
  sinter.yield %p : tensor<20xf32>
} finish {
  %c = arith.constant dense<1.5> : tensor<20xf32>
  sinter.yield %c : tensor<20xf32>
}
%yy = tensor.cast %r#0 : tensor<16x20xf32> to tensor<16x20xf32>
%zz = tensor.cast %r#1 : tensor<20xf32> to tensor<20xf32>"""
    text = program([("x", (16, 17), "f32"), ("w", (20, 17), "f32")], [("y", (16, 20), "f32"), ("z", (20,), "f32")], [],
                   body).replace("return %y, %z", "return %yy, %zz")
    case("nothing_left_products", text,
         lambda r: [r.standard_normal(s).astype(np.float32) for s in ((16, 17), (20, 17))],
         lambda x, w: [x.astype(np.float64) @ w.T.astype(np.float64), np.full(20, 1.5)])


def half_that_is_summed(case, program, tensor, cast):
    """A row of a half type that is added up in f32, and used as it is; its last elements are not in each thread."""
    for t in ("bf16", "f16"):
        row, of = tensor((13,), t), tensor((9, 13), t)
        body = f"""
%y = sinter.rowwise (i = 9) by (k = 13) ins(%x[i, k] : {of}) outs(%empty_y[i, k] : {of})
    schedule(#sinter.gpu_rows<threads = 128, blocks = 1, vector = 1, residency = "registers", team = 2>) {{
^row(%a: {row}):
  %s = sinter.row_reduce add %a : {row} -> f32
  %h = arith.truncf %s : f32 to {t}
  %b = sinter.broadcast %h : {t} -> {row}
  %d = arith.subf %a, %b : {row}
  sinter.yield %d : {row}
}}"""
        case(f"half_that_is_summed_{t}", program([("x", (9, 13), t)], [("y", (9, 13), t)], [], body),
             lambda r, t=t: [cast(r.standard_normal((9, 13)), t)],
             lambda x: [x.astype(np.float64) - x.astype(np.float64).sum(1, keepdims=True)])


def number_of_products(case, program):
    """Numbers of rows that are products without columns, more than one: what is computed of each stays."""
    body = """
%y:2 = sinter.contract (b = 8) by ()
    product (k = 4) (%x[k] : tensor<4xf32>, %v[b, k] : tensor<8x4xf32>) : f32
    product (m = 40) (%w[m, b] : tensor<40x8xf32>, %w[m, b] : tensor<40x8xf32>) : f32
    reduce(maximumf [] : f32)
    outs(%empty_y[b] : tensor<8xf32>, %empty_z[] : tensor<f32>) {
^row(%p: tensor<1xf32>, %q: tensor<1xf32>):
  %two = arith.constant dense<2.0> : tensor<1xf32>
  %t = arith.mulf %p, %two : tensor<1xf32>
  %u = arith.addf %t, %q : tensor<1xf32>
  %s = sinter.row_reduce add %u : tensor<1xf32> -> f32
  %m = sinter.row_reduce maximumf %q : tensor<1xf32> -> f32
  sinter.yield %m, %s : f32, f32
} finish {
^done(%f: f32):
  sinter.yield %f : f32
}
%yy = tensor.cast %y#0 : tensor<8xf32> to tensor<8xf32>
%z = tensor.cast %y#1 : tensor<f32> to tensor<f32>"""
    text = program([("x", (4,), "f32"), ("v", (8, 4), "f32"), ("w", (40, 8), "f32")],
                   [("y", (8,), "f32"), ("z", (), "f32")], [], body).replace("return %y, %z", "return %yy, %z")

    def outputs(x, v, w):
        squares = (w.astype(np.float64) ** 2).sum(0)
        return [2 * (v.astype(np.float64) @ x) + squares, squares.max()]

    case("number_of_products", text,
         lambda r: [r.standard_normal(s).astype(np.float32) for s in ((4,), (8, 4), (40, 8))], outputs)


ODD_LINES = """
func.func @main(%u: tensor<2x2x257xf32>) -> tensor<1x2x6x515xf32> {
  %2 = tensor.empty() : tensor<1x2x6x515xf32>
  %3 = sinter.rowwise (d1 = 2, d2 = 6, d3 = 515) by (d4 = 2, d5 = 2)
      ins(%u[d1, d4 * -1 + d2 floordiv 2, d5 * -1 + d3 floordiv 2] : tensor<2x2x257xf32> else 0.000000e+00)
      outs(%2[0, d1, d2, d3] : tensor<1x2x6x515xf32>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 30, vector = 1, team = 1, rows = 2, unroll = 4,
                                residency = "reread">) {
  ^row(%arg2: tensor<4xf32>):
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0.111111112 : f32
    %c3 = arith.constant 3 : index
    %c-2 = arith.constant -2 : index
    %c257 = arith.constant 257 : index
    %c255 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c-1 = arith.constant -1 : index
    %4 = sinter.index d4 : tensor<4xindex>
    %5 = sinter.broadcast %c-1 : index -> tensor<4xindex>
    %6 = arith.muli %4, %5 : tensor<4xindex>
    %7 = sinter.index d2 : index
    %8 = arith.divui %7, %c2 : index
    %9 = sinter.broadcast %8 : index -> tensor<4xindex>
    %10 = arith.addi %6, %9 : tensor<4xindex>
    %11 = sinter.broadcast %c0 : index -> tensor<4xindex>
    %12 = arith.cmpi sge, %10, %11 : tensor<4xindex>
    %13 = sinter.broadcast %c255 : index -> tensor<4xindex>
    %14 = arith.cmpi slt, %10, %13 : tensor<4xindex>
    %15 = arith.andi %12, %14 : tensor<4xi1>
    %16 = sinter.index d5 : tensor<4xindex>
    %17 = arith.muli %16, %5 : tensor<4xindex>
    %18 = sinter.index d3 : index
    %19 = arith.divui %18, %c2 : index
    %20 = sinter.broadcast %19 : index -> tensor<4xindex>
    %21 = arith.addi %17, %20 : tensor<4xindex>
    %22 = arith.cmpi sge, %21, %11 : tensor<4xindex>
    %23 = arith.andi %15, %22 : tensor<4xi1>
    %24 = sinter.broadcast %c257 : index -> tensor<4xindex>
    %25 = arith.cmpi slt, %21, %24 : tensor<4xindex>
    %26 = arith.andi %23, %25 : tensor<4xi1>
    %27 = sinter.broadcast %c2 : index -> tensor<4xindex>
    %28 = arith.muli %4, %27 : tensor<4xindex>
    %29 = sinter.broadcast %7 : index -> tensor<4xindex>
    %30 = arith.addi %29, %28 : tensor<4xindex>
    %31 = arith.muli %8, %c-2 : index
    %32 = sinter.broadcast %31 : index -> tensor<4xindex>
    %33 = arith.addi %30, %32 : tensor<4xindex>
    %34 = arith.cmpi sge, %33, %11 : tensor<4xindex>
    %35 = arith.andi %26, %34 : tensor<4xi1>
    %36 = sinter.broadcast %c3 : index -> tensor<4xindex>
    %37 = arith.cmpi slt, %33, %36 : tensor<4xindex>
    %38 = arith.andi %35, %37 : tensor<4xi1>
    %39 = arith.muli %16, %27 : tensor<4xindex>
    %40 = sinter.broadcast %18 : index -> tensor<4xindex>
    %41 = arith.addi %40, %39 : tensor<4xindex>
    %42 = arith.muli %19, %c-2 : index
    %43 = sinter.broadcast %42 : index -> tensor<4xindex>
    %44 = arith.addi %41, %43 : tensor<4xindex>
    %45 = arith.cmpi sge, %44, %11 : tensor<4xindex>
    %46 = arith.andi %38, %45 : tensor<4xi1>
    %47 = arith.cmpi slt, %44, %36 : tensor<4xindex>
    %48 = arith.andi %46, %47 : tensor<4xi1>
    %49 = sinter.broadcast %cst_0 : f32 -> tensor<4xf32>
    %50 = arith.mulf %arg2, %49 : tensor<4xf32>
    %51 = sinter.broadcast %cst : f32 -> tensor<4xf32>
    %52 = arith.select %48, %50, %51 : tensor<4xi1>, tensor<4xf32>
    %53 = sinter.row_reduce add %52 : tensor<4xf32> -> f32
    sinter.yield %53 : f32
  }
    return %3 : tensor<1x2x6x515xf32>
}
"""


def odd_lines(case):
    """The gradient of an average of 3 x 3 in steps of 2: two outputs of a thread, on lines of an odd size, whose last
    thread begins at an odd one. ptxas 13.0 takes the halves {0, 1} that LLVM adds to places of 16 bits for {0, 0}."""
    h, w, oh, ow = 6, 515, 2, 257

    def outputs(u):
        y = np.zeros((1, 2, h, w))
        for a in range(3):
            for b in range(3):
                y[0, :, a : a + 2 * oh - 1 : 2, b : b + 2 * ow - 1 : 2] += u / 9.0
        return [y]

    case("odd_lines", ODD_LINES, lambda r: [r.standard_normal((2, oh, ow)).astype(np.float32)], outputs)
