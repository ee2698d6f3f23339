"""tensor, scf, cf, affine and tm_tensor: views, control flow, loops that carry tensors."""

import numpy as np

from operations.cases import cannot, case, draw

A, B, V = draw((4, 6)), draw((4, 6), seed=1), draw((6,), seed=2)
N = lambda *x: np.array(x, "i8")


def both(op, body, ins, wants, **more):
    case(op, body, ins, wants, **more)
    case(op, body, ins, wants, dynamic=True, **more)


# ---- tensor -----------------------------------------------------------------------------------

case("tensor.bitcast", "  %y = tensor.bitcast %a : $A to $Y", [A], A.view("i4"))
case(
    "tensor.cast",
    """  %t = tensor.cast %a : $A to tensor<?x6xf32>
  %u = tensor.cast %t : tensor<?x6xf32> to tensor<*xf32>
  %y = tensor.cast %u : tensor<*xf32> to $Y""",
    [A],
    A,
)
case("tensor.collapse_shape", "  %y = tensor.collapse_shape %a [[0, 1]] : $A into $Y", [A], A.ravel())
case(
    "tensor.collapse_shape",
    """  %t = tensor.collapse_shape %a [[0, 1], [2]] : $A into tensor<?x?xf32>
  %y = tensor.cast %t : tensor<?x?xf32> to $Y""",
    [draw((2, 3, 5))],
    draw((2, 3, 5)).reshape(6, 5),
    dynamic=True,
)
both("tensor.concat", "  %y = tensor.concat dim(0) %a, %b, %a : ($A, $B, $A) -> $Y", [A, B], np.concatenate([A, B, A]))
both(
    "tensor.concat",
    "  %y = tensor.concat dim(1) %a, %b : ($A, $B) -> $Y",
    [A, draw((4, 3))],
    np.concatenate([A, draw((4, 3))], 1),
)
case(
    "tensor.dim",
    """  %i = arith.constant 1 : index
  %d = tensor.dim %a, %i : $A
  %n = arith.index_cast %d : index to i64
  %y = tensor.from_elements %n : $Y""",
    [A],
    N(6),
)
case(
    "tensor.dim",
    """  %i = tensor.extract %b[] : $B
  %j = arith.index_cast %i : i64 to index
  %d = tensor.dim %a, %j : $A
  %e = tensor.empty(%d) : tensor<?xf32>
  %c = arith.constant 2.0 : f32
  %y = linalg.fill ins(%c : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>""",
    [A, np.array(1)],
    np.full(6, 2, "f4"),
    dynamic=True,
)
case(
    "tensor.empty",
    """  %c = arith.constant 2.0 : f32
  %e = tensor.empty() : $Y
  %y = linalg.fill ins(%c : f32) outs(%e : $Y) -> $Y""",
    [],
    np.full((4, 6), 2, "f4"),
)
case(
    "tensor.expand_shape",
    "  %y = tensor.expand_shape %a [[0, 1], [2]] output_shape [2, 2, 6] : $A into $Y",
    [A],
    A.reshape(2, 2, 6),
)
case(
    "tensor.expand_shape",
    """  %i = arith.constant 0 : index
  %c = arith.constant 2 : index
  %d = tensor.dim %a, %i : $A
  %h = arith.divui %d, %c : index
  %j = arith.constant 1 : index
  %k = tensor.dim %a, %j : $A
  %t = tensor.expand_shape %a [[0, 1], [2]] output_shape [%h, 2, %k] : $A into tensor<?x2x?xf32>
  %y = tensor.cast %t : tensor<?x2x?xf32> to $Y""",
    [A],
    A.reshape(2, 2, 6),
    dynamic=True,
)
both(
    "tensor.extract",
    """  %i = arith.constant 2 : index
  %x = tensor.extract %a[%i, %i] : $A
  %y = tensor.from_elements %x : tensor<f32>""",
    [A],
    A[2, 2],
)
both(
    "tensor.extract_slice",
    "  %t = tensor.extract_slice %a[1, 2] [3, 2] [1, 2] : $A to tensor<3x2xf32>\n"
    "  %y = tensor.cast %t : tensor<3x2xf32> to $Y",
    [A],
    A[1:, 2:6:2].copy(),
)
both(
    "tensor.extract_slice",
    """  %n = tensor.extract %b[] : $B
  %i = arith.index_cast %n : i64 to index
  %t = tensor.extract_slice %a[%i, 0] [1, %i] [1, 1] : $A to tensor<?xf32>
  %y = tensor.cast %t : tensor<?xf32> to $Y""",
    [A, np.array(3)],
    A[3, :3].copy(),
)
case(
    "tensor.from_elements",
    """  %i = arith.constant 1 : index
  %x = tensor.extract %a[%i, %i] : $A
  %c = arith.constant 3.0 : f32
  %y = tensor.from_elements %x, %c, %c, %x : $Y""",
    [A],
    np.array([[A[1, 1], 3], [3, A[1, 1]]], "f4"),
)
ROWS = np.array([[2], [0], [2]], "i8")
case(
    "tensor.gather",
    "  %y = tensor.gather %a[%b] gather_dims([0]) : ($A, $B) -> $Y",
    [A, ROWS],
    A[ROWS[:, 0]][:, None].copy(),
)
case(
    "tensor.gather",
    "  %y = tensor.gather %a[%b] gather_dims([0, 1]) : ($A, $B) -> $Y",
    [A, np.array([[2, 5], [0, 1]])],
    np.array([A[2, 5], A[0, 1]]).reshape(2, 1, 1),
)
both(
    "tensor.generate",
    """  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %m = tensor.dim %a, %i0 : $A
  %n = tensor.dim %a, %i1 : $A
  %t = tensor.generate %n, %m {
  ^bb0(%i: index, %j: index):
    %x = tensor.extract %a[%j, %i] : $A
    %s = arith.addf %x, %x : f32
    tensor.yield %s : f32
  } : tensor<?x?xf32>
  %y = tensor.cast %t : tensor<?x?xf32> to $Y""",
    [A],
    2 * A.T.copy(),
)
both(
    "tensor.insert",
    """  %i = arith.constant 3 : index
  %x = arith.constant 7.0 : f32
  %y = tensor.insert %x into %a[%i, %i] : $A""",
    [A],
    np.where(np.arange(24).reshape(4, 6) == 21, np.float32(7), A),
)
W = A.copy()
W[1:4:2, 2:5] = B[:2, :3]
both(
    "tensor.insert_slice",
    """  %s = tensor.extract_slice %b[0, 0] [2, 3] [1, 1] : $B to tensor<2x3xf32>
  %y = tensor.insert_slice %s into %a[1, 2] [2, 3] [2, 1] : tensor<2x3xf32> into $A""",
    [A, B],
    W,
)
both(
    "tensor.pad",
    """  %c = arith.constant 1.5 : f32
  %y = tensor.pad %a low[1, 0] high[2, 3] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : $A to $Y""",
    [A],
    np.pad(A, ((1, 2), (0, 3)), constant_values=1.5),
)
case(
    "tensor.pad",
    """  %y = tensor.pad %a low[1, 0] high[0, 2] {
  ^bb0(%i: index, %j: index):
    %n = arith.index_cast %j : index to i32
    %x = arith.sitofp %n : i32 to f32
    tensor.yield %x : f32
  } : $A to $Y""",
    [A],
    np.concatenate([np.arange(8, dtype="f4")[None], np.concatenate([A, np.full((4, 2), (6, 7), "f4")], 1)]),
)
case(
    "tensor.yield",
    """  %y = tensor.pad %a nofold low[0, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    %c = arith.constant 1.5 : f32
    tensor.yield %c : f32
  } : $A to $Y""",
    [A],
    A,
)
case(
    "tensor.rank",
    """  %r = tensor.rank %a : $A
  %n = arith.index_cast %r : index to i64
  %y = tensor.from_elements %n : $Y""",
    [A],
    N(2),
)
case("tensor.reshape", "  %y = tensor.reshape %a(%b) : ($A, $B) -> $Y", [A, N(3, 8)], A.reshape(3, 8))
case(
    "tensor.reshape",
    """  %s = tensor.cast %b : $B to tensor<2xi64>
  %y = tensor.reshape %a(%s) : ($A, tensor<2xi64>) -> $Y""",
    [A, N(8, 3)],
    A.reshape(8, 3),
    dynamic=True,
)
SCATTERED = A.copy()
SCATTERED[[2, 0]] = B[:2]
case(
    "tensor.scatter",
    "  %y = tensor.scatter %a into %b[%c] scatter_dims([0]) unique : ($A, $B, $C) -> $Y",
    [B[:2, None].copy(), A, np.array([[2], [0]])],
    SCATTERED,
)
case(
    "tensor.scatter",
    "  %y = tensor.scatter %a into %b[%c] scatter_dims([0]) unique : ($A, $B, $C) -> $Y",
    [B[:2], A, np.array([[2], [0]], "i4")],
    SCATTERED,
)
COLUMNS = A.copy()
COLUMNS[:, [[4, 0], [3, 5]]] = B[:, :4].reshape(4, 2, 2)
case(
    "tensor.scatter",
    "  %y = tensor.scatter %a into %b[%c] scatter_dims([1]) unique : ($A, $B, $C) -> $Y",
    [B[:, :4].T.reshape(2, 2, 4).copy(), A, np.array([[[4], [0]], [[3], [5]]])],
    COLUMNS,
)
ONE_ROW = A.copy()
ONE_ROW[1] = B[0]
case(
    "tensor.scatter",
    "  %y = tensor.scatter %a into %b[%c] scatter_dims([0]) unique : ($A, $B, $C) -> $Y",
    [B[0].copy(), A, np.array([1])],
    ONE_ROW,
)
SCATTERED = A.copy()
SCATTERED[[3, 1], [5, 0]] = V[:2]
case(
    "tensor.scatter",
    "  %y = tensor.scatter %a into %b[%c] scatter_dims([0, 1]) unique : ($A, $B, $C) -> $Y",
    [V[:2].reshape(2, 1, 1), A, np.array([[3, 5], [1, 0]])],
    SCATTERED,
)
case(
    "tensor.splat",
    """  %x = tensor.extract %a[] : $A
  %y = tensor.splat %x : $Y""",
    [np.array(3, "f4")],
    np.full((4, 6), 3, "f4"),
)
case(
    "tensor.splat",
    """  %x = tensor.extract %a[] : $A
  %n = arith.constant 5 : index
  %y = tensor.splat %x[%n, %n] : $Y""",
    [np.array(3, "f4")],
    np.full((5, 5), 3, "f4"),
    dynamic=True,
)
both(
    "tensor.parallel_insert_slice",
    """  %t = scf.forall (%i, %j) in (2, 3) shared_outs(%o = %b) -> ($B) {
    %r = affine.apply affine_map<(d) -> (d * 2)>(%i)
    %c = affine.apply affine_map<(d) -> (d * 2)>(%j)
    %s = tensor.extract_slice %a[%r, %c] [2, 2] [1, 1] : $A to tensor<2x2xf32>
    %e = tensor.empty() : tensor<2x2xf32>
    %m = linalg.exp ins(%s : tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o[%r, %c] [2, 2] [1, 1] : tensor<2x2xf32> into $B
    }
  }
  %y = tensor.cast %t : $B to $Y""",
    [A, B],
    np.exp(A),
)

