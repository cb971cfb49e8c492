"""Strongly and weakly connected components, without recursion."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

__all__ = ["cycle_through", "longest_path_levels", "strong_components", "weak_components"]

Node = TypeVar("Node", bound=Hashable)


def strong_components(nodes: Sequence[Node], successors: Callable[[Node], Iterable[Node]]) -> list[list[Node]]:
    """The strongly connected components, each after the components reachable from it (Tarjan's algorithm).

    >>> strong_components([1, 2, 3], {1: [2], 2: [1, 3], 3: []}.__getitem__)
    [[3], [1, 2]]
    """
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    on_stack: set[Node] = set()
    stack: list[Node] = []
    components: list[list[Node]] = []
    order = {node: i for i, node in enumerate(nodes)}
    for root in nodes:
        if root in index:
            continue
        work = [(root, iter(successors(root)))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, following = work[-1]
            for successor in following:
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    stack.append(successor)
                    on_stack.add(successor)
                    work.append((successor, iter(successors(successor))))
                    break
                if successor in on_stack:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    component = [stack.pop()]
                    while component[-1] != node:
                        component.append(stack.pop())
                    on_stack.difference_update(component)
                    components.append(sorted(component, key=order.__getitem__))
    return components


def weak_components(nodes: Sequence[Node], links: Iterable[tuple[Node, Node]]) -> list[list[Node]]:
    """The groups of nodes that the links connect, in order of their first nodes.

    >>> weak_components([1, 2, 3, 4], [(4, 2)])
    [[1], [2, 4], [3]]
    """
    parent = {node: node for node in nodes}

    def root(node: Node) -> Node:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for left, right in links:
        parent[root(right)] = root(left)
    groups: dict[Node, list[Node]] = {}
    for node in nodes:
        groups.setdefault(root(node), []).append(node)
    return list(groups.values())


def cycle_through(start: Node, successors: Callable[[Node], Iterable[Node]]) -> list[Node] | None:
    """A shortest cycle from a node back to itself, the node first, if there is one.

    >>> cycle_through("a", {"a": "b", "b": "ca", "c": ""}.__getitem__)
    ['a', 'b']
    """
    came_from: dict[Node, Node] = {}
    frontier = [start]
    while frontier:
        following: list[Node] = []
        for node in frontier:
            for successor in successors(node):
                if successor == start:
                    return _path(start, node, came_from)
                if successor not in came_from:
                    came_from[successor] = node
                    following.append(successor)
        frontier = following
    return None


def _path(start: Node, node: Node, came_from: dict[Node, Node]) -> list[Node]:
    path = [node]
    while path[-1] != start:
        path.append(came_from[path[-1]])
    return path[::-1]


def longest_path_levels(
    nodes: Sequence[Node], successors: Callable[[Node], Iterable[Node]], base: Callable[[Node], int]
) -> dict[Node, int]:
    """The level of each node of an acyclic graph: one above the highest of its predecessors, at least `base`.

    Contract: every node comes before its successors.
    """
    levels = {node: base(node) for node in nodes}
    for node in nodes:
        for successor in successors(node):
            levels[successor] = max(levels[successor], levels[node] + 1)
    return levels
