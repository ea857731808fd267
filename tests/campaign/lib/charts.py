# SPDX-License-Identifier: GPL-2.0
"""Pictures: SVG that is the same for the same numbers; none without matplotlib."""

try:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
except ImportError:
    pyplot = None

SIZE_INCHES = (7, 4)


def available():
    return pyplot is not None


def draw(path, paint, xlabel, ylabel, panels=1):
    """Calls paint(axes...) and saves the picture."""
    matplotlib.rcParams.update({"svg.hashsalt": path.name, "svg.fonttype": "none",
                                "font.size": 9, "axes.grid": True, "grid.alpha": 0.3,
                                "axes.spines.top": False, "axes.spines.right": False})
    drawing, axes = pyplot.subplots(1, panels, figsize=SIZE_INCHES, squeeze=False,
                                    layout="constrained")
    for one in axes[0]:
        one.set_xlabel(xlabel)
    axes[0][0].set_ylabel(ylabel)
    paint(*axes[0])
    above = {"loc": "lower center", "bbox_to_anchor": (0.5, 1), "ncols": 4} if panels == 1 else {}
    for one in axes[0]:
        if one.get_yscale() == "linear":
            one.set_ylim(bottom=0)
        one.legend(frameon=False, **above)
    drawing.savefig(path, metadata={"Date": None})
    pyplot.close(drawing)
    strip_trailing_spaces(path)


def strip_trailing_spaces(path):
    lines = path.read_text().splitlines()
    path.write_text("".join(line.rstrip() + "\n" for line in lines))
