"""Promises of Quern's Python client beside the contract cases: values, operators, hosts, threads, closing."""

import asyncio
import os
import pickle
import tempfile
import threading
from datetime import date, datetime, timedelta, timezone

import numpy
import quern
from quern import AsyncClient, BackoffConfig, Client, ConsistencyLevel, RetryConfig, data, error, query, schema
from quern._host import find_server
from quern.query import agg, field, fn, literal, match, select
from tap import check, equal, run

KEY, HOST, PORT = os.environ["PGPASSWORD"], os.environ["PGHOST"], int(os.environ["PGPORT"])


def raises(kind, work, part=""):
    try:
        result = work()
    except kind as raised:
        assert part in str(raised), f"{raised} does not say {part!r}"
        return raised
    raise AssertionError(f"gave {result!r}, no {kind.__name__}")


def connect(**options):
    return Client(KEY, host=HOST, port=PORT, **options)


def fresh(client, name, fields=None):
    try:
        client.collections().delete(name)
    except error.CollectionNotFoundError:
        pass
    client.collections().create(name, fields or {})
    return client.collection(name)


@check
def exact_values_refuse_what_does_not_fit():
    for made, bad in [
        (data.u8_vector, [256]), (data.u8_vector, [-1]), (data.i8_vector, [128]), (data.f32_vector, [1e39]),
        (data.f16_vector, [70000.0]), (data.f8_vector, [449.0]), (data.u32_list, [-1]), (data.i32_list, [2**31]),
        (data.i64_list, [2**63]), (data.bytes, [256]), (data.binary_vector, [300]),
    ]:  # fmt: skip
        raises(OverflowError, lambda made=made, bad=bad: made(bad), "out of range")
        raises(ValueError, lambda made=made, bad=bad: made(bad))
    for made, bad in [
        (data.f32_vector, ["a"]), (data.f32_vector, [None]), (data.u8_vector, [1.5]), (data.string_list, [1]),
        (data.f32_vector, "abc"), (data.f32_vector, 5), (data.bytes, ["a"]), (data.struct, [1]),
        (data.struct, {1: 2}), (data.matrix, [1, 2]), (data.f32_sparse_vector, [1]), (data.f32_sparse_vector, {"a": 1}),
    ]:  # fmt: skip
        raises(TypeError, lambda made=made, bad=bad: made(bad))
    raises(ValueError, lambda: data.matrix([[1, 2], [3]]))
    raises(ValueError, lambda: data.matrix([[1, 2]], "f64"))
    raises(OverflowError, lambda: data.f32_sparse_vector({-1: 1.0}))
    raises(OverflowError, lambda: data.u8_sparse_vector({1: 256}))


@check
def exact_values_are_lists_and_dicts():
    vector = data.f32_vector([1, 2.5])
    equal(vector, [1.0, 2.5])
    equal(repr(vector), "f32_vector([1.0, 2.5])")
    equal(data.f8_vector([0.1]), [0.1015625])
    equal(data.f32_sparse_vector({7: 1, 2: 3}), {2: 3.0, 7: 1.0})
    equal([*data.f32_sparse_vector({7: 1, 2: 3})], [2, 7])
    equal(data.matrix([[1, 2], [3, 4]]).shape, (2, 2))
    equal(data.bytes([1, 255]), b"\x01\xff")
    equal(numpy.asarray(data.u8_vector([1, 2])).dtype, numpy.uint8)
    equal(numpy.asarray(data.matrix([[1, 2]], "f16")).dtype, numpy.float16)
    for value in (vector, data.matrix([[1]]), data.f32_sparse_vector({1: 1}), data.struct({"a": 1})):
        copy = pickle.loads(pickle.dumps(value))
        equal((copy, type(copy), repr(copy)), (value, type(value), repr(value)))


@check
def expressions_are_not_true_or_false():
    for work in (
        lambda: field("a") and field("b"), lambda: field("a") or field("b"), lambda: not field("a"),
        lambda: 1 in field("a"), lambda: 1 < field("a") < 3, lambda: bool(match("x")),
    ):  # fmt: skip
        raises(TypeError, work)
    assert "&" in str(raises(TypeError, lambda: field("a") and field("b")))
    raises(TypeError, lambda: field("a") + object())
    raises(TypeError, lambda: field("a") & 5)
    raises(TypeError, lambda: select(x="a"))
    raises(TypeError, lambda: select(5))
    raises(TypeError, lambda: query.filter("a"))
    raises(TypeError, lambda: match(5))
    raises(TypeError, lambda: select("a").limit("5"))