# ---- scf ----------------------------------------------------------------------------------------

LOOP = """  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %i3 = arith.constant 3 : index
"""
GROWN = A.copy()
for _ in range(3):
    GROWN = np.tanh(GROWN) + B
ADDED = """%e = linalg.tanh ins(%t : $A) outs(%t : $A) -> $A
    %n = linalg.add ins(%e, %b : $A, $B) outs(%e : $A) -> $A"""
for op in ("scf.for", "scf.yield"):
    both(
        op,
        f"""{LOOP}  %y = scf.for %i = %i0 to %i3 step %i1 iter_args(%t = %a) -> ($A) {{
    {ADDED}
    scf.yield %n : $A
  }}""",
        [A, B],
        GROWN,
    )
# What is carried changes places; is not written at all; comes from outside.
both(
    "scf.for",
    f"""{LOOP}  %y, %z = scf.for %i = %i0 to %i3 step %i1 iter_args(%p = %a, %q = %b) -> ($A, $B) {{
    scf.yield %q, %p : $A, $B
  }}""",
    [A, B],
    [B, A],
)
both(
    "scf.for",
    f"""{LOOP}  %y, %z = scf.for %i = %i0 to %i3 step %i1 iter_args(%p = %a, %q = %a) -> ($A, $A) {{
    %e = linalg.sub ins(%p, %b : $A, $B) outs(%p : $A) -> $A
    scf.yield %e, %b : $A, $A
  }}""",
    [A, B],
    [A - 3 * B, B],
    atol=1e-5,
)
# Sizes that change from turn to turn.
case(
    "scf.for",
    f"""{LOOP}  %y = scf.for %i = %i0 to %i3 step %i1 iter_args(%t = %a) -> ($A) {{
    %n = tensor.concat dim(0) %t, %b : ($A, $B) -> $A
    scf.yield %n : $A
  }}""",
    [V, V],
    np.tile(V, 4),
    dynamic=True,
)
for op in ("scf.while", "scf.condition"):
    both(
        op,
        f"""{LOOP}  %y, %k = scf.while (%t = %a, %i = %i0) : ($A, index) -> ($A, index) {{
    %c = arith.cmpi slt, %i, %i3 : index
    scf.condition(%c) %t, %i : $A, index
  }} do {{
  ^bb0(%t: $A, %i: index):
    {ADDED}
    %j = arith.addi %i, %i1 : index
    scf.yield %n, %j : $A, index
  }}""",
        [A, B],
        GROWN,
    )
