"""What users define on a connection beside tables: functions of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import torch

from tqp.catalog.catalog import Catalog
from tqp.errors import BindError
from tqp.own import Own, own_aggregate, own_function, own_table_function, require_callable
from tqp.session.plan_cache import PlanCache
from tqp.sql.builtin import is_builtin
from tqp.sql.signatures import result_of, signature_of

__all__ = ["Functions"]


class Functions:
    """The part of a connection that makes functions. Safe to use from several threads."""

    device: torch.device
    _plans: PlanCache

    @property
    def catalog(self) -> Catalog:
        raise NotImplementedError

    def _require_open(self) -> None:
        raise NotImplementedError

    def create_function(
        self,
        name: str,
        function: Callable[..., Any],
        parameters: Sequence[Any] | None = None,
        return_type: Any = None,
        *,
        type: str = "python",
        null_handling: str = "default",
        exception_handling: str = "default",
        side_effects: bool = False,
        sample: Sequence[Any] | None = None,
    ) -> Self:
        """Let queries call `function` by `name`.

        `parameters` and `return_type` are types: SQL names, types of tqp or of Python; without them the annotations
        of the function are used. `type` says what the function takes and returns:

        - "torch": tensors (n,) on the device of the connection, copies that it may change; it returns one (n,). It is tested
          on a few rows when it is created: a row's value may depend only on the arguments of that row. `sample`, a list
          with values for each argument, replaces the small generated numbers of this test.
        - "arrow": Arrow arrays of a batch of rows; it returns one of the same length, which is cast to the result's type.
        - "python": the values of a row; it is called once for each distinct combination of values in a batch.

        A function is called for the rows in which no argument is NULL, and the others are NULL; with
        `null_handling="special"` it is called for all, gets None, Arrow's nulls, or pairs (values, valid) of tensors, and may
        give these. With `exception_handling="return_null"` a "python" function that fails gives NULL. With `side_effects` each
        call that a query writes is one of its own, for each row. A function may be called from several threads.

        Raises BindError for a name that is in use, for types that are none, and for what does not do as it says.

        >>> def initial(name: str) -> str:
        ...     return name[0].upper()
        >>> con.create_function("initial", initial).sql("SELECT DISTINCT initial(customer) AS i FROM orders ORDER BY i").fetchall()
        [('A',), ('B',)]
        >>> _ = con.create_function("half", lambda amount: amount / 2, ["DOUBLE"], "DOUBLE", type="torch")
        >>> con.sql("SELECT half(amount) FROM orders").fetchall()
        [(5.0,), (4.0,), (2.0,)]
        """
        self._require_open()
        name = _free(name, function)
        own = own_function(
            name,
            function,
            signature_of(name, function, parameters, self.catalog.types),
            result_of(name, function, return_type, self.catalog.types),
            kind=type,
            null_handling=null_handling,
            exception_handling=exception_handling,
            side_effects=side_effects,
            tried_with=sample,
            device=self.device,
        )
        return self._define(own)

    def create_aggregate(
        self,
        name: str,
        function: Callable[..., Any],
        parameters: Sequence[Any],
        return_type: Any,
        *,
        null_handling: str = "default",
        sample: Sequence[Any] | None = None,
    ) -> Self:
        """Let queries call `function` by `name` as an aggregate, with GROUP BY, DISTINCT, FILTER and OVER.

        It gets a tensor (n,) of the values of each argument, then the group of each row, (n,) int64 from 0, and the number of
        groups, and returns one value per group: a tensor (groups,). Rows with a NULL argument are left out, and a group without
        rows is NULL; with `null_handling="special"` it gets pairs (values, valid), and may give one.

        It is tested on a few rows when it is created, those of `sample` if given: a value may depend on the rows of its group
        only, not on their order. All rows of a group are kept until the last one has arrived. Raises BindError as
        `create_function`.

        >>> def squares(values, groups, count):
        ...     return values.new_zeros(count).index_add(0, groups, values * values)
        >>> _ = con.create_aggregate("sum_of_squares", squares, ["DOUBLE"], "DOUBLE")
        >>> con.sql("SELECT customer, sum_of_squares(amount) FROM orders GROUP BY ALL ORDER BY ALL").fetchall()
        [('ann', 116.0), ('bob', 64.0)]
        """
        self._require_open()
        name = _free(name, function)
        own = own_aggregate(
            name,
            function,
            signature_of(name, function, parameters, self.catalog.types),
            result_of(name, function, return_type, self.catalog.types),
            null_handling=null_handling,
            tried_with=sample,
            device=self.device,
        )
        return self._define(own)

    def create_table_function(
        self, name: str, function: Callable[..., Any], parameters: Sequence[Any] | None = None
    ) -> Self:
        """Let queries read the table that `function` returns: `FROM name(…)`.

        It gets the values of its arguments, which are constants of the types `parameters` (without them its annotations say
        them), None for NULL, and returns anything that `register` takes except paths. It is called when a query is bound, once
        for each call in its text, so that each query may get another table. Raises BindError as
        `create_function`.

        >>> con.create_table_function("countdown", lambda n: {"left": list(range(n, 0, -1))}, ["INTEGER"]).functions()
        ['countdown(INTEGER) -> TABLE']
        >>> con.sql("FROM countdown(3)").fetchall()
        [(3,), (2,), (1,)]
        """
        self._require_open()
        name = _free(name, function)
        return self._define(
            own_table_function(
                name, function, signature_of(name, function, parameters, self.catalog.types), self.device
            )
        )

    def remove_function(self, name: str) -> Self:
        """Remove a user-defined function of any kind; queries that are already bound keep it."""
        self._require_open()
        self.catalog.remove_function(str(name))
        self._plans.clear()
        return self

    def functions(self) -> list[str]:
        """The user-defined functions, with their types."""
        return sorted(map(str, self.catalog.own))

    def _define(self, own: Own) -> Self:
        self.catalog.add_function(own)
        self._plans.clear()
        return self


def _free(name: str, function: Callable[..., Any]) -> str:
    """The name in lower case; BindError where it is taken or none, or where there is nothing to call."""
    name = require_callable(name, function)
    if is_builtin(name):
        raise BindError(f"there is a function {name} already, or a word {name}", hint="choose another name")
    return name
