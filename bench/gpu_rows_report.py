"""The results of bench/gpu_rows as a table and as a picture (SVG, of nothing but text and shapes).

The picture has two halves: above, speed by bytes moved under the roof that copies of all sizes make; below, a bar for
each case, percent of the copy, with the goal as a line and PyTorch as dots.
"""

import html
import math

HEAD = ["case", "kernels", "ms", "GB", "% of copy", "goal", "met", "eager", "compiled", "relative error"]


def met(row):
    """True, False, or None where there is no goal or no number."""
    if "ms" not in row or not (row["goal_percent"] or row["goal_ms"]):
        return None
    return row["percent"] >= row["goal_percent"] if row["goal_percent"] else row["ms"] <= row["goal_ms"]


def head():
    return "| " + " | ".join(HEAD) + " |\n|" + " --- |" * len(HEAD)


def times(row, key):
    return f"{row[key] / row['ms']:.2f}x" if key in row else "failed" if f"{key}_error" in row else ""


def line(row):
    if "ms" not in row:
        return (
            f"| {row['name']} | | {'failed: ' + row['failed'] if 'failed' in row else 'not run'} | | | {row['goal']} | "
            f"| | | |"
        )
    short = " (same size)" if row["copy_bytes"] == row["bytes"] else ""
    cells = [row["name"], str(row["kernels"]), f"{row['ms']:.4f}", f"{row['bytes'] / 1e9:.3f}",
             f"{row['percent']:.1f}{short}", row["goal"],
             {True: "yes", False: "**no**", None: ""}[met(row)], times(row, "eager"), times(row, "compiled"),
             f"{row['error']:.1e}"]
    return "| " + " | ".join(cells) + " |"


def summary(all):
    rows = all["rows"]
    measured, goals = [r for r in rows if "ms" in r], [met(r) for r in rows if met(r) is not None]
    machine = all["machine"]
    copy = f"copy {all['copy'] / 1e9:.0f} GB/s, " if all["copy"] else ""
    return (
        f"{len(measured)} of {len(rows)} cases measured, {sum(goals)} of {len(goals)} goals met; "
        f"{machine.get('gpu', 'no machine')}, driver {machine.get('driver', '?')}, "
        f"PyTorch {machine.get('torch', '?')}, {copy}commit {all['commit']}."
    )


def markdown(all):
    text = [
        "# Row kernels on a GPU",
        "",
        summary(all),
        "",
        "`bench/gpu_rows`. Times: medians of events, eight calls in a row, on tensors four times larger than L2. Copy: "
        "of 2 GiB in the same process; \"same size\": of as many",
        "bytes as the case moves, below 100 us. PyTorch's columns are its time over ours. Goals: percent of the copy, "
        "or ms.",
        "",
        head(),
    ]
    text += [line(r) for r in all["rows"]]
    graphs = [r for r in all["rows"] if "host_us" in r]
    for r in graphs:
        peers = "".join(f", {key} {r[f'{key}_host_us']:.1f}" for key in ("eager", "compiled") if f"{key}_host_us" in r)
        text += [
            "",
            f"{r['name']}: each from a CUDA graph, L2 warm; without a graph, from call to call: ours "
            f"{r['host_us']:.1f} us{peers}.",
        ]
    for key in ("eager", "compiled"):
        text += [f"\n{r['name']}: {key}: {r[f'{key}_error']}" for r in all["rows"] if f"{key}_error" in r]
    return "\n".join(text) + "\n"


# ---- the picture ----------------------------------------------------------------------------------

WIDTH, LEFT, RIGHT = 1060, 330, 60
ROOF, BAR = 380, 18
COLOURS = {"ms": "#0b6e4f", "eager": "#b23a48", "compiled": "#d98e04"}


def picture(all):
    rows = [r for r in all["rows"] if "ms" in r]
    if not rows or not all["copy"]:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="40"><text x="10" '
            f'y="25">{html.escape(summary(all))}</text></svg>\n'
        )
    height = 70 + ROOF + 60 + BAR * len(rows) + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        text(10, 20, summary(all)),
        legend(10, 42),
    ]
    return "\n".join(parts + roofline(all, rows, 60) + bars(rows, 70 + ROOF + 40) + ["</svg>"]) + "\n"


def text(x, y, what, anchor="start", colour="#222"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{html.escape(what)}</text>'


def stroke(x1, y1, x2, y2, colour="#ccc", width=1):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"/>'


def dot(x, y, key, what):
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{COLOURS[key]}" '
        f'fill-opacity="0.8"><title>{html.escape(what)}</title></circle>'
    )


