"""Runs gather_PROGRAM.mlir on the cases that gather.py wrote, on both roads: exit status and error of each."""

import glob
import os
import subprocess
import sys

programs, cases = sys.argv[1:]
for program in "nll", "wrapped", "lanes", "asserted":
    for bad in "", "-end", "-minus", "-huge", "-least":
        for policy in "aggressive", "disabled":
            folder = os.path.join(cases, program + bad)
            files = [(option, path) for option, kind in (("input", "in"), ("expect", "out"))
                     for path in sorted(glob.glob(os.path.join(folder, kind + "*.npy")))]
            run = subprocess.run(["sinter-run", os.path.join(programs, f"gather_{program}.mlir"), f"--policy={policy}",
                                  "--threads=2"]
                                 + [f"--{option}={path}" for option, path in files], capture_output=True, text=True)
            print(f"{program}{bad} {policy}: {run.returncode} {run.stderr.strip()}".strip())
