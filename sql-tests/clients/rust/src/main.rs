//! tokio-postgres: binary types, pipelining, row streams, portals, COPY in both directions, transactions, errors.
use bytes::Bytes;
use futures_util::{pin_mut, SinkExt, StreamExt, TryStreamExt};
use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;
use tokio_postgres::binary_copy::{BinaryCopyInWriter, BinaryCopyOutStream};
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Error, IsolationLevel, NoTls, SimpleQueryMessage};

type Outcome = Result<(), Box<dyn std::error::Error>>;
type Work = for<'a> fn(&'a mut Client) -> Pin<Box<dyn Future<Output = Outcome> + 'a>>;

fn equal<T: PartialEq + Debug>(seen: T, expected: T) -> Outcome {
    if seen == expected {
        return Ok(());
    }
    Err(format!("{seen:?} is not {expected:?}").into())
}

fn state(error: &Error) -> String {
    error.code().map(|code| code.code().to_string()).unwrap_or_else(|| error.to_string())
}

async fn connect() -> Result<Client, Error> {
    let of = |name: &str| std::env::var(name).unwrap_or_default();
    let settings = format!(
        "host={} port={} user={} dbname={} password={}",
        of("PGHOST"), of("PGPORT"), of("PGUSER"), of("PGDATABASE"), of("PGPASSWORD")
    );
    let (client, connection) = tokio_postgres::connect(&settings, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

async fn table(client: &Client) -> Result<(), Error> {
    client
        .batch_execute("DROP TABLE IF EXISTS tp_item; CREATE TABLE tp_item (id int PRIMARY KEY, name text NOT NULL, price float8)")
        .await
}

async fn values(client: &mut Client) -> Outcome {
    let json = serde_json::json!({"a": [1, null]});
    let none: Option<String> = None;
    let sql = "SELECT $1::int4, $2::int8, $3::float8, $4::text, $5::bool, $6::bytea, $7::int4[], $8::text[], $9::jsonb, $10::text, $11::int2";
    let row = client
        .query_one(sql, &[&7i32, &(1i64 << 62), &0.1f64, &"it's naïve", &true, &vec![0u8, 255], &vec![Some(1i32), None],
                          &vec!["a", "b\"c"], &json, &none, &3i16])
        .await?;
    equal((row.get(0), row.get(1), row.get(2)), (7i32, 1i64 << 62, 0.1f64))?;
    equal((row.get::<_, String>(3), row.get::<_, bool>(4)), ("it's naïve".to_string(), true))?;
    equal(row.get::<_, Vec<u8>>(5), vec![0, 255])?;
    equal(row.get::<_, Vec<Option<i32>>>(6), vec![Some(1), None])?;
    equal(row.get::<_, Vec<String>>(7), vec!["a".to_string(), "b\"c".to_string()])?;
    equal(row.get::<_, serde_json::Value>(8), json)?;
    equal((row.get::<_, Option<String>>(9), row.get::<_, i16>(10)), (None, 3))
}

async fn statements(client: &mut Client) -> Outcome {
    table(client).await?;
    let insert = client.prepare("INSERT INTO tp_item VALUES ($1, $2, $3)").await?;
    equal(insert.params().to_vec(), vec![Type::INT4, Type::TEXT, Type::FLOAT8])?;
    equal(client.execute(&insert, &[&1i32, &"a", &Some(1.5f64)]).await?, 1)?;
    let select = client.prepare_typed("SELECT id, name FROM tp_item WHERE id = $1", &[Type::INT4]).await?;
    let described: Vec<_> = select.columns().iter().map(|column| (column.name().to_string(), column.type_().clone())).collect();
    equal(described, vec![("id".to_string(), Type::INT4), ("name".to_string(), Type::TEXT)])?;
    equal(client.query_opt(&select, &[&9i32]).await?.is_none(), true)?;
    let (one, two, three) = tokio::join!(
        client.query_one("SELECT 1", &[]), client.query_one("SELECT 2", &[]), client.query_one("SELECT 3", &[])
    );
    equal((one?.get(0), two?.get(0), three?.get(0)), (1i32, 2i32, 3i32))
}

async fn streams(client: &mut Client) -> Outcome {
    let rows = client.query_raw("SELECT n FROM generate_series(1, $1::int4) n", [1000i32]).await?;
    pin_mut!(rows);
    let mut sum = 0i64;
    while let Some(row) = rows.try_next().await? {
        sum += i64::from(row.get::<_, i32>(0));
    }
    equal(sum, 500_500)?;
    let transaction = client.transaction().await?;
    let portal = transaction.bind("SELECT n FROM generate_series(1, 25) n", &[]).await?;
    let sizes = [
        transaction.query_portal(&portal, 10).await?.len(),
        transaction.query_portal(&portal, 10).await?.len(),
        transaction.query_portal(&portal, 10).await?.len(),
    ];
    equal(sizes, [10, 10, 5])
}

async fn copies(client: &mut Client) -> Outcome {
    table(client).await?;
    let sink = client.copy_in("COPY tp_item FROM STDIN").await?;
    pin_mut!(sink);
    sink.send(Bytes::from_static(b"1\ta\t1.5\n2\tb\t\\N\n")).await?;
    equal(sink.finish().await?, 2)?;
    let sink = client.copy_in("COPY tp_item FROM STDIN BINARY").await?;
    let writer = BinaryCopyInWriter::new(sink, &[Type::INT4, Type::TEXT, Type::FLOAT8]);
    pin_mut!(writer);
    for n in 10i32..510 {
        writer.as_mut().write(&[&n, &"binary", &f64::from(n)]).await?;
    }
    equal(writer.finish().await?, 500)?;
    let text = client.copy_out("COPY (SELECT id, name FROM tp_item WHERE id < 3 ORDER BY id) TO STDOUT").await?;
    let parts: Vec<Bytes> = text.try_collect().await?;
    equal(parts.concat(), b"1\ta\n2\tb\n".to_vec())?;
    let stream = client.copy_out("COPY (SELECT id FROM tp_item ORDER BY id) TO STDOUT BINARY").await?;
    let rows = BinaryCopyOutStream::new(stream, &[Type::INT4]);
    pin_mut!(rows);
    let mut count = 0;
    while let Some(row) = rows.next().await {
        row?.get::<i32>(0);
        count += 1;
    }
    equal(count, 502)
}

async fn transactions(client: &mut Client) -> Outcome {
    table(client).await?;
    let mut transaction = client.build_transaction().isolation_level(IsolationLevel::RepeatableRead).start().await?;
    transaction.execute("INSERT INTO tp_item VALUES (1, 'kept')", &[]).await?;
    let nested = transaction.savepoint("within").await?;
    let problem = nested.execute("INSERT INTO tp_item VALUES (1, 'again')", &[]).await.unwrap_err();
    let database = problem.as_db_error().ok_or("no database error")?;
    equal((database.code().code(), database.constraint(), database.table(), database.schema()),
          ("23505", Some("tp_item_pkey"), Some("tp_item"), Some("public")))?;
    nested.rollback().await?;
    transaction.commit().await?;
    let dropped = client.transaction().await?;
    dropped.execute("DELETE FROM tp_item", &[]).await?;
    drop(dropped);
    equal(client.query_one("SELECT count(*) FROM tp_item", &[]).await?.get(0), 1i64)
}

async fn problems(client: &mut Client) -> Outcome {
    for (sql, code) in [
        ("SELECT * FROM nowhere", "42P01"), ("SELECT nothing FROM pg_class", "42703"), ("SELEC 1", "42601"),
        ("SELECT 1/0", "22012"), ("SELECT 'x'::int", "22P02"),
    ] {
        equal(state(&client.query(sql, &[]).await.unwrap_err()), code.to_string())?;
    }
    let cancel = client.cancel_token();
    let stop = async {
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        cancel.cancel_query(NoTls).await
    };
    let (answer, stopped) = tokio::join!(client.query("SELECT count(*) FROM generate_series(1, 2000000000)", &[]), stop);
    stopped?;
    equal(state(&answer.unwrap_err()), "57014".to_string())?;
    let messages = client.simple_query("SELECT 1 AS a; SELECT 'x' AS b").await?;
    let texts: Vec<String> = messages.iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_string),
        _ => None,
    }).collect();
    equal(texts, vec!["1".to_string(), "x".to_string()])
}

