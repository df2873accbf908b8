"""Enough of PromQL's grammar to say which series an expression reads."""
import re

_STRING = r""" "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*' | `[^`]*` """
_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
_TOKEN = re.compile(rf"""
    \#[^\n]* | {_STRING} | \[[^\]]*\] | [0-9][0-9a-zA-Z.]*  # comments, strings, ranges, numbers
  | \b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)  # lists of labels
  | (?P<selector> (?:{_NAME}\s*)? \{{ (?: {_STRING} | [^{{}}"'`] )* \}} )
  | {_NAME}(?=\s*\()                # functions
  | {_NAME}(?=\s+(?:by|without)\b)  # sum by (...) (...)
  | \b(?:and|or|unless|bool|offset|atan2|group_left|group_right|inf|nan)\b
  | (?P<name> {_NAME} )
""", re.VERBOSE | re.IGNORECASE)
_PARTS = re.compile(rf"({_NAME})?\s*(?:\{{.*?__name__\s*=\s*\"([^\"]*)\")?", re.DOTALL)


def selectors(expression):
    """The vector selectors of `expression` as text, in order: ['up{job="a"}', 'x_total']."""
    found = (match["selector"] or match["name"] for match in _TOKEN.finditer(expression))
    return [selector for selector in found if selector]


def metric_names(expression):
    """The names of the series that `expression` reads."""
    return {_metric_name(selector) for selector in selectors(expression)}


def _metric_name(selector):
    name, in_matcher = _PARTS.match(selector).groups()
    if not (name or in_matcher):
        raise ValueError(f"{selector} names no metric")
    return name or in_matcher
