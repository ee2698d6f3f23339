// RUN: sinter-opt --sinter-boundary --split-input-file --verify-diagnostics %s | FileCheck %s

// Tensors stay as they are; inputs are not to be written.

// CHECK-LABEL: func @tensors
//  CHECK-SAME:   (%{{.+}}: tensor<4x8xbf16> {bufferization.writable = false}) -> tensor<4x8xbf16>
//  CHECK-SAME:   sinter.inputs = [tensor<4x8xbf16>], sinter.outputs = [tensor<4x8xbf16>]
func.func @tensors(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  return %x : tensor<4x8xbf16>
}

// -----

// Numbers travel as tensors of rank 0.

// CHECK-LABEL: func @numbers
//  CHECK-SAME:   (%[[A:.+]]: tensor<f32> {{.+}}, %[[T:.+]]: tensor<i64> {{.+}}) -> (tensor<f32>, tensor<i1>)
//   CHECK-DAG:   %[[X:.+]] = tensor.extract %[[A]][] : tensor<f32>
//   CHECK-DAG:   %[[Y:.+]] = tensor.extract %[[T]][] : tensor<i64>
//       CHECK:   %[[S:.+]] = arith.addf %[[X]], %[[X]] : f32
//       CHECK:   %[[C:.+]] = arith.cmpi eq, %[[Y]], %[[Y]] : i64
//   CHECK-DAG:   %[[R0:.+]] = tensor.from_elements %[[S]] : tensor<f32>
//   CHECK-DAG:   %[[R1:.+]] = tensor.from_elements %[[C]] : tensor<i1>
//       CHECK:   return %[[R0]], %[[R1]]
func.func @numbers(%a: f32, %t: i64) -> (f32, i1) {
  %s = arith.addf %a, %a : f32
  %c = arith.cmpi eq, %t, %t : i64
  return %s, %c : f32, i1
}

// -----

// A value that is returned twice is copied: each result has a place of its own.

// CHECK-LABEL: func @twice
//       CHECK:   %[[Y:.+]] = arith.negf
//       CHECK:   %[[Z:.+]] = bufferization.alloc_tensor() copy(%[[Y]]) : tensor<3xf32>
//       CHECK:   return %[[Y]], %[[Z]] : tensor<3xf32>, tensor<3xf32>
func.func @twice(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %y = arith.negf %x : tensor<3xf32>
  return %y, %y : tensor<3xf32>, tensor<3xf32>
}

// -----

// A private function is nobody's boundary.

// CHECK-LABEL: func private @inner(%{{.+}}: tensor<?xf32>) -> index
func.func private @inner(%x: tensor<?xf32>) -> index {
  %c = arith.constant 0 : index
  %n = tensor.dim %x, %c : tensor<?xf32>
  return %n : index
}

// -----

// Sizes of results are computed from those of inputs: both lie one after another.

// CHECK-LABEL: func @sizes
//  CHECK-SAME:   sinter.inputs = [tensor<3xf32>, tensor<?x8xf32>], sinter.outputs = [tensor<8x?xf32>, tensor<?xf32>], sinter.shapes = "sizes_shapes"
// CHECK-LABEL: func private @sizes_shapes
//  CHECK-SAME:   (%[[IN:.+]]: !llvm.ptr, %[[OUT:.+]]: !llvm.ptr)
//       CHECK:   llvm.getelementptr %[[OUT]][0]
//       CHECK:   %[[P:.+]] = llvm.getelementptr %[[IN]][1]
//       CHECK:   %[[N:.+]] = llvm.load %[[P]] : !llvm.ptr -> i64
//       CHECK:   %[[I:.+]] = arith.index_cast %[[N]] : i64 to index
//       CHECK:   %[[R1:.+]] = arith.index_cast %[[I]] : index to i64
//       CHECK:   %[[O1:.+]] = llvm.getelementptr %[[OUT]][1]
//       CHECK:   llvm.store %[[R1]], %[[O1]]
//       CHECK:   %[[ALL:.+]] = arith.muli %[[I]], %{{.+}} : index
//       CHECK:   %[[R2:.+]] = arith.index_cast %[[ALL]] : index to i64
//       CHECK:   %[[O2:.+]] = llvm.getelementptr %[[OUT]][2]
//       CHECK:   llvm.store %[[R2]], %[[O2]]
func.func @sizes(%w: tensor<3xf32>, %x: tensor<?x8xf32>) -> (tensor<8x?xf32>, tensor<?xf32>) {
  %c = arith.constant 0 : index
  %n = tensor.dim %x, %c : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<8x?xf32>
  %t = linalg.transpose ins(%x : tensor<?x8xf32>) outs(%e : tensor<8x?xf32>) permutation = [1, 0]
  %f = tensor.collapse_shape %x [[0, 1]] : tensor<?x8xf32> into tensor<?xf32>
  return %t, %f : tensor<8x?xf32>, tensor<?xf32>
}

