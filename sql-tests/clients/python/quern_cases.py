"""Runs the contract cases of src/clients/cases with Quern's Python client, sync or async: `quern_cases.py sync|async`.

A TAP line a case, as tap.py's. What a case may say: src/clients/cases/README.md.
"""

import asyncio
import inspect
import json
import math
import os
import re
import sys
from base64 import b64decode
from datetime import datetime, timedelta, timezone
from pathlib import Path

import quern
from quern import data, error, query, schema

CASES = Path(__file__).parents[3] / "src/clients/cases"
KIND, *ONLY = sys.argv[1:] or ["sync"]
LOOP = asyncio.new_event_loop()


async def gathered(iterator):
    return [one async for one in iterator]


def settled(result):
    """A result, also of calls that are awaited and of iterators."""
    if inspect.isawaitable(result):
        result = LOOP.run_until_complete(result)
    if hasattr(result, "__aiter__"):
        return LOOP.run_until_complete(gathered(result))
    return list(result) if inspect.isgenerator(result) else result


def epoch(milliseconds):
    return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=milliseconds)


TAGS = {
    "float": float,
    "int": int,
    "bytes": b64decode,
    "timestamp": epoch,
    "list": lambda values: [value_of(one) for one in values],
    "text_list": data.string_list,
    "int_list": data.i64_list,
    "float_list": data.f64_list,
    "saved": lambda name: SAVED[name],
    "long": lambda length: "x" * length,
    "naive": lambda milliseconds: epoch(milliseconds).replace(tzinfo=None),
    **{f"{one}_vector": getattr(data, f"{one}_vector") for one in ("f32", "f16", "f8", "u8", "i8", "binary")},
    **{f"{one}_matrix": lambda rows, one=one: data.matrix(rows, one) for one in ("f32", "f16", "f8", "u8", "i8")},
    **{
        f"{one}_sparse_vector": lambda pairs, one=one: getattr(data, f"{one}_sparse_vector")(
            dict(zip(pairs["indices"], pairs["values"]))
        )
        for one in ("f32", "u8")
    },
}
SAVED = {}
REFS = {}


def value_of(given):
    """A value of Python from a case's."""
    if isinstance(given, list):
        return [value_of(one) for one in given]
    if not isinstance(given, dict):
        return given
    if len(given) == 1:
        [(name, one)] = given.items()
        if name.startswith("$") and name[1:] in TAGS:
            return TAGS[name[1:]](one)
    return {name: value_of(one) for name, one in given.items()}


FUNCTIONS = {"match", "match_tokens", "should", "not_", "all", "any", "field", "literal"}


def expression(given):
    """An expression from `[operator, …]`; anything else is a value."""
    if isinstance(given, dict) and "$repeat" in given:
        count, one = given["$repeat"]
        return [expression(one) for _ in range(count)]
    if isinstance(given, dict) and "$nested" in given:
        depth, name, one = given["$nested"]
        made = expression(one)
        for _ in range(depth):
            made = getattr(made, name)(expression(one))
        return made
    if not (isinstance(given, list) and given and isinstance(given[0], str)):
        return [expression(one) for one in given] if isinstance(given, list) else value_of(given)
    name, *rest = given
    named = rest.pop()["$named"] if rest and isinstance(rest[-1], dict) and "$named" in rest[-1] else {}
    named = {key: value_of(one) for key, one in named.items()}
    if name in ("match_tokens",):
        return query.match_tokens(*rest, **named)
    if name.startswith(("fn.", "agg.")):
        space, function = name.split(".")
        plain = [value_of(one) if space == "fn" else expression(one) for one in rest]
        return getattr(getattr(query, space), function)(*plain, **named)
    arguments = [expression(one) for one in rest]
    if name in FUNCTIONS:
        return getattr(query, name)(*arguments, **named)
    first = arguments[0] if isinstance(arguments[0], query.Expression) else query.literal(arguments[0])
    return getattr(first, name)(*arguments[1:], **named)


def query_of(stages):
    made = query.Query()
    for name, *arguments in stages:
        if name == "select":
            names, aliases = [*arguments, {}][:2]
            made = made.select(*names, **{key: expression(one) for key, one in aliases.items()})
        elif name == "group_by":
            made = made.group_by(*({key: expression(one) for key, one in each.items()} for each in arguments))
        elif name == "sort" and arguments[0] and isinstance(arguments[0][0], list):
            made = made.sort([(expression(key), direction) for key, direction in arguments[0]])
        elif name in ("sort", "topk", "filter"):
            made = getattr(made, name)(expression(arguments[0]), *arguments[1:])
        else:
            made = getattr(made, name)(*arguments)
    return made


def schema_of(given):
    given = REFS[given["$ref"]] if "$ref" in given else given
    return {name: spec_of(one) for name, one in given.items()}