# A loop that ends by what was computed.
HALVED = A.copy()
while np.abs(HALVED).max() > 0.1:
    HALVED = HALVED * np.float32(0.5)
both(
    "scf.while",
    """  %z = arith.constant 0.0 : f32
  %h = arith.constant 0.5 : f32
  %l = arith.constant 0.1 : f32
  %y = scf.while (%t = %a) : ($A) -> ($A) {
    %e = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
    %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
        iterator_types = ["reduction", "reduction"]} ins(%t : $A) outs(%f : tensor<f32>) {
    ^bb0(%p: f32, %q: f32):
      %u = math.absf %p : f32
      %v = arith.maximumf %u, %q : f32
      linalg.yield %v : f32
    } -> tensor<f32>
    %x = tensor.extract %m[] : tensor<f32>
    %c = arith.cmpf ogt, %x, %l : f32
    scf.condition(%c) %t : $A
  } do {
  ^bb0(%t: $A):
    %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]} ins(%t : $A) outs(%t : $A) {
    ^bb0(%p: f32, %q: f32):
      %v = arith.mulf %p, %h : f32
      linalg.yield %v : f32
    } -> $A
    scf.yield %n : $A
  }""",
    [A],
    HALVED,
)
for flag in (True, False):
    both(
        "scf.if",
        """  %p = tensor.extract %c[] : $C
  %y, %s = scf.if %p -> ($A, f32) {
    %n = linalg.exp ins(%a : $A) outs(%a : $A) -> $A
    %o = arith.constant 1.0 : f32
    scf.yield %n, %o : $A, f32
  } else {
    %o = arith.constant 2.0 : f32
    scf.yield %b, %o : $A, f32
  }
  %z = tensor.from_elements %s : $Z""",
        [A, B, np.array(flag)],
        [np.exp(A) if flag else B, np.array(1 if flag else 2, "f4")],
    )
    # Which upstream folds to a choice between two tensors.
    both(
        "scf.if",
        """  %p = tensor.extract %c[] : $C
  %y = scf.if %p -> $A {
    scf.yield %a : $A
  } else {
    scf.yield %b : $A
  }""",
        [A, B, np.array(flag)],
        [A if flag else B],
    )
