#!/usr/bin/env python3
"""How often sinter-cc verifies each form of a program: a few times on the road, and behind each pass where asked.

  verified.py [--most=12]
"""
import argparse
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LAYERS = 60


def verified(*options):
    """Calls of the function that verifies a form's accesses, for each layer."""
    command = [sys.executable, ROOT / "bench" / "compile_programs", "chain", str(LAYERS)]
    program = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    done = subprocess.run(["test-counting-cc", "-", "-o", "counted.o", *options], input=program,
                          stderr=subprocess.PIPE, check=False)
    lines = [line.split() for line in done.stderr.decode().splitlines()]
    counts = [int(words[0]) for words in lines if words[1:] == ["sn_verify_accesses"]]
    if done.returncode or len(counts) != 1 or not counts[0]:
        sys.exit(f"nothing was counted: {done.stderr.decode()[:500]}")
    return counts[0] / LAYERS


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--most", type=float, default=12)
    most = parser.parse_args().most
    few, each = verified(), verified("--verify-each")
    print(f"a layer's forms are verified {few:.1f} times, with --verify-each {each:.1f} times")
    sys.exit(few > most or each < 2 * few)


if __name__ == "__main__":
    main()
