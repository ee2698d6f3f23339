"""MLIR's generic form -> operations. It knows no operation: names, operands, attributes' texts, regions, types."""

import re

OPEN, CLOSE = "([{<", ")]}>"
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


class Operation:
    def __init__(self, name, operands, results):
        self.name, self.operands, self.results = name, operands, results
        self.attributes, self.blocks, self.types, self.result_types = {}, [], [], []


class Block:
    def __init__(self, arguments):
        self.arguments, self.operations = arguments, []


def closing(text, at):
    """Where the bracket at text[at] closes; arrows are no brackets."""
    depth = 0
    while at < len(text):
        c = text[at]
        if c == '"':
            at = STRING.match(text, at).end()
            continue
        if text.startswith("->", at):
            at += 2
            continue
        if c in OPEN:
            depth += 1
        elif c in CLOSE:
            depth -= 1
            if not depth:
                return at
        at += 1
    raise ValueError("a bracket is open")


def split(text):
    """At the commas that no bracket holds."""
    parts, start, at = [], 0, 0
    while at < len(text):
        if text[at] in OPEN:
            at = closing(text, at)
        elif text[at] == '"':
            at = STRING.match(text, at).end() - 1
        elif text.startswith("->", at):
            at += 1
        elif text[at] == ",":
            parts.append(text[start:at].strip())
            start = at + 1
        at += 1
    last = text[start:].strip()
    return parts + [last] if last else parts


class Parser:
    def __init__(self, text):
        self.aliases = dict(re.findall(r"(?m)^(#\w+) = (.*)$", text))
        self.text = re.sub(r"(?m)^#\w+ = .*$", "", text)
        self.at = 0

    def skip(self):
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def take(self, word):
        self.skip()
        if not self.text.startswith(word, self.at):
            return False
        self.at += len(word)
        return True

    def need(self, pattern):
        self.skip()
        m = re.compile(pattern).match(self.text, self.at)
        if not m:
            raise ValueError(f"expected {pattern} before {self.text[self.at:self.at + 60]!r}")
        self.at = m.end()
        return m

    def bracketed(self):
        self.skip()
        end = closing(self.text, self.at)
        inside = self.text[self.at + 1:end]
        self.at = end + 1
        return inside

    def dictionary(self, text):
        found = {}
        for part in split(text):
            key, _, value = part.partition(" = ")
            found[key.strip()] = re.sub(r"#\w+", lambda m: self.aliases.get(m[0], m[0]), value.strip())
        return found

    def type(self):
        """One type or a list of them in brackets."""
        self.skip()
        if self.text[self.at] == "(":
            return split(self.bracketed())
        m = self.need(r"[\w!.]+")
        start = m.start()
        if self.text[self.at] == "<":
            self.at = closing(self.text, self.at) + 1
        return [self.text[start:self.at]]

    def operation(self):
        results = []
        m = self.need(r"((?:%[\w#:]+(?:, )?)*)(?: = )?\"([\w.]+)\"")
        for r in re.findall(r"%\w+(?::\d+)?", m[1]):
            name, _, count = r.partition(":")
            results += [f"{name}#{i}" for i in range(int(count))] if count else [name]
        op = Operation(m[2], [o.strip() for o in split(self.bracketed())], results)
        if self.take("<{"):
            self.at -= 1
            op.attributes.update(self.dictionary(self.bracketed()))
            self.need(">")
        if self.take("({"):
            self.at -= 1
            while True:
                op.blocks.append(self.region())
                if not self.take(","):
                    break
            self.need(r"\)")
        self.skip()
        if self.text[self.at] == "{":
            op.attributes.update(self.dictionary(self.bracketed()))
        self.need(":")
        op.types = self.type()
        self.need("->")
        op.result_types = self.type()
        return op

    def region(self):
        """One of one block: the programs here have no branches."""
        self.need(r"\{")
        block = Block([])
        if self.take("^"):
            self.need(r"\w+")
            self.skip()
            if self.text[self.at] == "(":
                block.arguments = [tuple(a.split(": ", 1)) for a in split(self.bracketed())]
            self.need(":")
        while not self.take("}"):
            block.operations.append(self.operation())
        return block


def parse(text):
    """The function of a module in generic form."""
    module = Parser(text).operation()
    functions = [op for op in module.blocks[0].operations if op.name == "func.func"]
    named = [f for f in functions if f.attributes["sym_name"] == '"main"']
    return (named or functions)[0]