for chosen in (0, 2, 5):
    both(
        "scf.index_switch",
        """  %n = tensor.extract %c[] : $C
  %i = arith.index_cast %n : i64 to index
  %y = scf.index_switch %i -> $A
  case 2 {
    %r = linalg.exp ins(%a : $A) outs(%a : $A) -> $A
    scf.yield %r : $A
  }
  case 5 {
    scf.yield %a : $A
  }
  default {
    scf.yield %b : $A
  }""",
        [A, B, np.array(chosen)],
        {0: B, 2: np.exp(A), 5: A}[chosen],
    )
both(
    "scf.execute_region",
    """  %y = scf.execute_region -> $A {
    %n = linalg.add ins(%a, %b : $A, $B) outs(%a : $A) -> $A
    scf.yield %n : $A
  }""",
    [A, B],
    A + B,
)
both(
    "scf.execute_region",
    """  %p = tensor.extract %c[] : $C
  %y = scf.execute_region -> $A {
    cf.cond_br %p, ^left, ^right
  ^left:
    %n = linalg.add ins(%a, %b : $A, $B) outs(%a : $A) -> $A
    scf.yield %n : $A
  ^right:
    scf.yield %b : $A
  }""",
    [A, B, np.array(True)],
    A + B,
)
for op in ("scf.forall", "scf.forall.in_parallel"):
    both(
        op,
        """  %i0 = arith.constant 0 : index
  %m = tensor.dim %a, %i0 : $A
  %i1 = arith.constant 1 : index
  %n = tensor.dim %a, %i1 : $A
  %t = scf.forall (%i) in (%m) shared_outs(%o = %b) -> ($B) {
    %s = tensor.extract_slice %a[%i, 0] [1, %n] [1, 1] : $A to tensor<?xf32>
    %d = tensor.empty(%n) : tensor<?xf32>
    %e = linalg.exp ins(%s : tensor<?xf32>) outs(%d : tensor<?xf32>) -> tensor<?xf32>
    %l = affine.apply affine_map<(i)[m] -> (m - 1 - i)>(%i)[%m]
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %o[%l, 0] [1, %n] [1, 1] : tensor<?xf32> into $B
    }
  }
  %y = tensor.cast %t : $B to $Y""",
        [A, B],
        np.exp(A)[::-1].copy(),
    )
