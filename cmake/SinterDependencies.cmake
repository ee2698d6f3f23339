# What Sinter is built on. Everything that is missing is named in one message,
# with the Debian package that has it.

set(SINTER_LLVM_DIR /usr/lib/llvm-22 CACHE PATH "where LLVM and MLIR 22 are")

set(SINTER_SANITIZE "" CACHE STRING "sanitizers for our code, e.g. address,undefined")

set(missing "")
function(sinter_need variable what package)
  if(NOT ${variable})
    set(missing "${missing}\n  ${what}: apt-get install ${package}" PARENT_SCOPE)
  endif()
endfunction()

# MLIR's package file fails by itself where one of its files is missing, with
# no word on packages: so look first, load after.
find_file(SINTER_MLIR_CONFIG MLIRConfig.cmake
  HINTS ${MLIR_DIR} ${SINTER_LLVM_DIR}/lib/cmake/mlir)
find_file(SINTER_LLVM_CONFIG LLVMConfig.cmake
  HINTS ${LLVM_DIR} ${SINTER_LLVM_DIR}/lib/cmake/llvm)
sinter_need(SINTER_MLIR_CONFIG "MLIR 22" libmlir-22-dev)
sinter_need(SINTER_LLVM_CONFIG "LLVM 22" llvm-22-dev)

foreach(tool
    "MLIR_TBLGEN;mlir-tblgen;mlir-22-tools"
    "MLIR_OPT;mlir-opt;mlir-22-tools"
    "FILECHECK;FileCheck;llvm-22-tools"
    "NOT;not;llvm-22-tools"
    "COUNT;count;llvm-22-tools"
    "LIT;lit;llvm-22-tools")
  list(POP_FRONT tool variable program package)
  find_program(SINTER_${variable} NAMES ${program} ${program}-22
    HINTS ${SINTER_LLVM_DIR}/bin)
  sinter_need(SINTER_${variable} ${program} ${package})
endforeach()

find_path(SINTER_XSMM_INCLUDE libxsmm.h)
find_library(SINTER_XSMM_GENERATOR NAMES libxsmmgen.a) # the generator of micro-kernels alone
find_path(SINTER_DLPACK_INCLUDE dlpack/dlpack.h)
sinter_need(SINTER_XSMM_INCLUDE libxsmm.h libxsmm-dev)
sinter_need(SINTER_XSMM_GENERATOR libxsmmgen.a libxsmm-dev)
sinter_need(SINTER_DLPACK_INCLUDE dlpack/dlpack.h libdlpack-dev)

find_program(SINTER_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(SINTER_PYTHON NAMES python3)
sinter_need(SINTER_PYTHON python3 python3)
set(SINTER_TEST_PYTHON ${SINTER_PYTHON} CACHE FILEPATH
  "a Python with torch, for the tests of python/; without torch they are skipped")

if(missing)
  message(FATAL_ERROR "Sinter needs, and this machine has not:${missing}\n"
    "scripts/setup installs them all.")
endif()

find_package(Threads REQUIRED)
find_package(MLIR CONFIG REQUIRED HINTS ${SINTER_LLVM_DIR}/lib/cmake/mlir ${SINTER_LLVM_DIR})
if(NOT LLVM_VERSION_MAJOR EQUAL 22) # its version file accepts 22.1 for 22.1 only, never 22
  message(FATAL_ERROR "Sinter needs MLIR 22, and ${MLIR_DIR} is ${LLVM_PACKAGE_VERSION} "
    "(Debian: libmlir-22-dev; elsewhere: -DMLIR_DIR=.../lib/cmake/mlir)")
endif()
message(STATUS "MLIR ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}")
set(SINTER_LLVM_LIBDIR ${LLVM_LIBRARY_DIR})

add_library(sinter_llvm_headers INTERFACE)
target_include_directories(sinter_llvm_headers SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
separate_arguments(llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_options(sinter_llvm_headers INTERFACE ${llvm_definitions})

# libMLIR.so does not hold the C API: its archives are linked in, whole files
# of which go again by --gc-sections, and their names stay inside. The CMake
# targets of the archives are of no use: they drag static copies of MLIR in.
file(GLOB capi_archives ${SINTER_LLVM_LIBDIR}/libMLIRCAPI*.a)
set(capi_large ${capi_archives})
list(FILTER capi_large INCLUDE REGEX "(RegisterEverything|ExecutionEngine|Target)\\.a$")
list(REMOVE_ITEM capi_archives ${capi_large})
set(engine_archives ${SINTER_LLVM_LIBDIR}/libMLIRExecutionEngine.a
                    ${SINTER_LLVM_LIBDIR}/libMLIRExecutionEngineUtils.a)

function(sinter_mlir_library name)
  add_library(${name} INTERFACE)
  target_link_libraries(${name} INTERFACE
    -Wl,--start-group ${ARGN} -Wl,--end-group
    -L${SINTER_LLVM_LIBDIR} -l:libMLIR.so.22.1 -l:libLLVM.so.22.1)
  if(NOT SINTER_SANITIZE) # would hide ASan's malloc from libMLIR, which then frees ours by its own
    target_link_options(${name} INTERFACE -Wl,--exclude-libs,ALL)
  endif()
endfunction()
sinter_mlir_library(sinter_mlir ${capi_archives})
sinter_mlir_library(sinter_mlir_everything ${capi_archives} ${capi_large} ${engine_archives})

# What a program linked with the runtime needs besides the runtime.
set(SINTER_RUNTIME_INCLUDE_DIRS ${SINTER_XSMM_INCLUDE} ${SINTER_DLPACK_INCLUDE})
list(REMOVE_DUPLICATES SINTER_RUNTIME_INCLUDE_DIRS)
list(REMOVE_ITEM SINTER_RUNTIME_INCLUDE_DIRS /usr/include) # moving it breaks include_next
set(SINTER_RUNTIME_LIBRARIES ${SINTER_XSMM_GENERATOR} -Wl,--as-needed)