@check
def expressions_say_what_they_are():
    equal(
        repr((field("year") >= 1990) & ~field("a").contains("x")),
        "((field('year') >= 1990) & ~field('a').contains('x'))",
    )
    equal(repr(1 / field("a") - 2), "((1 / field('a')) - 2)")
    assert "limit(5)" in repr(select("a").limit(5))
    equal(
        repr(schema.f32_vector(3).index(schema.vector_index("cosine")).required()),
        "f32_vector(3).index(vector_index(metric='cosine')).required()",
    )


@check
def specs_and_collections_compare_by_value():
    equal(schema.text().required(), schema.text().required())
    assert schema.text().required() != schema.text()
    equal(schema.text().required().optional(), schema.text())
    equal(schema.struct({"a": schema.int()}), schema.struct({"a": schema.int()}))
    equal(schema.text().index(schema.semantic_index()), schema.text().index(schema.semantic_index()))
    assert schema.text().index(schema.keyword_index()) != schema.text().index(schema.keyword_index(type="exact"))
    for work in (
        lambda: schema.vector_index("manhattan"),
        lambda: schema.keyword_index("word"),
        lambda: schema.list("bool"),
        lambda: schema.matrix(2, "f64"),
    ):
        raises(ValueError, work)
    raises(TypeError, lambda: schema.f32_vector("3"))
    with connect() as client:
        fresh(client, "compared", {"a": schema.int(), "s": {"t": schema.text()}})
        one = client.collections().get("compared")
        equal(one, client.collections().get("compared"))
        equal(one.schema, {"a": schema.int(), "s": schema.struct({"t": schema.text()})})
        assert "compared" in repr(one)


@check
def numpy_arrays_by_their_type():
    with connect() as client:
        films = fresh(
            client, "arrays", {"m": schema.matrix(2), "v": schema.f32_vector(2).index(schema.vector_index("euclidean"))}
        )
        document = {
            "_id": "n", "v": numpy.array([1, 2], numpy.float32), "h": numpy.array([1, 2], numpy.float16),
            "u": numpy.array([1, 255], numpy.uint8), "i": numpy.array([-1, 2], numpy.int8),
            "m": numpy.array([[1, 2], [3, 4]], numpy.float32), "x": numpy.int64(5), "y": numpy.float64(1.5),
        }  # fmt: skip
        films.upsert([document])
        back = films.get(["n"])["n"]
        equal([back[name].kind for name in "vhui"], ["f32_vector", "f16_vector", "u8_vector", "i8_vector"])
        equal((back["v"], back["m"], back["u"], back["x"], back["y"]), ([1, 2], [[1, 2], [3, 4]], [1, 255], 5, 1.5))
        nearest = select(d=fn.vector_distance("v", numpy.array([1, 4], numpy.float32))).limit(1)
        equal(films.query(nearest), [{"_id": "n", "d": 4.0}])
        raises(
            error.DocumentValidationError, lambda: films.upsert([{"_id": "n", "v": numpy.array([1.0, 2.0])}]), "float64"
        )
        raises(
            TypeError,
            lambda: films.query(select(d=fn.vector_distance("v", numpy.array([1.0, 2.0]))).limit(1)),
            "float64",
        )


@check
def times():
    with connect() as client:
        films = fresh(client, "times", {"at": schema.timestamp()})
        east = timezone(timedelta(hours=2))
        films.upsert([
            {"_id": "a", "at": datetime(2024, 1, 1, 2, 0, 0, 1999, tzinfo=east)}, {"_id": "b", "at": date(2024, 1, 1)},
            {"_id": "c", "at": 1704067200005},
        ])  # fmt: skip
        back = {name: one["at"] for name, one in films.get(["a", "b", "c"]).items()}
        equal(back, {"a": 1704067200001, "b": 1704067200000, "c": 1704067200005})
        naive = datetime(2024, 1, 1)
        raises(error.InvalidArgumentError, lambda: films.upsert([{"_id": "d", "at": naive}]), "timezone-naive")
        raises(error.InvalidArgumentError, lambda: films.query(query.filter(field("at") > naive)), "timezone-naive")
        equal(len(films.query(query.filter(field("at") > date(2024, 1, 1)))), 2)


