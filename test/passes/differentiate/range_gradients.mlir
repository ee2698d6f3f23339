// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-bags{wrt=2},sinter-prepare,sinter-raise,sinter-differentiate{wrt=2 upstream=true})' %S/../../run/Inputs/bags.mlir | FileCheck %s

// The sums of an embedding bag's ranges, and behind them their gradient: zeros, then each range's row added to all of
// its positions, one range after the other.

// CHECK-LABEL: func.func @main
//  CHECK-SAME:   %[[G:[a-z0-9]+]]: tensor<4x5xf32> {sinter.upstream_of = 0 : i64}
//       CHECK:   %[[R:.+]]:2 = sinter.steps
//       CHECK:   sinter.steps rows(0) ins(%[[R]]#0, %[[R]]#1, %{{.+}} : tensor<4xindex>, tensor<4xindex>, tensor<9x5xf32>)
//       CHECK:   sinter.steps rows(0) ins(%{{.+}}, %[[R]]#0, %[[R]]#1 : tensor<1x4x5xf32>, tensor<4xindex>, tensor<4xindex>) outs(%{{.+}} : tensor<9x5xf32>) attributes {sinter.spread_over_ranges}
//  CHECK-NEXT:   ^bb0(%[[ROW:.+]]: index, %[[DY:.+]]: memref<1x4x5xf32>, %[[LOW:.+]]: memref<4xindex>, %[[HIGH:.+]]: memref<4xindex>, %[[DV:.+]]: memref<9x5xf32>):
//       CHECK:     memref.store %cst{{.*}}, %[[DV]][
//       CHECK:     scf.for %[[I:.+]] =
//   CHECK-DAG:       %[[L:.+]] = memref.load %[[LOW]][%[[I]]]
//   CHECK-DAG:       %[[H:.+]] = memref.load %[[HIGH]][%[[I]]]
//       CHECK:       scf.for %[[P:.+]] = %[[L]] to %[[H]]
//       CHECK:         scf.parallel (%[[E:.+]]) =
//       CHECK:           %[[X:.+]] = memref.load %[[DY]][%[[ROW]], %[[I]], %[[E]]]
//       CHECK:           %[[S:.+]] = memref.load %[[DV]][%[[P]], %[[E]]]
//       CHECK:           %[[T:.+]] = arith.addf %[[X]], %[[S]]
//       CHECK:           memref.store %[[T]], %[[DV]][%[[P]], %[[E]]]
