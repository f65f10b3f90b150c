"""Formulas as MathML, converted at build time: a page needs no script and makes no request for them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util import logging

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

__all__ = ["setup", "to_mathml"]

_log = logging.getLogger(__name__)

# A name such as min or LL is an identifier to MathML; as an operator it would be set with wide gaps.
_NAME_AS_OPERATOR = re.compile(r"<mo>([A-Za-z]{2,}(?:\s[a-z]+)?)</mo>")
# In a displayed formula what is minimised over stands below.
_UNDER = re.compile(r"<msub>(<mi>(?:min|max)</mi>)((?:<mi>\w+</mi>)|<mrow>.*?</mrow>)</msub>")
# A function's name, with its subscript, stands apart from an argument without parentheses.
_FUNCTION = re.compile(
    r"((?<!<msub>)(?<!<munder>)<mi>(?:log|exp|min|max)</mi>"
    r"|<(msub|munder)><mi>(?:log|min|max)</mi>(?:<m[in]>\w+</m[in]>|<mrow>.*?</mrow>)</\2>)"
    r"(?=<m(?:i|n|sub|under|frac|over|row|sup)\b)"
)
# A prime is raised by itself; as a superscript it would be too small to tell from two.
_PRIME = re.compile(r"<msup>(<mi>(?:\w|&#x\w+;)</mi>)<mi>(&#x0203[234];)</mi></msup>")


def to_mathml(latex: str, *, block: bool = False) -> str:
    """Return the MathML of a formula; a command that was not understood is a warning."""
    found = convert(latex, display="block" if block else "inline")
    if "\\" in found or "<mi>&</mi>" in found:
        _log.warning("a formula was not understood: %s", latex)
    found = _NAME_AS_OPERATOR.sub(r"<mi>\1</mi>", found)
    found = _PRIME.sub(r'<mrow>\1<mo lspace="0" rspace="0.08em">\2</mo></mrow>', found)
    # A bar around a number is a bracket, not a relation.
    found = found.replace('<mo stretchy="false">&#x0007C;</mo>', '<mo lspace="0" rspace="0">|</mo>')
    if block:
        found = _UNDER.sub(r"<munder>\1\2</munder>", found)
    return _FUNCTION.sub(r'\1<mspace width="0.17em" />', found)


def _visit_inline(self: HTML5Translator, node: nodes.math) -> None:
    self.body.append(to_mathml(node.astext()))
    raise nodes.SkipNode


def _visit_block(self: HTML5Translator, node: nodes.math_block) -> None:
    self.body.append(self.starttag(node, "div", CLASS="formula"))
    self.body.append(to_mathml(node.astext(), block=True))
    if node["number"]:
        self.body.append(f'<span class="eqno">({node["number"]})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (_visit_inline, None), (_visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
