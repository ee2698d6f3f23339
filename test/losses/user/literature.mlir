// DEFINE: %{check} = --element-tolerance=1e-5,1e-6 --stats
// DEFINE: %{in} = %S/Inputs
// RUN: sinter-run %s --entry=tversky_loss --input=%{in}/tversky.in0.npy --input=%{in}/tversky.in1.npy --expect=%{in}/tversky.out0.npy --expect=%{in}/tversky.out1.npy %{check} | FileCheck %s
// RUN: sinter-run %s --entry=arcface_loss --input=%{in}/arcface.in0.npy --input=%{in}/arcface.in1.npy --expect=%{in}/arcface.out0.npy --expect=%{in}/arcface.out1.npy %{check} | FileCheck %s
// RUN: sinter-run %s --entry=barron_loss --input=%{in}/barron.in0.npy --input=%{in}/barron.in1.npy --expect=%{in}/barron.out0.npy --expect=%{in}/barron.out1.npy --expect=%{in}/barron.out2.npy %{check} | FileCheck %s
// RUN: not sinter-opt --sinter-expand %S/Inputs/barron_0.mlir 2>&1 | FileCheck %s --check-prefix=ZERO

// Losses from the literature as a user writes them: value and gradients are one kernel. The numbers are PyTorch's in
// float64.

// CHECK: output 0 of {{.+}} agrees
// CHECK: output 1 of {{.+}} agrees
// CHECK: "kernels": 1,

// ZERO: error: 'sinter.apply' op fails in every row: alpha is 0 or 2, which are losses of their own

// Tversky: the overlap of a mask with its prediction, where what is missed and what is too much count differently.
sinter.define @tversky(%x: tensor<?xf32>, %y: tensor<?xf32>, %over: f32 {at_least = 0.0, default = 0.3}, %missed: f32 {at_least = 0.0, default = 0.7})
    attributes {reductions = ["mean", "sum", "none"], formula = "l = 1 - (TP + 1) / (TP + over FP + missed FN + 1), p = sigmoid(x)"} {
  %one = arith.constant 1.0 : f32
  %ones = sinter.broadcast %one : f32 -> tensor<?xf32>
  %p = sinter.sigmoid(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %q = arith.subf %ones, %p : tensor<?xf32>
  %n = arith.subf %ones, %y : tensor<?xf32>
  %py = arith.mulf %p, %y : tensor<?xf32>
  %pn = arith.mulf %p, %n : tensor<?xf32>
  %qy = arith.mulf %q, %y : tensor<?xf32>
  %tp = sinter.row_reduce add %py : tensor<?xf32> -> f32
  %fp = sinter.row_reduce add %pn : tensor<?xf32> -> f32
  %fn = sinter.row_reduce add %qy : tensor<?xf32> -> f32
  %a = arith.mulf %over, %fp : f32
  %b = arith.mulf %missed, %fn : f32
  %top = arith.addf %tp, %one : f32
  %ab = arith.addf %a, %b : f32
  %bottom = arith.addf %top, %ab : f32
  %index = arith.divf %top, %bottom : f32
  %l = arith.subf %one, %index : f32
  sinter.yield %l : f32
}

// ArcFace: cross entropy of cosines, where the label's angle has a margin more.
sinter.define @arcface(%cosines: tensor<?xf32>, %label: i64, %scale: f32 {above = 0.0, default = 30.0}, %margin: f32 {at_least = 0.0, default = 0.5})
    attributes {reductions = ["mean", "sum", "none"], columns = 1, formula = "l = cross_entropy(scale cos(angle + margin at the label))"} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c = sinter.pick %cosines[%label] else %zero : tensor<?xf32>, i64
  %cc = arith.mulf %c, %c : f32
  %ss = arith.subf %one, %cc : f32
  %s = math.sqrt %ss : f32
  %cos = math.cos %margin : f32
  %sin = math.sin %margin : f32
  %u = arith.mulf %c, %cos : f32
  %v = arith.mulf %s, %sin : f32
  %moved = arith.subf %u, %v : f32
  %j = sinter.index column : tensor<?xindex>
  %t = arith.index_cast %label : i64 to index
  %ts = sinter.broadcast %t : index -> tensor<?xindex>
  %own = arith.cmpi eq, %j, %ts : tensor<?xindex>
  %moves = sinter.broadcast %moved : f32 -> tensor<?xf32>
  %logits = arith.select %own, %moves, %cosines : tensor<?xi1>, tensor<?xf32>
  %scales = sinter.broadcast %scale : f32 -> tensor<?xf32>
  %scaled = arith.mulf %scales, %logits : tensor<?xf32>
  %l = sinter.cross_entropy(%scaled, %label) : (tensor<?xf32>, i64) -> f32
  sinter.yield %l : f32
}