for op in ("scf.parallel", "scf.reduce", "scf.reduce.return"):
    both(
        op,
        """  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %m = tensor.dim %a, %i0 : $A
  %n = tensor.dim %a, %i1 : $A
  %z0 = arith.constant 1.0 : f32
  %s, %l = scf.parallel (%i, %j) = (%i0, %i0) to (%m, %n) step (%i1, %i1) init (%z0, %z0) -> (f32, f32) {
    %x = tensor.extract %a[%i, %j] : $A
    scf.reduce(%x, %x : f32, f32) {
    ^bb0(%p: f32, %q: f32):
      %r = arith.addf %p, %q : f32
      scf.reduce.return %r : f32
    }, {
    ^bb0(%p: f32, %q: f32):
      %r = arith.maximumf %p, %q : f32
      scf.reduce.return %r : f32
    }
  }
  %y = tensor.from_elements %s : tensor<f32>
  %z = tensor.from_elements %l : tensor<f32>""",
        [A],
        [np.float32(A.sum() + 1), np.float32(max(A.max(), 1))],
        atol=1e-5,
    )

# ---- cf -------------------------------------------------------------------------------------------

both(
    "cf.br",
    """  cf.br ^next(%b : $B)
^next(%t: $B):
  %e = linalg.exp ins(%t : $B) outs(%t : $B) -> $B
  cf.br ^end(%e : $B)
^end(%y: $B):
  return %y : $B""",
    [A, B],
    np.exp(B),
)
for flag in (True, False):
    both(
        "cf.cond_br",
        """  %p = tensor.extract %c[] : $C
  cf.cond_br %p, ^left(%a : $A), ^end(%b : $B)
^left(%t: $A):
  %e = linalg.exp ins(%t : $A) outs(%t : $A) -> $A
  cf.br ^end(%e : $A)
^end(%y: $A):
  return %y : $A""",
        [A, B, np.array(flag)],
        np.exp(A) if flag else B,
    )