def legend(x, y):
    out = []
    for key, what in (("ms", "Sinter"), ("eager", "PyTorch"), ("compiled", "torch.compile")):
        out += [dot(x + 5, y - 4, key, what), text(x + 15, y, what)]
        x += 120
    return "\n".join(out + [stroke(x, y - 4, x + 20, y - 4, "#444", 2), text(x + 26, y, "copies (the roof)"),
                            stroke(x + 160, y - 10, x + 160, y + 2, "#000", 2), text(x + 167, y, "goal")])


def roofline(all, rows, top):
    sizes = [r["bytes"] for r in rows] + [n for n, _ in all["roof"]]
    x0, x1 = math.floor(math.log10(min(sizes))), math.ceil(math.log10(max(sizes)))
    speeds = [r["bytes"] / r[k] * 1e3 for r in rows for k in COLOURS if k in r] + [s
        for _, s in all["roof"]] + [all["copy"]]
    y0, y1 = math.log10(min(speeds)) - 0.1, math.log10(max(speeds)) + 0.1
    at_x = lambda n: 80 + (math.log10(n) - x0) / (x1 - x0) * (WIDTH - 80 - RIGHT)
    at_y = lambda s: top + ROOF - 30 - (math.log10(s) - y0) / (y1 - y0) * (ROOF - 50)
    out = []
    for e in range(x0, x1 + 1):
        name = (
            f"{10 ** (e - 9)} GB"
            if e >= 9
            else f"{10 ** (e - 6)} MB" if e >= 6 else f"{10 ** (e - 3)} kB" if e >= 3 else f"{10 ** e} B"
        )
        out += [stroke(at_x(10**e), top + 10, at_x(10**e), top + ROOF - 30),
                text(at_x(10**e), top + ROOF - 12, name, "middle")]
    for e in range(math.floor(y0) + 1, math.floor(y1) + 1):
        name = f"{10 ** (e - 9)} GB/s" if e >= 9 else f"{10 ** (e - 6)} MB/s"
        out += [stroke(80, at_y(10**e), WIDTH - RIGHT, at_y(10**e)), text(74, at_y(10**e) + 4, name, "end")]
    if all["roof"]:
        points = " ".join(f"{at_x(n):.1f},{at_y(s):.1f}" for n, s in all["roof"])
        out.append(f'<polyline points="{points}" fill="none" stroke="#444" stroke-width="2"/>')
    out += [stroke(at_x(10**x0), at_y(all["copy"]), at_x(10**x1), at_y(all["copy"]), "#444"),
            text(WIDTH - RIGHT + 4, at_y(all["copy"]) + 4, f"{all['copy'] / 1e9:.0f}")]
    for key in ("compiled", "eager", "ms"):
        out += [dot(at_x(r["bytes"]), at_y(r["bytes"] / r[key] * 1e3), key,
                    f"{r['name']}: {r['bytes'] / r[key] / 1e6:.0f} GB/s") for r in rows if key in r]
    return out


def bars(rows, top):
    at = lambda percent: LEFT + min(percent, 115) / 115 * (WIDTH - LEFT - RIGHT)
    out, bottom = [], top + BAR * len(rows)
    for percent in range(0, 111, 10):
        out += [stroke(at(percent), top - 4, at(percent), bottom, "#888" if percent == 100 else "#ddd"),
                text(at(percent), bottom + 16, f"{percent} %", "middle")]
    for i, r in enumerate(rows):
        y = top + BAR * i
        out += [
            text(LEFT - 6, y + 12, r["name"], "end"),
            f'<rect x="{LEFT}" y="{y + 2}" width="{at(r["percent"]) - LEFT:.1f}" height="{BAR - 5}" '
            f'fill="{COLOURS["ms"]}" fill-opacity="{0.45 if met(r) is False else 0.85}"/>',
            text(at(r["percent"]) + 4, y + 12, f"{r['percent']:.0f}"),
        ]
        for key in ("eager", "compiled"):
            if key in r:
                out.append(dot(at(r["percent"] * r["ms"] / r[key]), y + BAR / 2 - 0.5, key,
                               f"{r['name']}: {r[key]:.3f} ms"))
        goal = r["goal_percent"] or (r["percent"] * r["ms"] / r["goal_ms"] if r["goal_ms"] else None)
        if goal:
            out.append(stroke(at(goal), y, at(goal), y + BAR - 1, "#000", 2))
    return out
