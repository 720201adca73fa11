// pgx: native types, batches, COPY, a pool, nested transactions, listings by struct, errors; also database/sql.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib"
)

var background = context.Background()

func equal(seen, expected any) {
	if !reflect.DeepEqual(seen, expected) {
		panic(fmt.Errorf("%v is not %v", seen, expected))
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func check(name string, work func(*pgx.Conn)) {
	defer func() {
		problem := recover()
		if problem == nil {
			fmt.Println("ok " + name)
			return
		}
		words, _, _ := strings.Cut(fmt.Sprint(problem), "\n")
		fmt.Println("not ok " + name + ": " + words)
	}()
	connection := must(pgx.Connect(background, ""))
	defer connection.Close(background)
	work(connection)
}

func run(connection *pgx.Conn, statements ...string) {
	for _, statement := range statements {
		must(connection.Exec(background, statement))
	}
}

func state(err error) string {
	var problem *pgconn.PgError
	if errors.As(err, &problem) {
		return problem.Code
	}
	return fmt.Sprint(err)
}

func values(connection *pgx.Conn) {
	at := time.Date(2024, 2, 29, 12, 30, 0, 500000, time.UTC)
	var (
		number int32
		long   int64
		float  float64
		word   string
		yes    bool
		bytes  []byte
		moment time.Time
		list   []int32
		words  []string
		json   map[string]any
		exact  pgtype.Numeric
		none   *string
		id     [16]byte
		span   time.Duration
	)
	row := connection.QueryRow(background,
		`SELECT $1::int4, $2::int8, $3::float8, $4::text, $5::bool, $6::bytea, $7::timestamptz, $8::int4[], $9::text[],
		$10::jsonb, $11::numeric, $12::text, $13::uuid, $14::interval`,
		int32(7), int64(1)<<62, 0.1, "it's naïve", true, []byte{0, 255}, at, []int32{1, 2}, []string{"a", `b"c`},
		map[string]any{"a": []any{1.0, nil}}, "1.50", nil, "12345678-1234-5678-1234-567812345678", 90*time.Minute)
	err := row.Scan(&number, &long, &float, &word, &yes, &bytes, &moment, &list, &words, &json, &exact, &none, &id, &span)
	if err != nil {
		panic(err)
	}
	equal([]any{number, long, float, word, yes}, []any{int32(7), int64(1) << 62, 0.1, "it's naïve", true})
	equal(bytes, []byte{0, 255})
	equal(moment.UTC(), at)
	equal([]any{list, words}, []any{[]int32{1, 2}, []string{"a", `b"c`}})
	equal(json, map[string]any{"a": []any{1.0, nil}})
	equal(must(exact.Float64Value()).Float64, 1.5)
	equal([]any{none == nil, id[15], span}, []any{true, byte(0x78), 90 * time.Minute})
}

type item struct {
	ID    int32
	Name  string
	Price *float64
}

func table(connection *pgx.Conn) {
	run(connection, "DROP TABLE IF EXISTS gx_item", "CREATE TABLE gx_item (id int PRIMARY KEY, name text NOT NULL, price float8)")
}

func structs(connection *pgx.Conn) {
	table(connection)
	run(connection, "INSERT INTO gx_item VALUES (1, 'a', 1.5), (2, 'b', NULL)")
	rows := must(connection.Query(background, "SELECT * FROM gx_item ORDER BY id"))
	items := must(pgx.CollectRows(rows, pgx.RowToStructByName[item]))
	price := 1.5
	equal(items, []item{{1, "a", &price}, {2, "b", nil}})
	named := connection.QueryRow(background, "SELECT name FROM gx_item WHERE id = @id", pgx.NamedArgs{"id": 2})
	var name string
	equal(named.Scan(&name), nil)
	equal(name, "b")
	equal(connection.QueryRow(background, "SELECT name FROM gx_item WHERE id = 9").Scan(&name), pgx.ErrNoRows)
	found := must(connection.Query(background, "SELECT id FROM gx_item WHERE id = ANY($1)", []int32{2, 3}))
	equal(must(pgx.CollectRows(found, pgx.RowTo[int32])), []int32{2})
}

func batches(connection *pgx.Conn) {
	table(connection)
	batch := &pgx.Batch{}
	for n := 0; n < 100; n++ {
		batch.Queue("INSERT INTO gx_item VALUES ($1, $2)", n, fmt.Sprint("item ", n))
	}
	var count int
	batch.Queue("SELECT count(*) FROM gx_item").QueryRow(func(row pgx.Row) error { return row.Scan(&count) })
	equal(connection.SendBatch(background, batch).Close(), nil)
	equal(count, 100)
	wrong := &pgx.Batch{}
	wrong.Queue("INSERT INTO gx_item VALUES (1000, 'x')")
	wrong.Queue("INSERT INTO gx_item VALUES (1, 'x')")
	equal(state(connection.SendBatch(background, wrong).Close()), "23505")
	equal(connection.QueryRow(background, "SELECT count(*) FROM gx_item").Scan(&count), nil)
	equal(count, 100)
}

func copies(connection *pgx.Conn) {
	table(connection)
	source := pgx.CopyFromSlice(3000, func(n int) ([]any, error) { return []any{int32(n), fmt.Sprint("item\t", n), float64(n) / 4}, nil })
	equal(must(connection.CopyFrom(background, pgx.Identifier{"gx_item"}, []string{"id", "name", "price"}, source)), int64(3000))
	var total float64
	equal(connection.QueryRow(background, "SELECT sum(price) FROM gx_item").Scan(&total), nil)
	equal(total, 3000.0*2999/8)
	var text strings.Builder
	must(connection.PgConn().CopyTo(background, &text, "COPY (SELECT id FROM gx_item WHERE id < 3 ORDER BY id) TO STDOUT"))
	equal(text.String(), "0\n1\n2\n")
}

func transactions(connection *pgx.Conn) {
	table(connection)
	err := pgx.BeginTxFunc(background, connection, pgx.TxOptions{IsoLevel: pgx.Serializable}, func(tx pgx.Tx) error {
		must(tx.Exec(background, "INSERT INTO gx_item VALUES (1, 'kept')"))
		inner := pgx.BeginFunc(background, tx, func(nested pgx.Tx) error {
			_, err := nested.Exec(background, "INSERT INTO gx_item VALUES (1, 'again')")
			return err
		})
		equal(state(inner), "23505")
		return nil
	})
	equal(err, nil)
	undone := pgx.BeginFunc(background, connection, func(tx pgx.Tx) error {
		must(tx.Exec(background, "DELETE FROM gx_item"))
		return errors.New("undo")
	})
	equal(undone.Error(), "undo")
	readOnly := pgx.BeginTxFunc(background, connection, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		_, err := tx.Exec(background, "DELETE FROM gx_item")
		return err
	})
	equal(state(readOnly), "25006")
	var count int
	equal(connection.QueryRow(background, "SELECT count(*) FROM gx_item").Scan(&count), nil)
	equal(count, 1)
}

func pool(_ *pgx.Conn) {
	shared := must(pgxpool.New(background, "pool_max_conns=4"))
	defer shared.Close()
	var group sync.WaitGroup
	var lock sync.Mutex
	sum := 0
	for n := 0; n < 40; n++ {
		group.Add(1)
		go func() {
			defer group.Done()
			var twice int
			if err := shared.QueryRow(background, "SELECT $1::int * 2", n).Scan(&twice); err != nil {
				return
			}
			lock.Lock()
			sum += twice
			lock.Unlock()
		}()
	}
	group.Wait()
	equal(sum, 39*40)
}

func problems(connection *pgx.Conn) {
	for statement, code := range map[string]string{
		"SELECT * FROM nowhere": "42P01", "SELECT nothing FROM pg_class": "42703", "SELEC 1": "42601",
		"SELECT 1/0": "22012", "SELECT 'x'::int": "22P02",
	} {
		_, err := connection.Exec(background, statement)
		equal(state(err), code)
	}
	short, stop := context.WithTimeout(background, 300*time.Millisecond)
	defer stop()
	_, err := connection.Exec(short, "SELECT count(*) FROM generate_series(1, 2000000000)")
	equal(errors.Is(err, context.DeadlineExceeded), true)
}

func modes(_ *pgx.Conn) {
	for _, mode := range []string{"cache_statement", "cache_describe", "describe_exec", "exec", "simple_protocol"} {
		connection := must(pgx.Connect(background, "default_query_exec_mode="+mode))
		var sum int
		var word string
		for n := 0; n < 3; n++ {
			equal(connection.QueryRow(background, "SELECT $1::int + 1, $2::text", n, "it's").Scan(&sum, &word), nil)
			equal([]any{sum, word}, []any{n + 1, "it's"})
		}
		connection.Close(background)
	}
}

func standard(connection *pgx.Conn) {
	table(connection)
	db := must(sql.Open("pgx", ""))
	defer db.Close()
	statement := must(db.Prepare("INSERT INTO gx_item VALUES ($1, $2, $3)"))
	for n := 0; n < 5; n++ {
		equal(must(must(statement.Exec(n, "x", float64(n))).RowsAffected()), int64(1))
	}
	rows := must(db.Query("SELECT id, price FROM gx_item WHERE price > $1 ORDER BY id", 2.5))
	types := must(rows.ColumnTypes())
	equal([]string{types[0].DatabaseTypeName(), types[1].DatabaseTypeName()}, []string{"INT4", "FLOAT8"})
	count := 0
	for rows.Next() {
		count++
	}
	equal(count, 2)
}

func main() {
	check("values in binary", values)
	check("rows as structs", structs)
	check("batches", batches)
	check("copy", copies)
	check("transactions", transactions)
	check("pool", pool)
	check("errors and cancel", problems)
	check("every query mode", modes)
	check("the standard library's interface", standard)
}
