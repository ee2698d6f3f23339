"""counts.py SINTER_RUN PROGRAM...: the counts that --stats computes are those of the counters of a run."""
import json
import subprocess
import sys

tool, programs = sys.argv[1], sys.argv[2:]
checked = 0
for program in programs:
    for policy in "disabled", "medium", "aggressive":
        def stats(*options):
            out = subprocess.run([tool, program, f"--policy={policy}", "--json", *options], check=True,
                                 capture_output=True, text=True)
            assert out.stderr == "", out.stderr
            return json.loads(out.stdout)
        alone, ran = stats("--stats"), stats()
        assert "counted" not in alone and ran["first_call_seconds"] > 0
        assert alone["stats"] == ran["stats"] == ran["counted"], (program, policy, alone["stats"], ran["counted"])
        assert sum(k["launches"] for k in alone["kernels"]) == alone["stats"]["kernels"] > 0
        assert all(k["bytes_read"] + k["bytes_written"] > 0 and k["flops"] >= 0 for k in alone["kernels"]), (program,
            policy, alone["kernels"])
        checked += 1
print(checked, "programs and policies")
sys.exit(checked == 0)
