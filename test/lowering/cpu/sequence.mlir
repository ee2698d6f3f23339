// RUN: sinter-opt --sinter-lower-cpu --split-input-file --verify-diagnostics %s | FileCheck %s

// A sequence is one region: each form notes its stages, and says for how many forms it waits. Forms that do the same
// are one function, on other operands. The second has the scratch memory of the first, which has ended when it begins;
// the third, which may run beside the second, has another.

// CHECK-LABEL: func.func private @chain_kernel0
// CHECK-SAME: (%[[X:.*]]: memref<4x8xf32>, %[[Y:.*]]: memref<4x8xf32>, %[[Z:.*]]: memref<4x8xf32>, %[[S:.*]]: memref<f32>, %[[W:.*]]: memref<[[BYTES:.*]]xi8>)
// CHECK: %[[V:.*]] = memref.view %[[W]][%{{.*}}][] : memref<[[BYTES]]xi8> to memref<576xi8>
// CHECK: %[[M:.*]] = memref.view %[[W]][%c576{{.*}}][] : memref<[[BYTES]]xi8> to memref<64xi8>
// CHECK: %[[N:.*]] = memref.view %[[W]]
// CHECK: %[[AT:.*]] = llvm.inttoptr
// CHECK: call @sinter_rt_sequence_begin(%[[AT]])
// CHECK: %[[W0:.*]] = arith.constant 0 : i64
// CHECK: call @sinter_rt_sequence_form(%[[AT]], %[[W0]])
// CHECK: %[[P0:.*]] = memref.view %[[W]]
// CHECK: %[[S0:.*]] = memref.view %[[M]]
// CHECK: call @chain_kernel0_form0(%[[X]], %[[Y]], %[[AT]], %[[P0]], %[[S0]])
// CHECK: %[[W1:.*]] = arith.constant 1 : i64
// CHECK: call @sinter_rt_sequence_form(%[[AT]], %[[W1]])
// CHECK: %[[P1:.*]] = memref.view %[[W]]
// CHECK: %[[S1:.*]] = memref.view %[[M]]
// CHECK: call @chain_kernel0_form0(%[[Y]], %[[Z]], %[[AT]], %[[P1]], %[[S1]])
// CHECK: %[[W2:.*]] = arith.constant 1 : i64
// CHECK: call @sinter_rt_sequence_form(%[[AT]], %[[W2]])
// CHECK: %[[S2:.*]] = memref.view %[[N]]
// CHECK: call @chain_kernel0_form2(%[[Y]], %[[S]], %[[AT]], %{{.*}}, %[[S2]])
// CHECK: call @sinter_rt_sequence_run(%[[AT]])
// CHECK-NEXT: return

// What a form does behind its tasks, to sum up what they leave, is a stage of one task. Nothing is computed where
// stages are noted.

// CHECK-LABEL: func.func private @chain_kernel0_form2
// CHECK-SAME: (%[[A:.*]]: memref<4x8xf32>, %[[R:.*]]: memref<f32>, %[[AT:.*]]: !llvm.ptr, %{{.*}}: memref<{{.*}}xi8>, %{{.*}}: memref<64xi8>)
// CHECK-NOT: memref.load
// CHECK-NOT: memref.alloca
// CHECK: %[[F:.*]] = constant @chain_kernel0_form2_task :
// CHECK: %[[T:.*]] = builtin.unrealized_conversion_cast %[[F]]
// CHECK: call @sinter_rt_sequence_stage(%[[T]], %{{.*}}, %c2_i64, %[[AT]])
// CHECK-NOT: memref.load
// CHECK: %[[F:.*]] = constant @chain_kernel0_form2_task1 :
// CHECK: %[[T:.*]] = builtin.unrealized_conversion_cast %[[F]]
// CHECK: call @sinter_rt_sequence_stage(%[[T]], %{{.*}}, %c1_i64{{.*}}, %[[AT]])
// CHECK-NEXT: return
// CHECK: func.func private @chain_kernel0_form2_task1
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %{{.*}}[] : memref<f32>

// CHECK-LABEL: func.func private @chain_kernel0_form0(
// CHECK-NOT: sinter_rt_parallel
func.func private @chain_kernel0(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>, %s: memref<f32>)
    attributes {sinter.kernel} {
  sinter.sequence phases [0, 1, 1] waits [0, 1, 1] {
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>)
        schedule(#sinter.rows<chunk = 2, lanes = 4>) {
    ^row(%a: tensor<8xf32>):
      %b = math.exp %a : tensor<8xf32>
      sinter.yield %b : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%y[i, j] : memref<4x8xf32>) outs(%z[i, j] : memref<4x8xf32>)
        schedule(#sinter.rows<chunk = 2, lanes = 4>) {
    ^row(%a: tensor<8xf32>):
      %b = math.exp %a : tensor<8xf32>
      sinter.yield %b : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%y[i, j] : memref<4x8xf32>) reduce(add [] : f32) outs(%s[] : memref<f32>)
        schedule(#sinter.rows<chunk = 2, lanes = 4>) {
    ^row(%a: tensor<8xf32>):
      %b = sinter.row_reduce add %a : tensor<8xf32> -> f32
      sinter.yield %b : f32
    }
    sinter.yield
  }
  return
}

// -----

func.func private @no_waits(%x: memref<4x8xf32>, %y: memref<4x8xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{has no waits: run sinter-schedule{target=cpu} before sinter-lower-cpu}}
  sinter.sequence phases [0] {
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>)
        schedule(#sinter.rows<chunk = 2, lanes = 4>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.yield
  }
  return
}
