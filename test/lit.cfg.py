# How lit runs Sinter's tests. Run them by scripts/test, `ninja check`, or
# `lit build/test/passes/fuse/fuse.mlir` for one.
#
# Programs: sinter-opt, sinter-run, sinter-cc, sinter-exec, mlir-opt (stock),
# FileCheck, not, count, test-runtime-*.
#
#   %plugin      libSinter.so, for --load-dialect-plugin and --load-pass-plugin
#   %mlir_opt    stock mlir-opt of LLVM 22
#   %reference   test/reference: programs with inputs and PyTorch's results
#   %source      the root of the source tree
#   %build       the build folder
#   %python      a Python 3
#   %torch       the Python of -DSINTER_TEST_PYTHON, which has torch where REQUIRES: torch holds
#   %cuda        a folder with a libcuda.so.1 that needs no device (test/runtime/Inputs/libcuda.c)
#
# Features, for REQUIRES: and UNSUPPORTED: are listed below.

import os
import shutil
import subprocess

import lit.formats

if not hasattr(config, "sinter_build_dir"):
    lit_config.fatal(
        "run lit on the build folder: lit build/test/passes/fuse/fuse.mlir, or scripts/test test/passes/fuse/fuse.mlir"
    )

config.name = "Sinter"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["reference", "bin", "Inputs", "CMakeLists.txt", "README.md"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.sinter_build_dir, "test")

build = config.sinter_build_dir
path = [
    os.path.join(build, "bin"),
    os.path.join(build, "test", "bin"),
    config.llvm_tools_dir,
    os.environ.get("PATH", ""),
]
config.environment["PATH"] = os.pathsep.join(path)
# Upstream keeps what it registers until the end of the process.
config.environment["ASAN_OPTIONS"] = "detect_leaks=0:allocator_may_return_null=1"
config.environment["UBSAN_OPTIONS"] = "print_stacktrace=1"
for name in ("CUDA_HOME", "CUDA_ROOT", "CUDA_PATH", "HOME", "TMPDIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions += [
    ("%plugin", os.path.join(build, "lib", "libSinter.so")),
    ("%mlir_opt", config.mlir_opt),
    ("%reference", os.path.join(config.test_source_root, "reference")),
    ("%source", config.sinter_source_dir),
    ("%build", build),
    ("%python", config.python),
    ("%torch", config.test_python),
    ("%cuda", os.path.join(build, "test", "cuda")),
]


# Features: what this machine and this build have
# -----------------------------------------------

def cuda_folders():
    """Folders that may be a CUDA toolkit, in the order in which MLIR looks."""
    for name in ("CUDA_HOME", "CUDA_ROOT", "CUDA_PATH"):
        if os.environ.get(name):
            yield os.environ[name]
    ptxas = shutil.which("ptxas")
    if ptxas:
        yield os.path.dirname(os.path.dirname(os.path.realpath(ptxas)))
    yield "/usr/local/cuda"


def runs(*command):
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
        return done.returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def cpu_flags():
    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                if line.startswith("flags"):
                    return set(line.split(":")[1].split())
    except OSError:
        pass
    return set()


flags = cpu_flags()
features = {
    # NVIDIA's assembler: cubins can be made
    "ptxas": shutil.which("ptxas") is not None,
    # NVIDIA's disassembler: machine code can be read
    "nvdisasm": shutil.which("nvdisasm") is not None,
    # NVIDIA's math library as bitcode
    "libdevice": any(
        os.path.exists(os.path.join(folder, "nvvm", "libdevice", "libdevice.10.bc"))
        for folder in cuda_folders()
    ),
    # a GPU with a driver
    "nvidia": os.path.exists("/dev/nvidia0"),
    # programs run on a CPU that is not this one
    "valgrind": shutil.which("valgrind") is not None,
    # %python has NumPy
    "numpy": runs(config.python, "-c", "import numpy"),
    # %torch has PyTorch
    "torch": runs(config.test_python, "-c",
                  "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"),
    # %torch has torch-mlir, too
    "torch_mlir": runs(config.test_python, "-c",
                       "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch_mlir') is None)"),
    "avx2": "avx2" in flags,
    "avx512": "avx512f" in flags,
    "avx512_bf16": "avx512_bf16" in flags,
    "vnni": {"avx512_vnni", "avx_vnni"} <= flags,
    "amx": {"amx_tile", "amx_bf16", "amx_int8"} <= flags,
    # our code is instrumented: a stock tool cannot load the plugin
    "asan": "address" in config.sanitize,
    # a sinter-opt that counts what our code asks of IR
    "counting": os.path.exists(os.path.join(build, "test", "bin", "test-counting-opt")),
    "plugin": os.path.exists(os.path.join(build, "lib", "libSinter.so")) and "address" not in config.sanitize,
}
config.available_features.update(name for name, there in features.items() if there)

# Why the tests that lit names as unsupported are.
missing = {
    "ptxas": "no ptxas on PATH",
    "nvdisasm": "no nvdisasm on PATH",
    "nvidia": "no NVIDIA GPU",
    "valgrind": "no valgrind on PATH",
    "numpy": f"no NumPy in {config.python}",
    "torch": f"no PyTorch in {config.test_python}; one that has it: cmake -DSINTER_TEST_PYTHON=PYTHON",
    "torch_mlir": f"no torch-mlir in {config.test_python}; one that has it: cmake -DSINTER_TEST_PYTHON=PYTHON",
    "avx2": "this CPU has no AVX2",
    "avx512": "this CPU has no AVX-512",
    "avx512_bf16": "this CPU has no bf16 instructions",
    "vnni": "this CPU has no VNNI, of 512 and of 256 bits",
    "amx": "this CPU has no AMX",
    "counting": "test-counting-opt is for x86-64, without sanitizers",
}
for name, why in missing.items():
    if not features[name]:
        lit_config.note(f"tests with REQUIRES: {name} are skipped: {why}")