# A loop of blocks.
both(
    "cf.cond_br",
    f"""{LOOP}  cf.br ^head(%a, %i0 : $A, index)
^head(%t: $A, %i: index):
  %c = arith.cmpi slt, %i, %i3 : index
  cf.cond_br %c, ^body, ^end
^body:
  {ADDED}
  %j = arith.addi %i, %i1 : index
  cf.br ^head(%n, %j : $A, index)
^end:
  return %t : $A""",
    [A, B],
    GROWN,
)
for chosen in (1, 4, 9):
    both(
        "cf.switch",
        """  %k = tensor.extract %c[] : $C
  cf.switch %k : i64, [default: ^end(%b : $B), 1: ^one(%a : $A), 4: ^end(%a : $A)]
^one(%t: $A):
  %e = linalg.exp ins(%t : $A) outs(%t : $A) -> $A
  cf.br ^end(%e : $A)
^end(%y: $A):
  return %y : $A""",
        [A, B, np.array(chosen)],
        {1: np.exp(A), 4: A, 9: B}[chosen],
    )
both(
    "cf.assert",
    """  %i0 = arith.constant 0 : index
  %x = tensor.extract %a[%i0, %i0] : $A
  %l = arith.constant 99.0 : f32
  %c = arith.cmpf olt, %x, %l : f32
  cf.assert %c, "the first is small"
  %y = linalg.exp ins(%a : $A) outs(%a : $A) -> $A""",
    [A],
    np.exp(A),
)

# ---- affine -----------------------------------------------------------------------------------------

for op in ("affine.for", "affine.yield"):
    both(
        op,
        f"""  %y = affine.for %i = 0 to 3 iter_args(%t = %a) -> ($A) {{
    {ADDED}
    affine.yield %n : $A
  }}""",
        [A, B],
        GROWN,
    )
both(
    "affine.for",
    """  %z0 = arith.constant 0.0 : f32
  %i0 = arith.constant 0 : index
  %m = tensor.dim %a, %i0 : $A
  %s = affine.for %i = 0 to %m step 2 iter_args(%t = %z0) -> (f32) {
    %u = affine.for %j = affine_map<(d) -> (d)>(%i) to 6 iter_args(%w = %t) -> (f32) {
      %x = tensor.extract %a[%i, %j] : $A
      %v = arith.addf %w, %x : f32
      affine.yield %v : f32
    }
    affine.yield %u : f32
  }
  %y = tensor.from_elements %s : tensor<f32>""",
    [A],
    A[0].sum() + A[2, 2:].sum(),
)
for k in (1, 4):
    both(
        "affine.if",
        """  %n = tensor.extract %c[] : $C
  %i = arith.index_cast %n : i64 to index
  %y = affine.if affine_set<(d) : (d - 3 >= 0)>(%i) -> $A {
    %e = linalg.exp ins(%a : $A) outs(%a : $A) -> $A
    affine.yield %e : $A
  } else {
    affine.yield %b : $A
  }""",
        [A, B, np.array(k)],
        np.exp(A) if k >= 3 else B,
    )
