"""Gradients through numbers that the host computes, and through scf.forall, as loop_gradients.py has them.

    number_gradients.py SINTER-RUN FOLDER [NAME]
"""
import numpy as np

import loop_gradients
from loop_gradients import program, step, times

loop_gradients.PROGRAMS.clear()
E34 = "\n  %e = tensor.empty() : tensor<3x4xT>"


# A number that a loop carries, of elements of a tensor that has any size.
@program("%s: tensor<?x1xT>", "tensor<T>", """
  %n = tensor.dim %s, %c0 : tensor<?x1xT>
  %one = arith.constant 1.0 : T
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%a = %one) -> T {
    %v = tensor.extract %s[%i, %c0] : tensor<?x1xT>
    %q = arith.mulf %v, %v : T
    %p = arith.mulf %q, %a : T
    %t = arith.addf %p, %v : T
    scf.yield %t : T
  }
  %r = tensor.from_elements %y : tensor<T>
  return %r : tensor<T>""", [("n", 1)], (0, 1, 5))
def horner(n, s):
    a = np.asarray(1.)
    for v in s[:, 0]:
        a = v * v * a + v
    return a


# A number and a tensor, in a loop in a loop: the number is what a branch gives, and a factor of the tensor.
@program("%s: tensor<?x3x4xT>, %w: tensor<4x4xT>, %h: tensor<3x4xT>", "tensor<3x4xT>", E34 + """
  %n = tensor.dim %s, %c0 : tensor<?x3x4xT>
  %least = arith.constant 0.6 : T
  %y:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %h, %b = %least) -> (tensor<3x4xT>, T) {
    %m = arith.addi %i, %c1 : index
    %q:2 = scf.for %j = %c0 to %m step %c1 iter_args(%c = %a, %d = %b) -> (tensor<3x4xT>, T) {""" +
    step("t", "%c") + """
      %v = tensor.extract %s[%i, %c1, %j] : tensor<?x3x4xT>
      %more = arith.cmpf ogt, %v, %least : T
      %k = scf.if %more -> T {
        %sine = math.sin %v : T
        scf.yield %sine : T
      } else {
        %product = arith.mulf %v, %d : T
        scf.yield %product : T
      }
      %f = linalg.fill ins(%k : T) outs(%e : tensor<3x4xT>) -> tensor<3x4xT>""" + times("u", "%t", "%f") + """
      scf.yield %u, %k : tensor<3x4xT>, T
    }
    scf.yield %q#0, %q#1 : tensor<3x4xT>, T
  }
  %g = tensor.insert %y#1 into %y#0[%c2, %c1] : tensor<3x4xT>
  return %g : tensor<3x4xT>""", [("n", 3, 4), (4, 4), (3, 4)], (0, 1, 3))
def factors(n, s, w, h):
    b = .6
    for i in range(n):
        for j in range(i + 1):
            v = s[i, 1, j]
            b = np.sin(v) if v > .6 else v * b
            h = np.tanh(h @ w) * b
    h = h.copy()
    h[2, 1] = b
    return h


# A matrix of numbers, each of another place.
@program("%s: tensor<3x4xT>, %w: tensor<2x3xT>", "tensor<2x3xT>", """
  %e = tensor.empty() : tensor<2x3xT>
  %a = tensor.extract %s[%c0, %c1] : tensor<3x4xT>
  %b = tensor.extract %s[%c2, %c1] : tensor<3x4xT>
  %c = tensor.extract %s[%c1, %c2] : tensor<3x4xT>
  %d = arith.mulf %a, %b : T
  %m = tensor.from_elements %a, %b, %c, %z, %d, %b : tensor<2x3xT>""" + times("y", "%m", "%w", "tensor<2x3xT>") + """
  return %y : tensor<2x3xT>""", [(3, 4), (2, 3)])
def matrix(n, s, w):
    a, b, c = s[0, 1], s[2, 1], s[1, 2]
    return np.array([[a, b, c], [0, a * b, b]]) * w


# Newton's steps to a root, until they are small; what is read is chosen by a number that is computed.
@program("%s: tensor<3x4xT>, %l: tensor<T>", "tensor<3xT>", """
  %half = arith.constant 0.5 : T
  %five = arith.constant 5.0 : T
  %small = tensor.extract %l[] : tensor<T>
  %x = tensor.extract %s[%c1, %c2] : tensor<3x4xT>
  %y:2 = scf.while (%a = %x, %k = %c0) : (T, index) -> (T, index) {
    %q = arith.mulf %a, %a : T
    %d = arith.subf %q, %five : T
    %size = math.absf %d : T
    %more = arith.cmpf ogt, %size, %small : T
    scf.condition(%more) %a, %k : T, index
  } do {
  ^bb0(%a: T, %k: index):
    %q = arith.divf %five, %a : T
    %r = arith.addf %q, %a : T
    %m = arith.mulf %r, %half : T
    %k2 = arith.addi %k, %c1 : index
    scf.yield %m, %k2 : T, index
  }
  %whole = arith.fptosi %y#0 : T to i64
  %at = arith.index_cast %whole : i64 to index
  %v = tensor.extract %s[%c0, %at] : tensor<3x4xT>
  %both = arith.mulf %v, %y#0 : T
  %chosen = arith.maximumf %both, %x : T
  %r = tensor.from_elements %both, %half, %chosen : tensor<3xT>
  return %r : tensor<3xT>""", [(3, 4), ("n",)], (1e3, 2., .1))
