// RUN: sinter-run %source/docs/log_cosh.mlir --verify --stats | FileCheck %s
// RUN: %python %S/Inputs/library_table.py %source

// docs/losses.md: the loss that it defines runs as it says; its table is the library's list of files.

// CHECK: output 0 of main agrees
// CHECK: output 1 of main agrees
// CHECK: "kernels": 1,
