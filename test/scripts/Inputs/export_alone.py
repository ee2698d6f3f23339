"""Exports four models, two of which end their process or never end; says what each left and what it imported.

  export_alone.py SOURCE FOLDER
"""
import os
import pathlib
import sys

source, folder = sys.argv[1:]
sys.path[:0] = [f"{source}/scripts", f"{source}/scripts/zoo"]
import torch

import export
import zoo


def built(inputs):
    return lambda: zoo.Model(torch.nn.Linear(3, 2), inputs)


def forever(batch):
    while True:
        pass


for name, inputs in {"before": lambda b: (torch.randn(b, 3),), "ends": lambda b: os.abort(), "late": forever,
                     "after": lambda b: (torch.randn(b, 3),)}.items():
    zoo.MODELS[name] = zoo.Entry(name, "text", (), built(inputs))
alone = export.attempt


def attempt(entry, place, variant):
    there = set(sys.modules)
    alone(entry, place, variant)
    (place / "imported").write_text(str(len(set(sys.modules) - there)))


export.attempt = attempt
work = ["before/forward", "ends/forward", "late/forward", "after/forward", "after/forward-dynamic", "after/step"]
sys.argv = ["export.py", folder, "6", *work]
export.main()
for name in work:
    place = pathlib.Path(folder, name)
    own = place / "imported"
    print(name, f"imported {own.read_text()}," if own.exists() else "-", (place / "case.json").read_text())
