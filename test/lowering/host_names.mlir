// RUN: sinter-opt --sinter-names --split-input-file --verify-diagnostics %s | FileCheck %s

// Inside, no function has a name that libm, the C library or the runtime has; what it is called in the table is kept.

// CHECK-LABEL: func @exp_host
//  CHECK-SAME:   attributes {sinter.function = "exp"}
//       CHECK:   call @free_host1(
// CHECK-LABEL: func private @free_host1
// CHECK-LABEL: func private @free_host()
// CHECK-LABEL: func @f_host
//  CHECK-SAME:   attributes {sinter.function = ""}
// CHECK-LABEL: func @f0_a_host
//  CHECK-SAME:   attributes {sinter.function = "0-a"}
// CHECK-LABEL: func @gr____e_host
//  CHECK-SAME:   attributes {sinter.function = "gr\C3\B6\C3\9Fe"}
// CHECK-LABEL: func private @sinter_rt_status() -> i32
// CHECK-LABEL: func private @main_kernel0
func.func @exp(%x: f32) -> f32 {
  %y = func.call @free(%x) : (f32) -> f32
  return %y : f32
}
func.func private @free(%x: f32) -> f32 {
  return %x : f32
}
func.func private @free_host()
func.func @""() {
  return
}
func.func @"0-a"() {
  return
}
func.func @"größe"() {
  return
}
func.func private @sinter_rt_status() -> i32
func.func private @main_kernel0() attributes {sinter.kernel} {
  return
}

// -----

// What a program says of itself by our own words is not believed.

// CHECK-LABEL: func @main_host
//  CHECK-SAME:   attributes {sinter.function = "main"}
// CHECK-LABEL: func private @helper_host() {
func.func @main() attributes {sinter.function = 7 : i32} {
  return
}
func.func private @helper() attributes {sinter.function = 7 : i32} {
  return
}

// -----

// Data has a name of ours too.

// CHECK: memref.global "private" constant @exp_data
// CHECK: memref.get_global @exp_data
memref.global "private" constant @exp : memref<2xf32> = dense<1.0>
func.func @main() -> memref<2xf32> {
  %c = memref.get_global @exp : memref<2xf32>
  return %c : memref<2xf32>
}

// -----

// expected-error @+1 {{names that begin with sinter_rt_ are the runtime's: rename it}}
func.func @sinter_rt_call() {
  return
}

// -----

// expected-error @+1 {{its name holds a control character, or is not UTF-8: rename it}}
func.func @"two\0Alines"() {
  return
}

// -----

// expected-error @+1 {{its name holds a control character, or is not UTF-8: rename it}}
func.func @"\FF"() {
  return
}

// -----

// A shorter spelling of U+002F exists.
// expected-error @+1 {{its name holds a control character, or is not UTF-8: rename it}}
func.func @"\C0\AF"() {
  return
}

// -----

// expected-error @+1 {{its name holds a control character, or is not UTF-8: rename it}}
func.func @"a\00b"() {
  return
}

// -----

func.func private @outer()
// expected-error @+1 {{is a module inside of the program: move its functions to the outer one}}
module {
  func.func @main() {
    return
  }
}

// -----

// expected-error @+1 {{calls itself whenever it runs, and so never ends}}
func.func @around() {
  func.call @about() : () -> ()
  return
}
func.func private @about() {
  func.call @around() : () -> ()
  return
}

// -----

// A public function that the program calls too becomes two: a host's results are not a caller's.

// CHECK-LABEL: func @helper_host
//  CHECK-SAME:   (%[[X:.+]]: tensor<4xf32> {sinter.name = "x"}) -> tensor<4xf32> attributes {no_inline, sinter.function = "helper"}
//  CHECK-NEXT:   %[[R:.+]] = call @helper_called(%[[X]])
//  CHECK-NEXT:   return %[[R]]
// CHECK-LABEL: func private @helper_called
//   CHECK-NOT:   sinter
//       CHECK:   arith.addf
// CHECK-LABEL: func @main_host
//       CHECK:   call @helper_called(
func.func @helper(%x: tensor<4xf32> {sinter.name = "x"}) -> tensor<4xf32> attributes {no_inline} {
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = func.call @helper(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
