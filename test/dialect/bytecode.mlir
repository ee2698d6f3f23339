// RUN: sinter-opt %S/ops.mlir -o %t.text
// RUN: sinter-opt --emit-bytecode %S/ops.mlir -o %t.bc && sinter-opt %t.bc | diff %t.text -
// RUN: sinter-opt --emit-bytecode --mlir-print-debuginfo %S/ops.mlir -o %t.bc && sinter-opt --mlir-print-op-generic %t.bc | sinter-opt | diff %t.text -

// Everything of ops.mlir survives bytecode: attributes of forms are properties there.
