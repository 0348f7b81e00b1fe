"""`dataclass`, `field` and `replace` of the standard library, made at the first use instead of at the definition.

The standard `dataclass` writes and compiles six methods the moment a class is defined: half a millisecond each, and
a short command such as `orch status` loads sixty of them. Here a class costs next to nothing until its first
instance. Owns only what the package uses: frozen or not, always with slots, defaults and factories, and fields left
out of `__init__`, repr or comparison. Type checkers see the standard ones; `dataclasses.fields`, `asdict` and
`replace` take these classes too. Knows nothing of the package.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace
else:

    def dataclass(*, slots: bool, frozen: bool = False) -> Callable[[type], type]:
        """The decorator. Raises TypeError without slots: every class of the package has them."""
        if not slots:
            raise TypeError("a dataclass of this package has slots")
        return lambda cls: _made(cls, frozen=frozen)

    def field(**settings: Any) -> _Field:
        """The settings of one field: default, default_factory, init, repr, compare."""
        return _Field(**settings)

    def replace(one: Any, /, **changes: Any) -> Any:
        """A new instance with these fields changed. Raises TypeError for a field there isn't."""
        fields = getattr(type(one), "__orch_fields__", None)
        if fields is None:
            # Here and below: loading it takes longer than all that is done here.
            from dataclasses import replace as standard

            return standard(one, **changes)
        return type(one).__orch_replace__(one, changes)


_MISSING: Any = object()
_FEW = 20
"""So many instances are made before `__init__` is compiled."""


class _Field:
    __slots__ = ("compare", "default", "default_factory", "init", "repr")

    def __init__(
        self,
        *,
        default: Any = _MISSING,
        default_factory: Any = _MISSING,
        init: bool = True,
        repr: bool = True,
        compare: bool = True,
    ) -> None:
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.compare = compare


class _StandardFields:
    """What `dataclasses` looks for on a class, made when it looks."""

    def __get__(self, instance: object, owner: Any) -> dict[str, Any]:
        import dataclasses

        entries = []
        for name, own in owner.__orch_fields__.items():
            settings = {key: value for key in own.__slots__ if (value := getattr(own, key)) is not _MISSING}
            entries.append((name, owner.__annotations__[name], dataclasses.field(**settings)))
        found: dict[str, Any] = dataclasses.make_dataclass(owner.__name__, entries).__dataclass_fields__  # type: ignore[attr-defined]
        owner.__dataclass_fields__ = found
        return found


def _made(cls: Any, *, frozen: bool) -> Any:
    """The class anew, with slots and with methods for its fields."""
    body = {name: value for name, value in cls.__dict__.items() if name not in ("__dict__", "__weakref__")}
    fields: dict[str, _Field] = {}
    for name in body.get("__annotations__", ()):
        default = body.pop(name, _MISSING)
        fields[name] = default if isinstance(default, _Field) else _Field(default=default)
    names = tuple(fields)
    body["__slots__"] = names
    body["__match_args__"] = tuple(name for name in names if fields[name].init)
    body["__orch_fields__"] = fields
    body["__dataclass_fields__"] = _StandardFields()
    compared = [name for name in names if fields[name].compare]
    values: Callable[[Any], Any] = attrgetter(*compared) if compared else _nothing

    made: Any = None
    count = 0

    def first_inits(self: Any, /, *args: Any, **given: Any) -> None:
        # Most classes have a few instances in a short command: for those it isn't worth compiling anything.
        nonlocal count
        count += 1
        if count > _FEW or not _fill(made, self, args, given):
            made.__init__ = _init(made, fields, frozen=frozen)
            made.__init__(self, *args, **given)

    def equal(self: Any, other: Any) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: Any) -> int:
        return hash(values(self))

    replaced = 0

    def first_replaces(one: Any, changes: dict[str, Any]) -> Any:
        nonlocal replaced
        replaced += 1
        if replaced > _FEW:
            made.__orch_replace__ = _replace(made, fields)
        for name, settings in fields.items():
            if settings.init and name not in changes:
                changes[name] = getattr(one, name)
        return made(**changes)

    body["__init__"] = first_inits
    body["__orch_replace__"] = staticmethod(first_replaces)
    body.setdefault("__eq__", equal)
    body.setdefault("__repr__", _repr)
    body["__hash__"] = hashed if frozen else None
    if frozen:
        body.update(__setattr__=_refuse_set, __delattr__=_refuse_delete, __getstate__=_state, __setstate__=_set_state)
    made = type(cls)(cls.__name__, cls.__bases__, body)
    made.__qualname__ = cls.__qualname__
    return made