async fn unknown_types(client: &mut Client) -> Outcome {
    client.batch_execute("DROP TABLE IF EXISTS tp_vector; CREATE TABLE tp_vector (v vector(3))").await?;
    let statement = client.prepare("SELECT v FROM tp_vector").await?;
    let kind = statement.columns()[0].type_();
    equal((kind.name(), kind.schema()), ("vector", "public"))
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let checks: [(&str, Work); 7] = [
        ("values in binary", |client| Box::pin(values(client))),
        ("prepared and pipelined statements", |client| Box::pin(statements(client))),
        ("row streams and portals", |client| Box::pin(streams(client))),
        ("copy in text and binary", |client| Box::pin(copies(client))),
        ("transactions", |client| Box::pin(transactions(client))),
        ("errors and cancel", |client| Box::pin(problems(client))),
        ("types of the server are looked up", |client| Box::pin(unknown_types(client))),
    ];
    for (name, work) in checks {
        let outcome = match connect().await {
            Ok(mut client) => work(&mut client).await,
            Err(error) => Err(error.into()),
        };
        match outcome {
            Ok(()) => println!("ok {name}"),
            Err(error) => {
                let cause = error.source().map(|source| format!(": {source}")).unwrap_or_default();
                println!("not ok {name}: {}", format!("{error}{cause}").replace('\n', " "));
            }
        }
    }
}