// Barron's general robust loss, without its limits at alpha = 0 and 2.
sinter.define @barron(%x: tensor<?xf32>, %y: tensor<?xf32>, %alpha: f32 {at_most = 2.0, default = 1.0}, %c: f32 {above = 0.0, default = 1.0})
    attributes {reductions = ["mean", "sum", "none"], formula = "l = b / alpha ((((x - y) / c)^2 / b + 1)^(alpha / 2) - 1), b = |alpha - 2|"} {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %below = arith.cmpf one, %alpha, %zero : f32
  %above = arith.cmpf one, %alpha, %two : f32
  %ok = arith.andi %below, %above : i1
  cf.assert %ok, "alpha is 0 or 2, which are losses of their own"
  %b = arith.subf %two, %alpha : f32
  %factor = arith.divf %b, %alpha : f32
  %power = arith.mulf %alpha, %half : f32
  %factors = sinter.broadcast %factor : f32 -> tensor<?xf32>
  %powers = sinter.broadcast %power : f32 -> tensor<?xf32>
  %bs = sinter.broadcast %b : f32 -> tensor<?xf32>
  %cs = sinter.broadcast %c : f32 -> tensor<?xf32>
  %ones = sinter.broadcast %one : f32 -> tensor<?xf32>
  %d = arith.subf %x, %y : tensor<?xf32>
  %u = arith.divf %d, %cs : tensor<?xf32>
  %uu = arith.mulf %u, %u : tensor<?xf32>
  %v = arith.divf %uu, %bs : tensor<?xf32>
  %w = arith.addf %v, %ones : tensor<?xf32>
  %p = math.powf %w, %powers : tensor<?xf32>
  %q = arith.subf %p, %ones : tensor<?xf32>
  %l = arith.mulf %factors, %q : tensor<?xf32>
  sinter.yield %l : tensor<?xf32>
}

func.func @tversky_loss(%x: tensor<9x37xf32>, %y: tensor<9x37xf32>) -> (tensor<f32>, tensor<9x37xf32>) {
  %l = sinter.apply @tversky(%x, %y) : (tensor<9x37xf32>, tensor<9x37xf32>) -> tensor<f32>
  %dx = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<9x37xf32>) -> tensor<9x37xf32>
  return %l, %dx : tensor<f32>, tensor<9x37xf32>
}

func.func @arcface_loss(%x: tensor<8x21xf32>, %t: tensor<8xi64>) -> (tensor<f32>, tensor<8x21xf32>) {
  %l = sinter.apply @arcface(%x, %t) : (tensor<8x21xf32>, tensor<8xi64>) -> tensor<f32>
  %dx = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<8x21xf32>) -> tensor<8x21xf32>
  return %l, %dx : tensor<f32>, tensor<8x21xf32>
}

func.func @barron_loss(%x: tensor<9x37xf32>, %y: tensor<9x37xf32>) -> (tensor<f32>, tensor<9x37xf32>, tensor<9x37xf32>) {
  %l = sinter.apply @barron(%x, %y) {alpha = -1.5, c = 0.7} : (tensor<9x37xf32>, tensor<9x37xf32>) -> tensor<f32>
  %dx, %dy = sinter.differentiate %l wrt(%x, %y) : (tensor<f32>, tensor<9x37xf32>, tensor<9x37xf32>) -> (tensor<9x37xf32>, tensor<9x37xf32>)
  return %l, %dx, %dy : tensor<f32>, tensor<9x37xf32>, tensor<9x37xf32>
}