// -----

// A size that depends on what an input holds is its caller's to say.

// CHECK-LABEL: func @counted
//  CHECK-SAME:   sinter.shapes = "counted_shapes", sinter.sizes_of_data
//       CHECK: func private @counted_shapes
//       CHECK:   %[[N:.+]] = arith.constant -9223372036854775808 : i64
//       CHECK:   llvm.store %[[N]]
func.func @counted(%t: tensor<1xi64>) -> tensor<?xf32> {
  %c = arith.constant 0 : index
  %i = tensor.extract %t[%c] : tensor<1xi64>
  %n = arith.index_cast %i : i64 to index
  %e = tensor.empty(%n) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// What computes sizes has a name that nothing else has.

// CHECK-LABEL: func @taken
//  CHECK-SAME:   sinter.shapes = "taken_shapes1"
func.func private @taken_shapes() {
  return
}
func.func @taken(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

// Names, and what is the gradient of what, are kept for the table. A number's gradient travels as a tensor too.

// CHECK-LABEL: func @gradients
//  CHECK-SAME:   -> (tensor<f32>, tensor<3xf32>, tensor<f32>) attributes
//  CHECK-SAME:   sinter.input_facts = [{name = "x"}, {}, {gradient_of = 0 : i64}]
//  CHECK-SAME:   sinter.output_facts = [{name = "loss"}, {gradient_of = 0 : i64}, {gradient_of = 1 : i64}]
func.func @gradients(%x: tensor<3xf32> {sinter.name = "x"}, %s: f32, %g: tensor<f32> {sinter.upstream_of = 0})
    -> (f32 {sinter.name = "loss"}, tensor<3xf32> {sinter.gradient_of = 0}, f32 {sinter.gradient_of = 1}) {
  return %s, %x, %s : f32, tensor<3xf32>, f32
}

// -----

// Where nothing was said there is nothing to keep. A function that returns gradients alone has an upstream of another's
// result.

// CHECK-LABEL: func @plain
//   CHECK-NOT:   sinter.input_facts
func.func @plain(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
// CHECK-LABEL: func @plain_backward
//  CHECK-SAME:   sinter.input_facts = [{}, {gradient_of = 1 : i64}]
func.func @plain_backward(%x: tensor<3xf32>, %g: tensor<3xf32> {sinter.upstream_of = 1}) -> (tensor<3xf32> {sinter.gradient_of = 0}) {
  return %g : tensor<3xf32>
}

// -----

// expected-error @+1 {{result 1 has sinter.gradient_of = 2: expected one of 1}}
func.func @gradient_of_nothing(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32> {sinter.gradient_of = 2}) {
  return %x, %x : tensor<3xf32>, tensor<3xf32>
}

// -----

// expected-error @+1 {{result 0 has sinter.gradient_of = 0: expected one of 0}}
func.func @gradient_without_arguments() -> (tensor<f32> {sinter.gradient_of = 0}) {
  %y = arith.constant dense<1.0> : tensor<f32>
  return %y : tensor<f32>
}

// -----

// expected-error @+1 {{argument 0 is tensor<3xf32>, and what sinter.upstream_of = 0 names is tensor<f32>}}
func.func @upstream_of_another_shape(%g: tensor<3xf32> {sinter.upstream_of = 0}, %s: f32) -> f32 {
  return %s : f32
}

// -----

// expected-error @+1 {{argument 0 is the upstream of result 1, which is a gradient itself}}
func.func @upstream_of_a_gradient(%g: tensor<f32> {sinter.upstream_of = 1}) -> (tensor<f32>, tensor<f32> {sinter.gradient_of = 0}) {
  return %g, %g : tensor<f32>, tensor<f32>
}

// -----

// expected-error @+1 {{argument 0 has a sinter.name that is no string}}
func.func @nameless(%x: tensor<3xf32> {sinter.name = 3}) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}

// -----

// expected-error @+1 {{argument 0 is memref<8xf32>: expected a tensor of known rank, or a number}}
func.func @buffer(%x: memref<8xf32>) {
  return
}

// -----

// expected-error @+1 {{argument 0 is tensor<*xf32>: expected a tensor of known rank, or a number}}
func.func @unranked(%x: tensor<*xf32>) {
  return
}

// -----

// An index is 64 bits to a caller, alone and in tensors.

// CHECK-LABEL: func @index
//  CHECK-SAME:   (%[[N:.+]]: tensor<index> {{.+}}, %{{.+}}: tensor<?xindex> {{.+}}) -> (tensor<?xindex>, tensor<index>)
//  CHECK-SAME:   sinter.inputs = [tensor<i64>, tensor<?xi64>], sinter.outputs = [tensor<?xi64>, tensor<i64>]
//       CHECK:   tensor.extract %[[N]][] : tensor<index>
func.func @index(%n: index, %x: tensor<?xindex>) -> (tensor<?xindex>, index) {
  %y = arith.muli %x, %x : tensor<?xindex>
  %m = arith.addi %n, %n : index
  return %y, %m : tensor<?xindex>, index
}

// -----

// expected-error @+1 {{result 0 is tensor<4xi4>: expected elements of f64, f32, f16, bf16, f8E4M3FN, f8E5M2, index, i64, i32, i16, i8 or i1}}
func.func @narrow() -> tensor<4xi4> {
  %x = arith.constant dense<0> : tensor<4xi4>
  return %x : tensor<4xi4>
}

// -----

// expected-error @+1 {{argument 0 is tensor<4xf32, "blocked">: a host passes row-major tensors only}}
func.func @encoding(%x: tensor<4xf32, "blocked">) {
  return
}

// -----

// expected-error @+1 {{is declared, and nothing defines it}}
func.func private @elsewhere(tensor<4xf32>) -> tensor<4xf32>

// -----

// An input that kernels alone read needs no word about writing: upstream takes all arguments' attributes anew for each.

func.func private @kernel(%x: memref<4xf32>, %y: memref<4xf32>) attributes {sinter.kernel} {
  return
}
// CHECK-LABEL: func.func @read_by_kernels
//  CHECK-SAME:   (%{{.+}}: tensor<4xf32>, %{{.+}}: tensor<4xf32> {bufferization.writable = false}, %{{.+}}: tensor<4xf32> {bufferization.writable = false})
func.func @read_by_kernels(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %a = bufferization.to_buffer %x read_only : tensor<4xf32> to memref<4xf32>
  %m = memref.alloc() : memref<4xf32>
  %b = bufferization.to_buffer %z : tensor<4xf32> to memref<4xf32>
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  func.call @kernel(%a, %m) : (memref<4xf32>, memref<4xf32>) -> ()
  %t = bufferization.to_tensor %m restrict writable : memref<4xf32> to tensor<4xf32>
  %w = tensor.insert %one into %y[%c0] : tensor<4xf32>
  return %t, %w : tensor<4xf32>, tensor<4xf32>
}