def spec_of(given):
    if not isinstance(given, dict):
        return given
    if given["type"] == "struct":
        made = schema.struct(schema_of(given["fields"]))
    else:
        options = {key: given[key] for key in ("dimension", "value_type") if key in given}
        made = getattr(schema, given["type"])(**options)
    for kind, *options in given.get("indexes", []):
        made = made.index(getattr(schema, kind)(**(options[0] if options else {})))
    return made.required() if given.get("required") else made


def arguments_of(step):
    given = dict(step.get("args", {}))
    for name, read in (("query", query_of), ("schema", schema_of), ("filter", expression), ("which", which_of)):
        if name in given and not (name == "query" and isinstance(given[name], str)):
            given[name] = read(given[name])
    if "file" in given:
        name, content, mime = given["file"]
        given["file"] = (name, value_of(content) if isinstance(content, dict) else content.encode(), mime)
    for one in given.get("datasets", []):
        if isinstance(one, dict) and "filter" in one:
            one["filter"] = expression(one["filter"])
    read = ("query", "schema", "filter", "which", "file", "datasets")
    return {name: one if name in read else value_of(one) for name, one in given.items()}


def which_of(given):
    return expression(given) if isinstance(given, list) and given and given[0] in OPERATORS else value_of(given)


OPERATORS = {
    "eq",
    "lt",
    "lte",
    "gt",
    "gte",
    "and_",
    "or_",
    "not_",
    "add",
    "field",
    "in_",
    "contains",
    "match",
    "literal",
}


def perform(client, step, default):
    where, _, name = step["do"].rpartition(".")
    arguments = arguments_of(step)
    if where in ("collections", "datasets"):
        target = getattr(client, where)()
    elif where == "dataset":
        target = client.dataset(step.get("dataset", "filings"))
    elif name in ("search", "ask", "research", "sql", "read_only"):
        target = client
    else:
        target = client.collection(step.get("collection", default), step.get("partition"))
    which = [arguments.pop("which")] if "which" in arguments else []
    return settled(getattr(target, name)(*which, **arguments))


def plain(result):
    """Objects of the client as dicts, for comparing; a schema stays as it is."""
    if isinstance(result, (quern.Collection, quern.Dataset)):
        return dict(vars(result))
    if isinstance(result, list) and type(result) is list:
        return [plain(one) for one in result]
    if hasattr(result, "_names"):
        return {"$class": type(result).__name__, **{name: plain(getattr(result, name)) for name in result}}
    if isinstance(result, dict) and type(result) is dict:
        return {name: plain(one) for name, one in result.items()}
    return result


TYPES = {"text": str, "int": int, "float": float, "bool": bool, "list": list, "dict": dict, "bytes": bytes}


def check(seen, expected, at="result"):
    """Raises AssertionError that says where what was seen differs."""
    if isinstance(expected, dict) and len(expected) == 1:
        [(name, one)] = expected.items()
        if name == "$ids":
            return check([row["_id"] for row in seen], one, at)
        if name == "$count":
            return same(len(seen), one, f"length of {at}")
        if name == "$last":
            return check(seen[-1], one, f"last of {at}")
        if name == "$between":
            assert one[0] <= seen <= one[1], f"{at} is {seen!r}, not between {one}"
            return None
        if name == "$some":
            return check_some(seen, one, at)
        if name == "$any_order":
            key = lambda value: json.dumps(value, sort_keys=True, default=str)  # noqa: E731
            return check(sorted(seen, key=key), sorted(map(value_of, one), key=key), at)
        if name == "$type":
            assert type(seen) is TYPES[one], f"{at} is {seen!r}, no {one}"
            return None
        if name == "$matching":
            assert re.search(one, seen), f"{at} is {seen!r}, not like {one}"
            return None
        if name == "$part":
            missing = [key for key in one if key not in seen]
            assert not missing, f"{at} {seen!r} has no {missing}"
            for key, value in one.items():
                check(seen[key], value, f"{at}.{key}")
            return None
        if name == "$schema":
            one = schema_of(one)
            assert seen == one, f"{at} is {seen!r}, not {one!r}"
            return None
        if name == "$timestamp":
            return check(seen, one, at)
    if isinstance(expected, dict) and not (
        len(expected) == 1 and next(iter(expected))[:1] == "$" and next(iter(expected))[1:] in TAGS
    ):
        assert isinstance(seen, dict), f"{at} is {seen!r}, not {expected!r}"
        assert seen.keys() == expected.keys(), f"{at} has {sorted(seen)}, not {sorted(expected)}"
        for name, one in expected.items():
            check(seen[name], one, f"{at}.{name}")
        return None
    if isinstance(expected, list):
        assert isinstance(seen, list) and len(seen) == len(expected), f"{at} is {seen!r}, not {expected!r}"
        for index, one in enumerate(expected):
            check(seen[index], one, f"{at}[{index}]")
        return None
    same(seen, value_of(expected), at)
    return None


def check_some(seen, expected, at):
    for one in seen:
        try:
            return check(one, expected, at)
        except AssertionError:
            continue
    raise AssertionError(f"none of {at} {seen!r} is {expected!r}")


