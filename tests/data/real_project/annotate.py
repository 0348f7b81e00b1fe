"""A codemod: the type that a docstring promises (`Returns:`, `str: …`) is written into the signature."""

import ast
import pathlib
import re
import sys

PROMISE = re.compile(r"^Returns:\n +(str|dict|bool|int|float): ", re.MULTILINE)

for name in sys.argv[1:]:
    path = pathlib.Path(name)
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.returns is None:
            promise = PROMISE.search(ast.get_docstring(node) or "")
            last = node.body[0].lineno - 2
            if promise and lines[last].endswith("):"):
                lines[last] = f"{lines[last][:-1]} -> {promise[1]}:"
    path.write_text("\n".join(lines), encoding="utf-8")
