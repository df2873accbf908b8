"""Renders the templates that packaging/make-chart.sh writes, which use little of the language: no Go is needed."""

import json
import re

ACTION = re.compile(r"(\n?[ \t]*{{- (?P<block>.*?) }})|({{ (?P<inline>.*?) }})")
TOKEN = re.compile(r'"[^"]*"|`[^`]*`|[()|]|[^\s()|]+')


def _get(data, path):
    for key in filter(None, path.split(".")):
        data = (data or {}).get(key)
    return data


class Templates:
    """What is `include`d is given: name -> function of its argument."""

    def __init__(self, values, namespace, includes):
        self._root = {"Values": values, "Release": {"Namespace": namespace}}
        self._includes = includes
        self._functions = {
            "and": lambda *all_: next((value for value in all_ if not value), all_[-1]),
            "or": lambda *all_: next((value for value in all_ if value), all_[-1]),
            "not": lambda value: not value,
            "eq": lambda a, b: a == b,
            "gt": lambda a, b: a > b,
            "le": lambda a, b: a <= b,
            "int": int,
            "kindIs": lambda kind, value: {"invalid": value is None}[kind],
            "index": lambda data, key: data.get(key),
            "default": lambda other, value: value or other,
            "dict": {},
            "list": lambda *all_: list(all_),
            "quote": json.dumps,
            "toJson": json.dumps,
            "include": lambda name, argument: self._includes[name](argument),
        }

    # ---- expressions

    def _value(self, tokens, names):
        token = tokens.pop(0)
        if token == "(":
            value = self._pipeline(tokens, names)
            tokens.pop(0)
            return value
        if token[0] in '"`':
            return token[1:-1]
        if token.isdigit():
            return int(token)
        name, _, path = token.partition(".")
        return _get(names[name], path) if token[0] in "$." else self._functions[token]

    def _command(self, tokens, names, *piped):
        items = []
        while tokens and tokens[0] not in ")|":
            items.append(self._value(tokens, names))
        return items[0](*items[1:], *piped) if callable(items[0]) else items[0]

    def _pipeline(self, tokens, names):
        value = self._command(tokens, names)
        while tokens and tokens[0] == "|":
            tokens.pop(0)
            value = self._command(tokens, names, value)
        return value

    def _evaluate(self, text, names):
        return self._pipeline(TOKEN.findall(text), names)

    # ---- blocks

    def render(self, text):
        """The text of a file."""
        pieces, end = [], 0
        for action in ACTION.finditer(text):
            pieces += [("text", text[end:action.start()]), ("action", action["block"] or action["inline"])]
            end = action.end()
        pieces.append(("text", text[end:]))
        return self._block(pieces, {"$": self._root, "": self._root}, True)

    def _block(self, pieces, names, wanted):
        """Up to the `else` or `end` of the block, which stays in front."""
        result = ""
        while pieces:
            kind, text = pieces[0]
            word, _, rest = text.partition(" ")
            if kind == "action" and word in ("else", "end"):
                break
            pieces.pop(0)
            if kind == "text":
                result += text
            elif word in ("if", "with", "range"):
                result += self._branches(word, rest, pieces, names, wanted)
            elif ":=" in text:
                names[word] = self._evaluate(rest.removeprefix(":= "), names)
            elif wanted:
                result += str(self._evaluate(text, names))
        return result if wanted else ""

    def _branches(self, word, rest, pieces, names, wanted):
        variables, _, expression = rest.rpartition(":= ")
        value = self._evaluate(expression, names) if wanted else None
        first = list(pieces)
        scopes = [{"": value}] if word == "with" else [{}]
        if word == "range":
            keys = [name.strip() for name in variables.split(",")]
            scopes = [dict(zip(keys, item)) for item in value.items()] if isinstance(value, dict) else [{"": item} for item in value or []]
        result = ""
        for scope in scopes if wanted and value else []:
            pieces[:] = first
            result += self._block(pieces, {**names, **scope}, True)
        if not (wanted and value):
            self._block(pieces, dict(names), False)
        if pieces.pop(0)[1] == "else":
            result += self._block(pieces, dict(names), wanted and not value)
            pieces.pop(0)
        return result