def same(seen, expected, at):
    if isinstance(expected, float) and isinstance(seen, float):
        assert math.isclose(seen, expected, rel_tol=1e-6, abs_tol=1e-9), f"{at} is {seen!r}, not {expected!r}"
        return
    if isinstance(expected, (bool, int, float)) or expected is None:
        assert type(seen) is type(expected) and seen == expected, f"{at} is {seen!r}, not {expected!r}"
        return
    if isinstance(expected, (data.List, data.SparseVector)):
        assert getattr(seen, "kind", None) == expected.kind or type(seen) is list, f"{at} is {seen!r}, not {expected!r}"
    assert seen == expected, f"{at} is {seen!r}, not {expected!r}"


def check_error(raised, expected):
    assert type(raised).__mro__, raised
    names = [one.__name__ for one in type(raised).__mro__]
    assert expected["class"] in names, f"raised {raised!r}, not {expected['class']}"
    assert isinstance(raised, error.QuernError)
    message = expected.get("message", "")
    assert message in str(raised), f"{str(raised)!r} does not say {message!r}"
    if "sqlstate" in expected:
        assert raised.sqlstate == expected["sqlstate"], f"{raised.sqlstate}: {raised}"
    if "errors" in expected:
        assert len(raised.errors) == len(expected["errors"]), f"errors are {raised.errors}"
        for wanted in expected["errors"]:
            check_some(raised.errors, {"$part": wanted}, "errors")


def run_step(client, step, default):
    if "client" in step:
        client = connect(**step["client"])
    try:
        result = perform(client, step, default)
    except (error.QuernError, TypeError) as raised:
        if "error" not in step:
            raise
        return check_error(raised, step["error"])
    finally:
        if "client" in step:
            settled(client.close())
    assert "error" not in step, f"gave {result!r}, no {step['error']['class']}"
    if "save" in step:
        SAVED[step["save"]] = result
    if "same_as" in step:
        assert result == SAVED[step["same_as"]], f"{result!r} is not {SAVED[step['same_as']]!r}"
    if "contains" in step:
        assert SAVED[step["contains"]] in result, f"{SAVED[step['contains']]!r} is not in {result!r}"
    if "expect" in step:
        check(plain(result), step["expect"])
    return None


def steps_of(case):
    """A case's steps, also of its short forms: `where` and `ids`, `of` and `gives`, `round_trip`."""
    rest = {key: case[key] for key in ("error", "collection") if key in case}
    if "where" in case:
        stages = [["select", []], ["filter", case["where"]], ["sort", ["field", "_id"], True], ["limit", 100]]
        expect = {"expect": {"$ids": case["ids"]}} if "ids" in case else {}
        return [{"do": "query", "args": {"query": stages}, **expect, **rest}]
    if "gives" in case:
        aliases = {f"x{index}": one for index, (one, _) in enumerate(case["gives"])}
        stages = [["select", [], aliases], ["filter", ["eq", ["field", "_id"], case["of"]]]]
        row = {f"x{index}": one for index, (_, one) in enumerate(case["gives"]) if one is not None}
        expect = {} if "error" in case else {"expect": [{"_id": case["of"], **row}]}
        return [{"do": "query", "args": {"query": stages}, **expect, **rest}]
    if "round_trip" in case:
        document = {"_id": "round", **case["round_trip"]}
        return [
            {"do": "upsert", "args": {"documents": [document]}, **rest},
            {"do": "get", "args": {"ids": ["round"]}, "expect": {"round": document}, **rest},
        ]
    return case.get("steps", [case])


def clean(client):
    for one in settled(client.collections().list()):
        settled(client.collections().delete(one.name))
    for one in settled(client.datasets().list()):
        settled(client.datasets().delete(one.name))


def prepare(client, file):
    for name, one in file.get("collections", {}).items():
        settled(client.collections().create(name, schema_of(one)))
    for name, documents in file.get("documents", {}).items():
        settled(client.collection(name).upsert(value_of(documents)))


def run_file(client, path):
    file = json.loads(path.read_text())
    REFS.update(file.get("refs", {}))
    clean(client)
    prepare(client, file)
    for case in file["cases"]:
        if case.get("only", "python") != "python":
            continue
        name = f"{path.stem}, {case['name']}".replace(":", " -")
        if ONLY and not any(one in name for one in ONLY):
            continue
        SAVED.clear()
        try:
            for step in steps_of(case):
                run_step(client, step, file.get("collection", "books"))
            print(f"ok {name}", flush=True)
        except Exception as raised:  # noqa: BLE001 - says which
            if ONLY:
                import traceback

                traceback.print_exc()
            words = " ".join(f"{type(raised).__name__} {raised}".split())[:600]
            print(f"not ok {name}: {words}", flush=True)


def connect(**options):
    made = quern.Client if KIND == "sync" else quern.AsyncClient
    return made(os.environ["PGPASSWORD"], host=os.environ["PGHOST"], port=int(os.environ["PGPORT"]), **options)


def main():
    client = connect()
    for path in sorted(CASES.glob("*.json")):
        run_file(client, path)
    settled(client.close())


main()
