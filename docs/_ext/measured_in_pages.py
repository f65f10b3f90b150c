"""Tables and numbers of ``measured.py`` in the pages.

``.. measured:: means("honest")`` shows the table that an expression returns, or reads what it returns as
text; ``:measured:`mean("u65", "lp-aode*")``` puts a number into a sentence.
"""

from __future__ import annotations

from typing import Any, ClassVar

import measured
import numpy as np
from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.directives.patches import CSVTable
from sphinx.util.docutils import SphinxDirective, SphinxRole

__all__ = ["setup"]


def evaluated(expression: str) -> Any:
    """Return what an expression with the names of ``measured.py`` returns."""
    return eval(expression, dict(vars(measured)))


class Measured(SphinxDirective):
    """A table or text."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Any]] = {"class": directives.class_option, "title": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """Return the nodes of what the expression returns."""
        found = evaluated(self.arguments[0])
        if isinstance(found, str):
            return self.parse_text_to_nodes(found)
        lines = StringList(found.to_csv(index=False).splitlines(), source=self.arguments[0])
        options = {"header-rows": 1, "class": self.options.get("class", [])}
        title = [self.options["title"]] if "title" in self.options else []
        rest = (lines, self.lineno, self.content_offset, self.block_text, self.state, self.state_machine)
        return CSVTable("csv-table", title, options, *rest).run()


class Number(SphinxRole):
    """A number in a sentence: with three decimals, or with commas if it is a count; texts as they are."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the text of what the expression returns."""
        found = evaluated(self.text)
        if isinstance(found, float | np.floating):
            found = f"{found:,.0f}" if float(found).is_integer() and found > 1 else f"{found:.3f}"
        return [nodes.Text(found if isinstance(found, str) else f"{found:,}")], []


def setup(app: Any) -> dict[str, bool]:
    """Register the directive and the role."""
    app.add_directive("measured", Measured)
    app.add_role("measured", Number())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