def newton(n, s, small):
    a = s[1, 2]
    while abs(a * a - 5) > small:
        a = (5 / a + a) / 2
    v = s[0, int(a)] * a
    return np.array([v, .5, max(v, s[1, 2])])


# A number that a body reads from outside, one of an operand, and one that depends on sizes alone.
@program("%x: tensor<?x4xT>, %w: tensor<4xT>", "tensor<?x4xT>", """
  %n = tensor.dim %x, %c0 : tensor<?x4xT>
  %i = arith.index_cast %n : index to i64
  %f = arith.sitofp %i : i64 to T
  %a = tensor.extract %w[%c1] : tensor<4xT>
  %b = tensor.extract %w[%c2] : tensor<4xT>
  %h = arith.divf %a, %f : T
  %e = tensor.empty(%n) : tensor<?x4xT>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<?x4xT>, T) outs(%e : tensor<?x4xT>) {
  ^bb0(%v: T, %k: T, %o: T):
    %p = math.powf %v, %k : T
    %q = arith.addf %p, %h : T
    linalg.yield %q : T
  } -> tensor<?x4xT>
  return %y : tensor<?x4xT>""", [("n", 4), (4,)], (1, 5))
def captured(n, x, w):
    return x ** w[2] + w[1] / n


# Rows side by side; what another turn writes is not what this one reads.
@program("%x: tensor<?x4xT>, %w: tensor<4xT>, %h: tensor<?x4xT>", "tensor<?x4xT>", """
  %n = tensor.dim %x, %c0 : tensor<?x4xT>
  %e = tensor.empty() : tensor<4xT>
  %y = scf.forall (%i) in (%n) shared_outs(%o = %h) -> (tensor<?x4xT>) {
    %k = arith.subi %n, %c1 : index
    %j = arith.subi %k, %i : index
    %s = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<?x4xT> to tensor<4xT>
    %b = tensor.extract_slice %o[%j, 0] [1, 4] [1, 1] : tensor<?x4xT> to tensor<4xT>""" +
    times("m", "%s", "%w", "tensor<4xT>") + times("t", "%m", "%b", "tensor<4xT>") + """
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i, 0] [1, 4] [1, 1] : tensor<4xT> into tensor<?x4xT>
    }
  }
  return %y : tensor<?x4xT>""", [("n", 4), (4,), ("n", 4)], (0, 1, 5))
def side_by_side(n, x, w, h):
    return x * w * h[::-1]


# Of two dimensions, in steps, with two results, and one in the other; a number of each is carried.
@program("%x: tensor<6x4xT>, %w: tensor<4x4xT>, %h: tensor<6x4xT>", "tensor<6x4xT>", """
  %e = tensor.empty() : tensor<6x4xT>
  %y:2 = scf.forall (%i, %j) = (1, 0) to (6, 4) step (2, 3) shared_outs(%o = %h, %p = %x)
      -> (tensor<6x4xT>, tensor<6x4xT>) {
    %a = tensor.extract %x[%i, %j] : tensor<6x4xT>
    %b = tensor.extract %w[%j, %j] : tensor<4x4xT>
    %m = arith.mulf %a, %b : T
    %r = tensor.from_elements %m : tensor<1x1xT>
    %line = tensor.empty() : tensor<1x1xT>
    %q = scf.forall (%k) in (1) shared_outs(%l = %line) -> (tensor<1x1xT>) {
      %s = math.exp %m : T
      %one = tensor.from_elements %s : tensor<1x1xT>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %one into %l[%k, 0] [1, 1] [1, 1] : tensor<1x1xT> into tensor<1x1xT>
      }
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %q into %o[%i, %j] [1, 1] [1, 1] : tensor<1x1xT> into tensor<6x4xT>
      tensor.parallel_insert_slice %r into %p[%i, %j] [1, 1] [1, 1] : tensor<1x1xT> into tensor<6x4xT>
    }
  }""" + times("both", "%y#0", "%y#1", "tensor<6x4xT>") + """
  return %both : tensor<6x4xT>""", [(6, 4), (4, 4), (6, 4)])
def in_steps(n, x, w, h):
    o, p = h.copy(), x.copy()
    for i in range(1, 6, 2):
        for j in range(0, 4, 3):
            p[i, j] = x[i, j] * w[j, j]
            o[i, j] = np.exp(p[i, j])
    return o * p


# Sums and products in any order, of a number that is an argument; the result is a number, too.
@program("%x: tensor<6x4xT>, %s: T", "T", """
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %y:2 = scf.parallel (%i, %j) = (%c1, %c0) to (%c6, %c4) step (%c2, %c1) init (%s, %s) -> (T, T) {
    %v = tensor.extract %x[%i, %j] : tensor<6x4xT>
    %m = arith.mulf %v, %s : T
    scf.reduce(%m, %v : T, T) {
    ^bb0(%a: T, %b: T):
      %sum = arith.addf %a, %b : T
      scf.reduce.return %sum : T
    }, {
    ^bb0(%a: T, %b: T):
      %product = arith.mulf %a, %b : T
      scf.reduce.return %product : T
    }
  }
  %r = scf.index_switch %c4 -> T
  case 4 {
    %both = arith.divf %y#0, %y#1 : T
    scf.yield %both : T
  }
  default {
    scf.yield %s : T
  }
  return %r : T""", [(6, 4), ()])
def any_order(n, x, s):
    return (s + (x[1::2] * s).sum()) / (s * x[1::2].prod())


loop_gradients.main()
