"""How fast drawwell takes a corpus in and answers from it, beside the programs that do the same.

``race`` lets contenders take turns; ``ingesting``, ``searching``, ``grepping``, ``serving`` and ``vectors`` say who
takes part.
``corpora``, ``questions`` and ``patterns`` make the work; ``measure`` runs it all, ``report`` and ``plot`` show it.
"""

from drawwell.bench.speed.measure import Size, SpeedPlan, SpeedReport, measure_speed
from drawwell.bench.speed.plot import plot_speed
from drawwell.bench.speed.race import Row
from drawwell.bench.speed.report import as_markdown, as_text

__all__ = ["Row", "Size", "SpeedPlan", "SpeedReport", "as_markdown", "as_text", "measure_speed", "plot_speed"]