both(
    "affine.parallel",
    """  %s = affine.parallel (%i, %j) = (0, 0) to (4, 6) reduce ("addf") -> f32 {
    %x = tensor.extract %a[%i, %j] : $A
    affine.yield %x : f32
  }
  %y = tensor.from_elements %s : tensor<f32>""",
    [A],
    A.sum(),
    atol=1e-5,
)
NUMBERS = np.array([17, 5])
GIVEN = """  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %p0 = tensor.extract %a[%i0] : $A
  %q0 = tensor.extract %a[%i1] : $A
  %p = arith.index_cast %p0 : i64 to index
  %q = arith.index_cast %q0 : i64 to index
"""
TAKEN = """
  %s = arith.index_cast %r : index to i64
  %y = tensor.from_elements %s : tensor<1xi64>"""
for op, text, want in (
    ("apply", "affine_map<(d0)[s0] -> (d0 floordiv 4 + s0 * 3 + d0 mod 5)>(%p)[%q]", 4 + 15 + 2),
    ("min", "affine_map<(d0, d1) -> (d0 - 9, d1, 6)>(%p, %q)", 5),
    ("max", "affine_map<(d0, d1) -> (d0 - 9, d1, 6)>(%p, %q)", 8),
    ("linearize_index", "[%p, %q, %i1] by (30, 7, 3) : index", (17 * 7 + 5) * 3 + 1),
):
    case(f"affine.{op}", f"{GIVEN}  %r = affine.{op} {text}{TAKEN}", [NUMBERS], N(want))
case(
    "affine.delinearize_index",
    f"""{GIVEN}  %r:3 = affine.delinearize_index %p into (2, 3, 4) : index, index, index
  %s0 = arith.index_cast %r#0 : index to i64
  %s1 = arith.index_cast %r#1 : index to i64
  %s2 = arith.index_cast %r#2 : index to i64
  %y = tensor.from_elements %s0, %s1, %s2 : $Y""",
    [NUMBERS],
    N(1, 1, 1),
)
cannot(
    "it reads or writes a memref, and a program on tensors has none",
    "affine.load",
    "affine.store",
    "affine.vector_load",
    "affine.vector_store",
    "affine.prefetch",
    "affine.dma_start",
    "affine.dma_wait",
)

# ---- tm_tensor: more of these in tm_tensor.py ---------------------------------------------------------

