"""Pictures for the notebooks: functions from measurements to `Figure` objects. Never pyplot: it draws blank
or partial pictures inside a widget's callback.

Colours: Okabe and Ito's set, told apart by the colour-blind; each line also has a marker of its own."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

import networkx as nx
import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from lab.evaluation.ledger import RungRow
from lab.evaluation.score import Scored
from lab.kinds import Answer
from lab.memory.links import Kept

BLUE, ORANGE, GREEN, YELLOW, GREY, PURPLE = "#0072B2", "#D55E00", "#009E73", "#F0E442", "#999999", "#CC79A7"
_MEASURES = (("hit@1", BLUE, "o"), ("mrr", ORANGE, "s"), ("answers", GREEN, "^"))
RESAMPLES = 2_000


class Picture(Figure):
    """A figure that a notebook shows without pyplot's help."""

    def _repr_png_(self) -> bytes:
        data = io.BytesIO()
        self.savefig(data, format="png", dpi=100)
        return data.getvalue()


def slope(rungs: Mapping[str, Sequence[Scored]], rows: Sequence[RungRow]) -> Picture:
    """hit@1, MRR and answers along the ladder with 95 % intervals (bootstrap over questions, Efron 1979).
    Rungs that were set aside are hollow."""
    figure = Picture(figsize=(9, 4.4), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    shown = [row for row in rows if row.measures]
    for shift, (measure, colour, marker) in enumerate(_MEASURES):
        for at, row in enumerate(shown):
            values = _values(rungs[row.rung], measure)
            if not values.size:
                continue
            low, high = interval(values)
            x, mean = at + (shift - 1) * 0.16, float(values.mean())
            face = "none" if row.kept is False else colour
            axes.errorbar(
                x,
                mean,
                [[mean - low], [high - mean]],
                color=colour,
                marker=marker,
                mfc=face,
                capsize=2,
                lw=1.2,
            )
        axes.plot([], [], color=colour, marker=marker, lw=0, label=measure)
    axes.set_xticks(range(len(shown)), [row.rung for row in shown])
    axes.set_ylim(0, 1)
    axes.grid(axis="y", alpha=0.3)
    axes.legend(frameon=False, ncols=3, loc="upper left")
    return figure


def interval(values: np.ndarray, share: float = 0.95) -> tuple[float, float]:
    """(low, high) of the mean, by the percentile bootstrap with a fixed seed. ValueError for no values."""
    if not values.size:
        raise ValueError("an interval needs values")
    draws = np.random.default_rng(7).choice(values, (RESAMPLES, values.size)).mean(axis=1)
    low, high = np.quantile(draws, [(1 - share) / 2, (1 + share) / 2])
    return float(low), float(high)


def _values(scored: Sequence[Scored], measure: str) -> np.ndarray:
    if measure == "answers":
        return np.array([float(item.ok) for item in scored if not item.must_abstain])
    return np.array([item.retrieval[measure] for item in scored if item.retrieval is not None])


def heat(rungs: Mapping[str, Sequence[Scored]]) -> Picture:
    """Questions × rungs: first hit right, within five, lower or not found; one column a question, by type."""
    names = [name for name, scored in rungs.items() if any(item.retrieval for item in scored)]
    if not names:
        raise ValueError("no rung was searched")
    first = sorted(
        (item for item in rungs[names[0]] if item.retrieval is not None),
        key=lambda item: (item.type, item.id),
    )
    grid = np.array([[_class(_by_id(rungs[name])[item.id]) for item in first] for name in names])
    figure = Picture(figsize=(11, 0.42 * len(names) + 1.5), layout="constrained")
    axes = figure.add_subplot()
    shades = (ORANGE, YELLOW, "#56B4E9", BLUE)
    axes.imshow(grid, aspect="auto", cmap=ListedColormap(shades), vmin=0, vmax=3, interpolation="nearest")
    axes.set_yticks(range(len(names)), names)
    types = [item.type for item in first]
    edges = [at for at in range(1, len(types)) if types[at] != types[at - 1]]
    for edge in edges:
        axes.axvline(edge - 0.5, color="white", lw=1.5)
    starts = [0, *edges]
    middles = [(a + b - 1) / 2 for a, b in zip(starts, [*edges, len(types)], strict=True)]
    axes.set_xticks(middles, [types[start] for start in starts], rotation=30, ha="right", fontsize=8)
    for colour, label in zip(shades, ("–", "6–10", "2–5", "1"), strict=True):
        axes.plot([], [], "s", color=colour, label=label)
    axes.legend(frameon=False, ncols=4, loc="lower left", bbox_to_anchor=(0, 1), title_fontsize=8, fontsize=8)
    return figure


def _class(item: Scored) -> int:
    rank = min((rank for rank in item.ranks if rank is not None), default=None)
    return 0 if rank is None else 3 if rank == 1 else 2 if rank <= 5 else 1


def _by_id(scored: Sequence[Scored]) -> dict[str, Scored]:
    return {item.id: item for item in scored}


def cost(rows: Sequence[RungRow]) -> Picture:
    """Answers against prompt tokens, a mark a rung; hollow where the rung was set aside. Tokens are on a
    logarithmic axis: the full-context prompt is far to the right."""
    figure = Picture(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    for row in rows:
        tokens, answers = row.measures.get("prompt_tokens"), row.measures.get("answers")
        if tokens and answers is not None:
            face = "none" if row.kept is False else BLUE
            axes.plot(tokens, answers, "o", color=BLUE, mfc=face)
            axes.annotate(row.rung, (tokens, answers), xytext=(5, 4), textcoords="offset points", fontsize=8)
    axes.set_xscale("log")
    axes.set_xlabel("prompt tokens")
    axes.set_ylabel("answers")
    axes.grid(alpha=0.3)
    return figure


def where_time_goes(answer: Answer) -> Picture:
    """Milliseconds of one question by step, in the order they ran."""
    steps = [step for step in answer.trace if step.ms > 0]
    figure = Picture(figsize=(7, 0.32 * len(steps) + 0.9), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.barh(range(len(steps)), [step.ms for step in steps], color=BLUE)
    axes.set_yticks(range(len(steps)), [step.name for step in steps])
    axes.invert_yaxis()
    axes.set_xlabel("ms")
    return figure


def tokens(rows: Sequence[RungRow], window: int | None = None) -> Picture:
    """Mean prompt tokens of each rung, and a model's window beside them if one is given."""
    shown = [row for row in rows if row.measures.get("prompt_tokens")]
    figure = Picture(figsize=(7, 0.34 * len(shown) + 1), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    colours = [ORANGE if row.measures.get("leaks") else BLUE for row in shown]
    bars = axes.barh(range(len(shown)), [row.measures["prompt_tokens"] for row in shown], color=colours)
    axes.bar_label(bars, [f"{row.measures['prompt_tokens']:,.0f}" for row in shown], padding=3, fontsize=8)
    axes.set_yticks(range(len(shown)), [row.rung for row in shown])
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.set_xlabel("prompt tokens")
    if window:
        axes.axvline(window, color=GREY, ls="--")
        axes.annotate(f"{window:,}", (window, -0.5), fontsize=8, color=GREY)
    return figure


def map_of(vectors: np.ndarray, groups: Sequence[str], question: np.ndarray | None = None) -> Picture:
    """The first two principal components of (n, d) vectors, a colour and a marker a group; a star for the
    question. ValueError for fewer than three vectors, or another number of groups."""
    if len(vectors) < 3 or len(vectors) != len(groups):
        raise ValueError(f"{len(vectors)} vectors for {len(groups)} groups: at least three, and as many")
    centre = vectors.mean(axis=0)
    axes_of = np.linalg.svd(vectors - centre, full_matrices=False)[2][:2]
    flat = (vectors - centre) @ axes_of.T
    figure = Picture(figsize=(7.5, 5), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    colours, markers = (BLUE, ORANGE, GREEN, PURPLE, "#56B4E9", "#E69F00", "#000000", GREY), "os^vDPXd"
    for at, group in enumerate(dict.fromkeys(groups)):
        own = np.array([name == group for name in groups])
        axes.scatter(
            flat[own, 0],
            flat[own, 1],
            s=16,
            label=group,
            color=colours[at % 8],
            marker=markers[(at // 8 + at) % 8],
            alpha=0.8,
        )
    if question is not None:
        x, y = (question - centre) @ axes_of.T
        axes.scatter(x, y, marker="*", s=260, color=YELLOW, edgecolor="black")
    axes.legend(frameon=False, fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    axes.set_xticks([])
    axes.set_yticks([])
    return figure


def links(kept: Sequence[Kept]) -> Picture:
    """What amends what: sources to the left of what they change, chains over several columns; undone links
    are dotted. ValueError for no links."""
    if not kept:
        raise ValueError("there is no link to draw")
    merged = nx.DiGraph()
    for one in kept:
        # A mail is one body, "#0": what it announced hangs on the same node as what it amends.
        ends = one.link.source_document, one.link.target.removesuffix("#0")
        merged.add_edge(*ends)
        merged.edges[ends].setdefault("links", []).append(one)
    place = _columns(merged)
    figure = Picture(figsize=(11, 0.55 * len(merged) + 1), layout="constrained")
    axes = figure.add_subplot()
    axes.set_axis_off()
    axes.scatter(*zip(*place.values(), strict=True), alpha=0)  # text alone does not widen the axes
    axes.margins(0.14, 0.12)
    for source, target, data in merged.edges(data=True):
        style = ":" if all(one.state == "undone" for one in data["links"]) else "-"
        axes.annotate(
            "",
            xy=place[target],
            xytext=place[source],
            arrowprops={"arrowstyle": "->", "color": BLUE, "ls": style, "shrinkA": 12, "shrinkB": 62},
        )
        (x0, y0), (x1, y1) = place[source], place[target]
        said = [
            f"{one.link.valid_from} {one.link.kind}"
            + (f"\n{one.link.old} → {one.link.new}" if one.link.old or one.link.new else "")
            for one in data["links"]
        ]
        axes.annotate(
            "\n".join(dict.fromkeys(said)),
            ((x0 + x1) / 2, (y0 + y1) / 2),
            (0, 9),
            textcoords="offset points",
            fontsize=7,
            ha="center",
        )
    for node, (x, y) in place.items():
        box = {"boxstyle": "round", "fc": "white", "ec": ORANGE if "#" in node else BLUE}
        axes.text(x, y, node, fontsize=8, ha="center", va="center", bbox=box)
    return figure


def _columns(graph: nx.DiGraph) -> dict[str, tuple[float, float]]:
    """A place for each node: a column a generation, and in it the nodes spread from top to bottom, each near
    those that lead to it. Two that change each other make no order: then all stand in one column."""
    ordered = nx.is_directed_acyclic_graph(graph)
    place: dict[str, tuple[float, float]] = {}
    for column, nodes in enumerate(nx.topological_generations(graph) if ordered else [list(graph)]):
        heights = {
            node: float(
                np.mean([place[before][1] for before in graph.predecessors(node) if before in place] or [0])
            )
            for node in nodes
        }
        if not column:  # sources of one target stand together
            heights = {
                node: float(at)
                for at, node in enumerate(sorted(nodes, key=lambda one: min(graph[one], default="")))
            }
        for at, node in enumerate(sorted(nodes, key=lambda one: (heights[one], one))):
            spread = len(nodes) > 1 or not column
            place[node] = (float(column), (at + 0.5) / len(nodes) if spread else heights[node])
    return place
