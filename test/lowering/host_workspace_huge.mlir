// RUN: sinter-opt --sinter-workspace --allow-unregistered-dialect --verify-diagnostics %s

// Each buffer is a number of bytes, and the two together are not.
// expected-error @+1 {{needs a workspace of more bytes than memory can address}}
func.func @main(%x: memref<f32>) {
  %a = memref.alloc() : memref<2305843009213693951xf32>
  %b = memref.alloc() : memref<2305843009213693951xf32>
  "test.use"(%a, %b) : (memref<2305843009213693951xf32>, memref<2305843009213693951xf32>) -> ()
  return
}
