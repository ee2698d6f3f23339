"""report.py BENCHMARK.json TRACE.json: what --json and --profile wrote of a verified, timed run is whole and makes
sense."""
import json
import sys

r = json.load(open(sys.argv[1]))
assert r["function"] == "main" and r["device"] == "CPU" and r["phases"] and all(s >= 0 for s in r["phases"].values())
assert len(r["kernels"]) == 4 and sum(k["launches"]
                                      for k in r["kernels"]) == r["stats"]["kernels"] == r["counted"]["kernels"]
b, c = r["benchmark"], r["ceilings"]
assert 0 < b["minimum_seconds"] <= b["median_seconds"] and b["calls"] >= 3 and b["processor_seconds"] > 0
assert abs(b["unfused_ratio"] * b["median_seconds"] / b["unfused_median_seconds"] - 1) < 1e-6
assert all(c[k] > 0 for k in ("bytes", "read_bytes_per_second", "copy_bytes_per_second", "flops_per_second"))
for k in r["kernels"]:
    assert k["name"].startswith("main_kernel") and k["kind"] in ("rowwise", "contract") and k["runs"] == 1
    assert k["seconds"] > 0 and k["percent_of_memory"] > 0 and k["percent_of_arithmetic"] > 0
    moved = k["bytes_read"] + k["bytes_written"]
    assert abs(k["bytes_per_second"] * k["seconds"] / moved - 1) < 1e-6
    assert abs(k["flops_per_second"] * k["seconds"] / k["flops"] - 1) < 1e-6
assert len(r["agreements"]) == 5 and all(a["agrees"] and a["with"] == "the decomposed program" and a["error"] < 1e-4
                                         for a in r["agreements"])

t = json.load(open(sys.argv[2]))["traceEvents"]
spans = [e for e in t if e["ph"] == "X"]
assert all(set(e) >= {"name", "pid", "tid", "ts", "dur"} and e["ts"] >= 0 and e["dur"] >= 0 for e in spans)
assert {e["ph"] for e in t} == {"X", "M"}
tool = [e["name"] for e in spans if e["pid"] == 1]
assert "compiling: passes" in tool and "compiling: machine code" in tool and "linking" in tool, tool
host = [e for e in spans if e["pid"] == 2 and e["tid"] == 0]
calls = [e for e in host if e["name"] == "main"]
kernels = [e for e in host if e["name"] != "main"]
assert len(calls) == 4 and len(kernels) == 4 * 4
for k in kernels:  # inside of its call
    c = calls[k["args"]["call"]]
    assert c["ts"] <= k["ts"] + 0.01 and k["ts"] + k["dur"] <= c["ts"] + c["dur"] + 0.01, (k, c)
print("good")
