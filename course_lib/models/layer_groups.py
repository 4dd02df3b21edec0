"""Layers by name, from input to output: what trains, what is frozen. The same for encoders and for heads on them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from torch import nn

from course_lib.errors import CourseError


class LayerGroups(nn.Module, ABC):
    """A subclass writes `_groups`. A frozen module carries its own mark, so an encoder and its heads never disagree."""

    @abstractmethod
    def _groups(self) -> list[tuple[str, list[nn.Module]]]:
        """The layers by name, input to output; together they hold every parameter that may be trained."""

    def layer_groups(self) -> list[tuple[str, list[nn.Parameter]]]:
        """(name, parameters) from input to output, each parameter once (a tied one where it first appears)."""
        seen: set[int] = set()
        groups = []
        for name, modules in self._groups():
            parameters = [p for module in modules for p in module.parameters()]
            groups.append((name, [p for p in parameters if not (id(p) in seen or seen.add(id(p)))]))
        return groups

    @property
    def frozen(self) -> tuple[str, ...]:
        return tuple(name for name, modules in self._groups() if all(map(_is_frozen, modules)))

    def freeze(self, names: Sequence[str] | None = None) -> None:
        """No gradient and no dropout for these groups (all if None), also under .train()."""
        self._set_frozen(names, True)

    def unfreeze(self, names: Sequence[str] | None = None) -> None:
        self._set_frozen(names, False)

    def train(self, mode: bool = True) -> LayerGroups:
        super().train(mode)
        for _, modules in self._groups():
            for module in filter(_is_frozen, modules):
                module.eval()
        return self

    def _set_frozen(self, names: Sequence[str] | None, frozen: bool) -> None:
        names = self._known(names)
        parameters = dict(self.layer_groups())
        for name, modules in self._groups():
            if name in names:
                for parameter in parameters[name]:
                    parameter.requires_grad_(not frozen)
                for module in modules:
                    module.is_frozen = frozen
                    module.train(self.training and not frozen)

    def _known(self, names: Sequence[str] | None) -> list[str]:
        known = [name for name, _ in self._groups()]
        if names is None:
            return known
        names = [names] if isinstance(names, str) else list(names)
        if unknown := [name for name in names if name not in known]:
            raise CourseError(f"{type(self).__name__} has no layer group {unknown[0]!r}. It has: {', '.join(known)}.")
        return names


def _is_frozen(module: nn.Module) -> bool:
    return getattr(module, "is_frozen", False)