case(
    "tm_tensor.scan",
    """  %n0 = arith.constant 0 : index
  %n1 = arith.constant 1 : index
  %i0 = tensor.dim %a, %n0 : $A
  %i1 = tensor.dim %a, %n1 : $A
  %e = tensor.empty(%i0, %i1) : tensor<?x?xf32>
  %f = tensor.cast %e : tensor<?x?xf32> to $A
  %y, %z = tm_tensor.scan dimension(1) inclusive(true) ins(%a : $A) outs(%f, %b : $A, $B) {
  ^one(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tm_tensor.yield %s : f32
  } -> $A, $B""",
    [A, np.zeros(4, "f4")],
    [A.cumsum(1), A.cumsum(1)[:, -1].copy()],
    atol=1e-5,
)
# Sizes that some operands say and others do not.
case(
    "tm_tensor.scan",
    """  %f = tensor.cast %a : $A to tensor<?x6xf32>
  %g = tensor.cast %b : $B to tensor<?xf32>
  %p, %q = tm_tensor.scan dimension(1) inclusive(true) ins(%a : $A) outs(%f, %g : tensor<?x6xf32>, tensor<?xf32>) {
  ^one(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tm_tensor.yield %s : f32
  } -> tensor<?x6xf32>, tensor<?xf32>
  %y = tensor.cast %p : tensor<?x6xf32> to $Y
  %z = tensor.cast %q : tensor<?xf32> to $Z""",
    [A, np.zeros(4, "f4")],
    [A.cumsum(1), A.cumsum(1)[:, -1].copy()],
    atol=1e-5,
)
case(
    "tm_tensor.topk",
    """  %f = tensor.cast %b : $B to tensor<?x2xf32>
  %g = tensor.cast %c : $C to tensor<4x?xi32>
  %p, %q = tm_tensor.topk dimension(1) ins(%a : $A) outs(%f, %g : tensor<?x2xf32>, tensor<4x?xi32>) {
  ^one(%p: f32, %q: f32):
    %l = arith.cmpf ogt, %p, %q : f32
    tm_tensor.yield %l : i1
  } -> tensor<?x2xf32>, tensor<4x?xi32>
  %y = tensor.cast %p : tensor<?x2xf32> to $Y
  %z = tensor.cast %q : tensor<4x?xi32> to $Z""",
    [A, np.full((4, 2), -np.inf, "f4"), np.zeros((4, 2), "i4")],
    [-np.sort(-A, 1)[:, :2], np.argsort(-A, 1)[:, :2].astype("i4")],
)
case(
    "tm_tensor.sort",
    """  %f = tensor.cast %b : $B to tensor<?x6xf32>
  %p, %q = tm_tensor.sort dimension(1) outs(%a, %f : $A, tensor<?x6xf32>) {
  ^one(%p: f32, %q: f32, %u: f32, %v: f32):
    %l = arith.cmpf ole, %p, %q : f32
    tm_tensor.yield %l : i1
  } -> $A, tensor<?x6xf32>
  %y = tensor.cast %p : $A to $Y
  %z = tensor.cast %q : tensor<?x6xf32> to $Z""",
    [A, B],
    [np.sort(A, 1), np.take_along_axis(B, np.argsort(A, 1), 1)],
)
SUMMED = A.copy()
np.add.at(SUMMED, [1, 3, 1], np.concatenate([B[:2], B[3:]]))
for op in ("tm_tensor.scatter", "tm_tensor.yield"):
    case(
        op,
        """  %y = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false)
      ins(%a, %b : $A, $B) outs(%c : $C) {
  ^one(%p: f32, %q: f32):
    %s = arith.addf %q, %p : f32
    tm_tensor.yield %s : f32
  } -> $Y""",
        [np.concatenate([B[:2], B[3:]]), np.array([[1], [3], [1]]), A],
        SUMMED,
    )
case(
    "tm_tensor.sort",
    """  %y = tm_tensor.sort dimension(1) outs(%a : $A) {
  ^one(%p: f32, %q: f32):
    %l = arith.cmpf ole, %p, %q : f32
    tm_tensor.yield %l : i1
  } -> $Y""",
    [A],
    np.sort(A, 1),
)
case(
    "tm_tensor.topk",
    """  %y, %z = tm_tensor.topk dimension(1) ins(%a : $A) outs(%b, %c : $B, $C) {
  ^one(%p: f32, %q: f32):
    %l = arith.cmpf ogt, %p, %q : f32
    tm_tensor.yield %l : i1
  } -> $Y, $Z""",
    [A, np.full((4, 2), -np.inf, "f4"), np.zeros((4, 2), "i4")],
    [-np.sort(-A, 1)[:, :2], np.argsort(-A, 1)[:, :2].astype("i4")],
)
K = draw((2, 3, 4))
S = np.exp(K @ K.transpose(0, 2, 1) / 2)
case(
    "tm_tensor.attention",
    "  %y = tm_tensor.attention ins(%a, %a, %a : $A, $A, $A) outs(%b : $B) -> $Y",
    [K, np.zeros_like(K)],
    S / S.sum(-1, keepdims=True) @ K,
)