@check
def unknown_types_in_documents():
    with connect() as client:
        films = fresh(client, "unknown")
        bad = [{"_id": "a", "x": 1}, {"_id": "b", "x": object(), "y": {1, 2}}, {"_id": "c", "z": {"deep": [print]}}]
        raised = raises(error.DocumentValidationError, lambda: films.upsert(bad))
        equal([(one["document_offset"], one["field"]) for one in raised.errors], [(1, "x"), (1, "y"), (2, "z")])
        raises(TypeError, lambda: films.upsert("abc"))
        raises(error.DocumentValidationError, lambda: films.upsert([5]))
        raises(error.QuernError, lambda: films.upsert([{"_id": "a", "x": "a\0b"}]))
        raises(TypeError, lambda: films.get([1]))
        equal(films.count(), 0)


@check
def names_with_quotes_and_every_letter():
    with connect() as client:
        films = fresh(client, "letters", {'a"b': schema.text(), "c'd": schema.struct({"e'f": schema.int()})})
        films.upsert([{"_id": "1", 'a"b': "x'; DROP TABLE letters; --", "c'd": {"e'f": 5}, "ü $1 %s": 7}])
        row = select('a"b', "c'd.e'f", "ü $1 %s", **{"n'\"": field("ü $1 %s") + 1}).filter(field("c'd.e'f") == 5)
        equal(
            films.query(row), [{"_id": "1", 'a"b': "x'; DROP TABLE letters; --", "c'd.e'f": 5, "ü $1 %s": 7, "n'\"": 8}]
        )
        equal(films.query(query.filter(field('a"b') == "x'; DROP TABLE letters; --").count()), [{"_count": 1}])


@check
def hosts():
    def at(region=None, host=None, port=None, https=True):
        server = find_server(region, host, port, https)
        return server.host, server.port

    for name in ("QUERN_HOST", "QUERN_PORT", "QUERN_REGION", "QUERN_REGIONS"):
        os.environ.pop(name, None)
    equal(at(), ("127.0.0.1", 5432))
    os.environ.update(QUERN_HOST="", QUERN_PORT="", QUERN_REGION="", QUERN_REGIONS="")
    equal(at(), ("127.0.0.1", 5432))
    equal(at(None, "quern.example"), ("quern.example", 5432))
    for name in ("QUERN_HOST", "QUERN_PORT", "QUERN_REGION", "QUERN_REGIONS"):
        os.environ.pop(name, None)
    equal(at("eu", "quern.example"), ("eu.sql.quern.example", 5432))
    equal(at(None, "quern.example"), ("quern.example", 5432))
    equal(at("eu", "10.1.2.3", 7), ("10.1.2.3", 7))
    equal(at("eu", "db.example:6000"), ("db.example", 6000))
    equal(at("eu", "[::1]:6000"), ("::1", 6000))
    equal(at("eu", "::1"), ("::1", 5432))
    equal(at("eu", "localhost"), ("localhost", 5432))
    os.environ.update(QUERN_HOST="q.example", QUERN_REGION="us", QUERN_PORT="99")
    equal(at(), ("us.sql.q.example", 99))
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write('{"us": "sql.us.example:7000"}')
        file.flush()
        os.environ["QUERN_REGIONS"] = file.name
        del os.environ["QUERN_PORT"]
        equal(at(), ("sql.us.example", 7000))
    for name in ("QUERN_HOST", "QUERN_PORT", "QUERN_REGION", "QUERN_REGIONS"):
        os.environ.pop(name, None)
    raises(error.InvalidArgumentError, lambda: at("eu"), "host")
    raises(error.InvalidArgumentError, lambda: at("eu", "x", 70000), "port")
    equal(find_server(None, "quern.example", None, True).tls()["sslmode"], "verify-full")
    equal(find_server(None, "127.0.0.1", None, True).tls()["sslmode"], "prefer")
    equal(find_server(None, "quern.example", None, False).tls()["sslmode"], "disable")


