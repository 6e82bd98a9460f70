"""Does a value come from outside of the program? A field that only decoding fills: JSON of a request, a message, a row.

Comes in: an expression at which nothing in the source leads further back. Goes out: the call that decodes into its
type.
"""

import re

from oakum.explain.code import kinds
from oakum.explain.code.calls import method
from oakum.explain.code.flows import Flows
from oakum.explain.code.nouns import FieldRef, Op
from oakum.explain.code.syntax import bare, operator
from oakum.explain.values import Expr

# json.Unmarshal(data, &m)   dec.Decode(&m)   c.ShouldBindJSON(&m)   c.BodyParser(&m)   rows.Scan(&m.Name)
_DECODES = re.compile(r"(Must|Should)?Bind|Unmarshal|Decode|BodyParser$|ReadJSON$|Scan$|StructScan$")


def decoded(flows: Flows, expr: Expr) -> Op | None:
    """Return the call that fills a field from outside; None where the program itself gives it a value."""
    package = flows.package
    field = package.symbol(bare(expr.node), expr.func, expr.file)
    if not isinstance(field, FieldRef) or flows.stores.get(field) or flows.into.get(field):
        return None
    for func in package.all:
        for op in func.ops:
            if op.kind != "call" or not _DECODES.match(method(op)) or package.callees(op):
                continue
            for value in op.values:
                pointer = value.type == "unary_expression" and operator(value) == "&"
                kind = package.type_of(bare(value), func, op.file)
                filled = (kinds.base(kind), kinds.base(kinds.element(package.resolved(kind))))
                if (pointer or kind.startswith("*")) and field.type in filled:
                    return op
    return None
