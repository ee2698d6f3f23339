"""Programs that drawn ones showed (bundle-fuzz): what no other case of cases.py has."""
import numpy as np


def corners(case, program, tensor, cast):
    nothing_left(case, program)
    half_that_is_summed(case, program, tensor, cast)
    number_of_products(case, program)


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