def _fill(cls: Any, one: Any, args: tuple[Any, ...], given: dict[str, Any]) -> bool:
    """Set the fields of a new instance; False, whatever was set by then, for a call that `__init__` has to refuse."""
    placed, named = 0, 0
    for name, own in cls.__orch_fields__.items():
        if own.init and placed < len(args):
            value = args[placed]
            placed += 1
        elif own.init and name in given:
            value = given[name]
            named += 1
        elif own.default_factory is not _MISSING:
            value = own.default_factory()
        elif own.default is not _MISSING:
            value = own.default
        else:
            return False
        # A slot's own setter passes by the refusal in `__setattr__`.
        cls.__dict__[name].__set__(one, value)
    return placed == len(args) and named == len(given)


def _init(cls: Any, fields: dict[str, _Field], *, frozen: bool) -> Any:
    """`__init__` with the fields as its parameters."""
    scope: dict[str, Any] = {"_missing": _MISSING}
    parameters, lines = ["self"], []
    for name, own in fields.items():
        value = name
        if own.default_factory is not _MISSING:
            scope[f"_make_{name}"] = own.default_factory
            value = f"(_make_{name}() if {name} is _missing else {name})" if own.init else f"_make_{name}()"
        elif not own.init:
            scope[f"_default_{name}"] = own.default
            value = f"_default_{name}"
        if own.init:
            default = ""
            if own.default_factory is not _MISSING:
                default = "=_missing"
            elif own.default is not _MISSING:
                scope[f"_default_{name}"] = own.default
                default = f"=_default_{name}"
            parameters.append(name + default)
        scope[f"_set_{name}"] = cls.__dict__[name].__set__
        lines.append(f" _set_{name}(self, {value})\n" if frozen else f" self.{name} = {value}\n")
    exec(f"def __init__({', '.join(parameters)}):\n{''.join(lines) or ' pass'}", scope)
    made = scope["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _replace(cls: Any, fields: dict[str, _Field]) -> Any:
    """A new instance like another with some fields changed, without a look at each of them by name."""
    setters = {name: cls.__dict__[name].__set__ for name in fields}
    scope: dict[str, Any] = {f"_set_{name}": setter for name, setter in setters.items()}
    scope |= {"_new": cls.__new__, "_cls": cls, "_setters": {name: setters[name] for name in cls.__match_args__}}
    lines = []
    for name, own in fields.items():
        value = f"one.{name}"
        if not own.init:
            scope[f"_own_{name}"] = own
            value = f"_own_{name}.default_factory()" if own.default_factory is not _MISSING else f"_own_{name}.default"
        lines.append(f" _set_{name}(made, {value})\n")
    exec(
        f"def replace(one, changes):\n made = _new(_cls)\n{''.join(lines)}"
        " for name, value in changes.items():\n"
        "  if name not in _setters: return _cls(**changes)\n"
        "  _setters[name](made, value)\n"
        " return made\n",
        scope,
    )
    return staticmethod(scope["replace"])


def _nothing(one: object) -> tuple[()]:
    return ()


def _repr(self: Any) -> str:
    shown = (name for name, own in self.__orch_fields__.items() if own.repr)
    return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"


def _refuse_set(self: object, name: str, value: object) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: object, name: str) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__slots__]


def _set_state(self: Any, state: list[Any]) -> None:
    for name, value in zip(self.__slots__, state, strict=True):
        object.__setattr__(self, name, value)