@check
def keys_and_unreachable_hosts():
    os.environ.pop("QUERN_API_KEY", None)
    raises(error.InvalidArgumentError, Client, "QUERN_API_KEY")
    quick = {"max_retries": 1, "backoff": {"init_backoff": 1}}
    with Client("wrong", host=HOST, port=PORT) as client:
        raises(error.PermissionDeniedError, lambda: client.collections().list(), "API key")
    with Client(KEY, host="127.0.0.1", port=1, retry_config=quick) as client:
        raised = raises(error.ConnectionFailedError, lambda: client.collections().list(), "127.0.0.1:1")
        assert "host" in str(raised.hint)
    with Client(KEY, host="no-such-host.invalid", retry_config=quick) as client:
        raises(error.ConnectionFailedError, lambda: client.collections().list(), "no-such-host.invalid")
    raises(error.InvalidArgumentError, lambda: connect(retry_config={"retries": 5}), "retries")
    equal(RetryConfig().backoff, BackoffConfig(base=2, init_backoff=100, max_backoff=10000))
    equal((ConsistencyLevel.Indexed.value, ConsistencyLevel.Strong.value), ("indexed", "strong"))


@check
def many_threads():
    with connect() as client:
        films = fresh(client, "threads")
        lsns, failed = [], []

        def work(index):
            try:
                lsns.append(int(films.upsert([{"_id": f"t{index}", "n": index}])))
                equal(films.get([f"t{index}"])[f"t{index}"]["n"], index)
            except BaseException as raised:
                failed.append(raised)

        threads = [threading.Thread(target=work, args=(index,)) for index in range(40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        equal((failed, sorted(lsns), films.count()), ([], [*range(1, 41)], 40))


@check
async def many_tasks():
    async with AsyncClient(KEY, host=HOST, port=PORT) as client:
        try:
            await client.collections().delete("tasks")
        except error.CollectionNotFoundError:
            pass
        await client.collections().create("tasks", {})
        films = client.collection("tasks")
        lsns = await asyncio.gather(*(films.upsert([{"_id": f"t{index}"}]) for index in range(40)))
        equal(sorted(map(int, lsns)), [*range(1, 41)])
        equal(await films.count(), 40)
        assert "tasks" in repr(films) and "AsyncClient" in repr(client)


@check
def closed_clients():
    client = connect()
    equal(client.collections().list() is not None, True)
    client.close()
    client.close()
    raises(error.ConnectionFailedError, lambda: client.collections().list(), "closed")
    assert "Client" in repr(client)


@check
def types_that_change_under_prepared_statements():
    with connect() as client:
        films = fresh(client, "changing")
        for value in (1, 2, 3, "x", [1], {"a": 1}, None, 4):
            films.upsert([{"_id": "c", "v": value}])
            for _ in range(4):
                expected = {"_id": "c", "v": value}
                equal(films.query(select("v")), [expected])
                equal(films.get(["c"]), {"c": expected})


@check
def large_batches():
    with connect() as client:
        films = fresh(client, "large", {"emb": schema.f32_vector(64)})
        rows = [{"_id": str(index), "emb": [index + 0.5] * 64, "n": index} for index in range(3000)]
        equal(films.upsert(rows), "1")
        equal(films.count(), 3000)
        back = films.get([str(index) for index in range(3000)])
        equal((len(back), back["7"]["emb"], back["7"]["n"]), (3000, [7.5] * 64, 7))
        equal(
            films.query(query.group_by({"k": field("n") / 1000}, {"n": agg.count()}).sort("k").limit(9)),
            [{"k": k, "n": 1000} for k in range(3)],
        )


@check
def snippets_and_highlights():
    with connect() as client:
        films = fresh(client, "marked", {"text": schema.text().index(schema.keyword_index())})
        films.upsert([{"_id": "1", "text": "Call me Ishmael, the whale hunter."}])
        rows = films.query(
            select(s=fn.snippet("text"), h=fn.highlight("text", before="[", after="]")).filter(match("whales"))
        )
        equal(rows[0]["h"], "Call me Ishmael, the [whale] hunter.")
        assert "whale" in rows[0]["s"]


@check
def iterators_that_are_closed():
    with connect() as client:
        for name in ("closed",):
            try:
                client.datasets().delete(name)
            except error.DatasetNotFoundError:
                pass
        client.datasets().create("closed")
        dataset = client.dataset("closed")
        handles = [
            dataset.upsert_file(f"d{index}", (f"d{index}.md", b"# Whales\n\nThey swim.", "text/markdown"))
            for index in range(3)
        ]
        for handle in handles:
            dataset.wait_for_handle(handle, quern.WaitConfig(frequency_secs=1, timeout_secs=600))
        for _ in range(20):  # more than there are connections
            entries = dataset.list()
            next(entries)
            entries.close()
        for _ in range(20):
            messages = client.ask("What do whales do?", ["closed"])
            assert isinstance(next(messages), quern.Progress)
            messages.close()
        equal(len([*dataset.list()]), 3)
        client.datasets().delete("closed")


@check
def a_file_by_its_path():
    with connect() as client, tempfile.TemporaryDirectory() as folder:
        try:
            client.datasets().delete("paths")
        except error.DatasetNotFoundError:
            pass
        client.datasets().create("paths")
        dataset = client.dataset("paths")
        path = os.path.join(folder, "large and small.html")
        with open(path, "w") as file:
            # Large, with few words: pieces of it are sent, little of it is embedded.
            file.write(f"<h1>Whales</h1><p>They swim.</p><!-- {'x' * 1_000_000} -->")
        handle = dataset.upsert_file("w", path)
        equal(dataset.check_handle(handle), False)
        equal(len(dataset.get_file("w")) if dataset.wait_for_handle(handle) is None else 0, 1_000_041)
        equal([one.name for one in dataset.list()], ["large and small.html"])
        raises(error.InvalidArgumentError, lambda: dataset.upsert_file("x", folder), "folder")
        raises(FileNotFoundError, lambda: dataset.upsert_file("x", os.path.join(folder, "none.md")))
        client.datasets().delete("paths")


@check
def literals_of_every_kind():
    with connect() as client:
        films = fresh(client, "literals")
        films.upsert([{"_id": "1"}])
        row = films.query(
            select(
                a=literal(1), b=literal(1.5), c=literal("x"), d=literal(True), e=literal(None), f=literal([1, 2])
            ).limit(1)
        )
        equal(row, [{"_id": "1", "a": 1, "b": 1.5, "c": "x", "d": True, "f": [1, 2]}])


@check
def statements_by_hand_and_traced():
    events = []
    with connect(trace=events.append) as client:
        films = fresh(client, "by_hand")
        films.upsert([{"_id": "1", "year": 1990, "tags": ["a"]}])
        equal(
            client.sql("SELECT _id, year, NULL AS nobody FROM by_hand WHERE year > $1", [1980]),
            [{"_id": "1", "year": 1990, "nobody": None}],
        )
        equal(
            client.sql("SELECT $1::jsonb AS j, $2::text[] AS t, $3::bool AS b", [{"a": 1}, ["x"], True]),
            [{"j": {"a": 1}, "t": ["x"], "b": True}],
        )
        equal(client.sql("CREATE TABLE plain_by_hand (id int)"), [])
        client.sql("DROP TABLE plain_by_hand")
        raises(error.InvalidArgumentError, lambda: client.sql("SELEC 1"), "syntax")
        [*films.query(select("year"))]
    last = [one for one in events if one.text.startswith("SELEC 1")][0]
    assert isinstance(last.error, Exception) and last.row_count is None and last.seconds > 0
    equal((events[-1].row_count, events[-1].error), (1, None))


@check
async def tasks_that_are_cancelled():
    async with AsyncClient(KEY, host=HOST, port=PORT) as client:
        asleep = asyncio.create_task(client.sql("SELECT pg_sleep(30)"))
        await asyncio.sleep(0.3)
        asleep.cancel()
        try:
            await asleep
            raise AssertionError("it went on")
        except asyncio.CancelledError:
            pass
        running = "SELECT count(*) AS n FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)%' AND state = 'active' AND pid <> pg_backend_pid()"
        for _ in range(100):
            if await client.sql(running) == [{"n": 0}]:
                break
            await asyncio.sleep(0.1)
        equal(await client.sql(running), [{"n": 0}])
        # Iterators left early give their connections back.
        try:
            await client.datasets().delete("left")
        except error.DatasetNotFoundError:
            pass
        await client.datasets().create("left")
        dataset = client.dataset("left")
        handle = await dataset.upsert_file("d", ("d.md", b"# Whales\n\nThey swim.", "text/markdown"))
        await dataset.wait_for_handle(handle, {"frequency_secs": 1, "timeout_secs": 600})
        for _ in range(20):
            messages = client.ask("What do whales do?", ["left"])
            assert isinstance(await messages.__anext__(), quern.Progress)
            await messages.aclose()
        equal([one.id async for one in dataset.list()], ["d"])
        *_, answer = [one async for one in client.research("What do whales do?", ["left"])]
        assert isinstance(answer, quern.Answer), answer
        await client.datasets().delete("left")


@check
def schemas_that_change():
    with connect() as client:
        films = fresh(client, "changed", {"title": schema.text(), "s": {"note": schema.text()}})
        films.upsert([{"_id": "1", "title": "whale", "s": {"note": "a shark"}}])
        made = client.collections()
        with_year = made.add_field("changed", "plot", schema.text().index(schema.keyword_index()))
        equal(with_year.schema["plot"], schema.text().index(schema.keyword_index()))
        indexed = made.add_index("changed", "title", schema.keyword_index())
        equal(indexed.schema["title"], schema.text().index(schema.keyword_index()))
        equal(films.query(query.filter(match("whales", field="title")).count()), [{"_count": 1}])
        made.add_index("changed", "s.note", schema.keyword_index())
        equal(films.query(query.filter(match("sharks", field="s.note")).count()), [{"_count": 1}])
        equal(made.drop_index("changed", "title", schema.keyword_index()).schema["title"], schema.text())
        raises(error.InvalidArgumentError, lambda: made.drop_index("changed", "title", schema.keyword_index()))
        assert "plot" not in made.drop_field("changed", "plot").schema
        raises(error.SchemaValidationError, lambda: made.add_field("changed", "_x", schema.text()))
        raises(error.CollectionNotFoundError, lambda: made.add_field("nobody", "x", schema.text()))


@check
def hybrid_rankings():
    with connect() as client:
        films = fresh(client, "mixed", {"text": schema.text().index(schema.semantic_index()), "year": schema.int()})
        films.upsert(
            [
                {"_id": "a", "text": "a white whale at sea", "year": 1851},
                {"_id": "b", "text": "love and money", "year": 1815},
            ]
        )
        rows = films.hybrid("whales", 2)
        equal(rows[0]["_id"], "a")
        assert rows[0]["score"] > rows[1]["score"] and "keyword_score" in rows[0]
        equal(
            [row["_id"] for row in films.hybrid("whales", filter=field("year") < 1850, method="rrf", depth=50)], ["b"]
        )
        raises(error.InvalidArgumentError, lambda: films.hybrid())
        raises(error.InvalidArgumentError, lambda: films.hybrid("x", nothing=5))


@check
def what_cannot_be_is_refused_where_it_is_built():
    bad, naive = error.InvalidArgumentError, datetime(2024, 1, 1)
    for work, part in [
        (lambda: literal(2**63), "overflow"), (lambda: field("a") > naive, "timezone-naive"),
        (lambda: field("a") == "a\0b", "NUL"), (lambda: field("a").in_(5), "in_"),
        (lambda: field("a").match_any(field("b")), "match_any"), (lambda: field("a").regexp_match("(a)\\1"), "back"),
        (lambda: field("a").regexp_match("a", "q"), "flag"), (lambda: field("a").date_part("eon"), "eon"),
        (lambda: field("a").elapsed(field("b"), "day_of_week"), "unit"), (lambda: fn.bm25_score(b=2), "b of"),
        (lambda: fn.bm25_score(k1=-1), "k1"), (lambda: fn.vector_distance("a", []), "at least one"),
        (lambda: fn.vector_distance("a", [1e39]), "out of range"), (lambda: fn.multi_vector_distance("a", []), "row"),
        (lambda: fn.multi_vector_distance("a", [[1.0]], candidates=0), "candidates"),
        (lambda: match("x", weight=-1), "weight"), (lambda: match("x", weight=float("nan")), "weight"),
        (lambda: query.all([literal(True)] * 33), "32"), (lambda: select("a").limit(0), "limit"),
        (lambda: select("a").offset(-1), "offset"), (lambda: select("a").limit(1).limit(2), "one limit"),
        (lambda: select("a").count().count(), "one count"), (lambda: select("a").sort([]), "at least one"),
        (lambda: select("a").sort(literal(True)), "sort key"), (lambda: query.group_by({}, {"n": agg.count()}), "key"),
    ]:  # fmt: skip
        raises(bad, work, part)
    raises(TypeError, lambda: fn.vector_distance("a", "abc"))
    raises(TypeError, lambda: fn.vector_distance("a", numpy.array([1.0])), "float64")
    raises(TypeError, lambda: field("a").match_all([1]))


@check
def tokens_and_their_weights():
    with connect() as client:
        films = fresh(client, "tokens", {"t": schema.text().index(schema.keyword_index()), "n": schema.int()})
        films.upsert([{"_id": "both", "t": "great hobbit"}, {"_id": "g", "t": "great"}, {"_id": "h", "t": "hobbit"}])

        def found(*given, **more):
            rows = films.query(select(s=fn.bm25_score()).filter(query.match_tokens(*given, **more)).topk(field("s"), 9))
            return {row["_id"]: row["s"] for row in rows}

        plain, weighed = found(["great", "hobbit"]), found([("great", 2.0), "hobbit"])
        equal(([*plain], [*weighed]), (["both", "g", "h"], ["both", "g", "h"]))
        assert abs(weighed["g"] - 2 * plain["g"]) < 1e-6 and abs(weighed["h"] - plain["h"]) < 1e-6, (plain, weighed)
        equal([*found(["great", "hobbit"], "t", True)], ["both"])
        equal([*found([("great", 2.0), "hobbit"], "t", True)], ["both"])
        equal([*found([("great", 2.0), ("hobbit", 2.0)], all=True, weight=0.5)], ["both"])
        equal([*found(["great", "hobbit"], "t", False)], ["both", "g", "h"])
        raises(TypeError, lambda: query.match_tokens(["great"], "t", 2.0), "weight=2.0")
        raises(TypeError, lambda: query.match_tokens([("great",)]), "pair")
        raises(error.InvalidArgumentError, lambda: query.match_tokens([("great", -1)]), "weight")
        raises(
            error.InvalidArgumentError, lambda: films.query(query.filter(match("x", "nobody")).limit(1)), '"nobody"'
        )
        raises(error.InvalidArgumentError, lambda: films.query(query.filter(match("x", "n")).limit(1)), '"n"')


@check
def bits_and_matrices_of_numpy():
    with connect() as client:
        fields = {
            "bits": schema.binary_vector(2).index(schema.vector_index("hamming")),
            "m": schema.matrix(2).index(schema.multi_vector_index()),
        }
        films = fresh(client, "bits", fields)
        one, row = numpy.array([1, 255], numpy.uint8), numpy.array([1, 2], numpy.float32)
        films.upsert([{"_id": "n", "bits": one, "m": data.matrix(row)}, {"_id": "u", "bits": data.u8_vector([1, 254])}])
        films.upsert([{"_id": f"many{at}", "bits": one} for at in range(20)])
        equal(data.matrix(row), [[1.0, 2.0]])
        equal((data.matrix(row).shape, data.matrix(numpy.array([1, 2], numpy.int8)).value_type), ((1, 2), "i8"))
        equal([films.get(["n", "u", "many7"])[name]["bits"] for name in ("n", "u", "many7")], [[1, 255], [1, 254], one.tolist()])
        for wanted in (one, data.u8_vector([1, 255]), data.binary_vector([1, 255]), b"\1\xff"):
            nearest = films.query(
                select(d=fn.vector_distance("bits", wanted)).filter(field("_id") == "u").topk("d", 1, asc=True)
            )
            equal(nearest, [{"_id": "u", "d": 1.0}])
        equal(
            films.query(select(d=fn.multi_vector_distance("m", row)).filter(field("_id") == "n")), [{"_id": "n", "d": 5.0}]
        )
        raises(
            error.DocumentValidationError,
            lambda: films.upsert([{"_id": "x", "m": data.matrix([[1, 2]], "f16")}]),
            "expected f32_matrix, got f16_matrix",
        )


@check
def specs_equal_the_mappings_they_are_made_of():
    plain = {"x": schema.int(), "s": {"t": schema.text()}}
    equal(schema.struct(plain), plain)
    equal(plain, schema.struct(fields=plain))
    equal(hash(schema.struct(plain)), hash(schema.struct(plain)))
    assert schema.struct(plain) != {"x": schema.int()} and schema.text() != "text"
    equal(data.struct(fields={"a": 1}), {"a": 1})
    with connect() as client:
        fresh(client, "mapped", {"n": plain})
        equal(client.collections().get("mapped").schema, {"n": plain})


@check
def partitions_by_name():
    with connect() as client:
        films = fresh(client, "parted")
        for name in ("b", "a"):
            client.collection("parted", name).upsert([{"_id": "1"}])
        listed = films.list_partitions()
        equal(listed, ["a", "b"])
        assert "a" in listed and all(isinstance(one, quern.Partition) for one in listed)
        equal([one.name for one in films.list_partitions("b")], ["b"])
        made = datetime.fromisoformat(listed[0].created_at.replace("Z", "+00:00"))
        assert abs(datetime.now(timezone.utc) - made) < timedelta(hours=1), made
        copy = pickle.loads(pickle.dumps(listed[0]))
        equal((copy, copy.created_at, type(pickle.loads(pickle.dumps(listed)))), ("a", listed[0].created_at, list))
        raised = raises(
            error.QueryLsnTimeoutError,
            lambda: connect(retry_config={"timeout": 100}).collection("parted", "a").count(lsn="77"),
        )
        assert 'of "parted$a" was' in raised.message, raised.message

    async def of_tasks():
        async with AsyncClient(KEY, host=HOST, port=PORT) as client:
            films = client.collection("parted")
            equal(await films.list_partitions(), ["a", "b"])
            equal([one.name async for one in films.list_partitions("a")], ["a"])

    asyncio.run(of_tasks())


@check
def names_for_annotations():
    for one in ("CollectionClient", "CollectionsClient", "DatasetClient", "DatasetsClient"):
        assert getattr(quern, one) is not getattr(quern, f"Async{one}")
    with connect() as client:
        assert isinstance(client.collection("x"), quern.CollectionClient)
        equal(quern.Source(dataset="x"), {"dataset": "x"})
        raises(error.DatasetNotFoundError, lambda: next(client.search("x", [quern.Source(dataset="nobody")])))


@check
def numbers_beyond_a_float():
    with connect() as client:
        films = fresh(client, "beyond")
        films.upsert([{"_id": "1", "mix": 7}, {"_id": "2", "mix": "x"}])
        raised = raises(error.InvalidArgumentError, lambda: films.query(select(x=(field("mix") * 1000).exp())), "overflow")
        equal(raised.sqlstate, "22003")
        equal(films.count(), 2)


@check
def files_without_a_byte():
    with connect() as client, tempfile.NamedTemporaryFile(suffix=".txt") as file:
        client.datasets().create("empty")
        dataset = client.dataset("empty")
        handle = dataset.upsert_file("e", file.name)
        raises(error.IngestionError, lambda: dataset.wait_for_handle(handle), "the file is empty")
        equal([one.size for one in dataset.list()], [0])
        raises(error.InvalidArgumentError, lambda: dataset.upsert_file("e", ""), "path")
        client.datasets().delete("empty")


@check
def nulls_of_many_documents():
    with connect() as client:
        films = fresh(client, "nulls", {"t": schema.text(), "n": schema.text().required()})
        films.upsert([{"_id": str(at), "n": "n", "t": None if at % 2 else "t"} for at in range(20)])
        equal(films.get(["1", "2"]), {"1": {"_id": "1", "n": "n", "t": None}, "2": {"_id": "2", "n": "n", "t": "t"}})
        films.upsert([{"_id": str(at), "n": "n"} for at in range(20)])
        equal(films.get(["1"]), {"1": {"_id": "1", "n": "n"}})
        raises(error.DocumentValidationError, lambda: films.upsert([{"_id": "1", "n": None}]), "n")
        films.upsert([{"_id": "x", "n": "n", "t": None}])
        taken = select("t").limit(99).filter(field("_id") == "x").sort("n")
        equal(films.query(taken), [{"_id": "x", "t": None}])
        equal(films.query(select(t2=field("t")).filter(field("_id") == "x")), [{"_id": "x"}])
        client.sql("CREATE VIEW seen AS SELECT _id, t FROM nulls WHERE _id = 'x'")
        equal(client.collection("seen").query(select("t")), [{"_id": "x"}])
        client.sql("DROP VIEW seen")

run()
