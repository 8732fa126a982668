"""Lists that begin empty and that code out of sight fills: what follows where they are not empty does run."""

import jax


def by_a_call(key, fill):
    items = []
    fill(items)
    if items:
        first = jax.random.normal(key)  # first
        return first + jax.random.uniform(key)  # error: OLY104 certain
    return None


def by_a_function_among_the_arguments(key, run):
    items = []
    run(lambda item: items.append(item))
    if items:
        first = jax.random.normal(key)  # first
        return first + jax.random.uniform(key)  # error: OLY104 certain
    return None


def by_a_method_among_the_arguments(key, run):
    items = []
    run(items.append)
    if len(items) > 0:
        first = jax.random.normal(key)  # first
        return first + jax.random.uniform(key)  # error: OLY104 certain
    return None


def at_an_unknown_place(key, numbers):
    groups = [[] for _ in range(3)]
    for number in numbers:
        groups[number].append(number)
    if len(groups[0]) == 0:
        return None
    first = jax.random.normal(key)  # first
    return first + jax.random.uniform(key)  # error: OLY104 certain


def still_empty(key, fill):
    items, others = [], []
    fill(others)
    first = jax.random.normal(key)
    if len(items) > 0:
        first += jax.random.uniform(key)
    return first


def main():
    one, two, three, four, five = jax.random.split(jax.random.key(0), 5)
    found = by_a_call(one, lambda items: items.append(1)), by_a_function_among_the_arguments(two, lambda add: add(1))
    found += by_a_method_among_the_arguments(three, lambda add: add(1)), at_an_unknown_place(four, [0, 2])
    return found, still_empty(five, lambda items: items.append(1))
