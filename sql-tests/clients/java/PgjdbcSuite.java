import java.math.BigDecimal;
import java.sql.*;
import java.time.*;
import java.util.*;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

/** pgjdbc: DatabaseMetaData, batches, fetch size, prepared statements in binary, COPY, generated keys, errors. */
public final class PgjdbcSuite {
  private interface Check {
    void run(Connection connection) throws Exception;
  }

  private static String url() {
    return "jdbc:postgresql://" + System.getenv("PGHOST") + ":" + System.getenv("PGPORT") + "/" + System.getenv("PGDATABASE");
  }

  private static Connection connect(String... options) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", System.getenv("PGUSER"));
    properties.setProperty("password", System.getenv("PGPASSWORD"));
    for (int i = 0; i < options.length; i += 2) properties.setProperty(options[i], options[i + 1]);
    return DriverManager.getConnection(url(), properties);
  }

  private static void equal(Object seen, Object expected) {
    if (!Objects.deepEquals(seen, expected)) throw new AssertionError(seen + " is not " + expected);
  }

  private static void check(String name, Check work) {
    try (Connection connection = connect()) {
      work.run(connection);
      System.out.println("ok " + name);
    } catch (Throwable error) {
      String state = error instanceof SQLException ? " " + ((SQLException) error).getSQLState() : "";
      String words = String.valueOf(error.getMessage()).split("\n")[0].trim();
      System.out.println("not ok " + name + ": " + error.getClass().getSimpleName() + state + " " + words);
    }
  }

  private static void run(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) statement.execute(sql);
    }
  }

  /** Values of some columns, a row a list. */
  private static List<List<String>> rows(ResultSet set, String... columns) throws SQLException {
    List<List<String>> rows = new ArrayList<>();
    while (set.next()) {
      List<String> row = new ArrayList<>();
      for (String column : columns) row.add(set.getString(column));
      rows.add(row);
    }
    set.close();
    return rows;
  }

  private static void tables(Connection connection) throws SQLException {
    run(connection, "DROP VIEW IF EXISTS jd_dear", "DROP TABLE IF EXISTS jd_book", "DROP TABLE IF EXISTS jd_author",
        "CREATE TABLE jd_author (id serial PRIMARY KEY, name varchar(40) NOT NULL UNIQUE)",
        "CREATE TABLE jd_book (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, author_id int NOT NULL REFERENCES jd_author (id)"
            + " ON DELETE CASCADE, title text NOT NULL, price numeric(8,2) DEFAULT 1.5, added timestamptz, tags text[])",
        "CREATE INDEX jd_book_title ON jd_book (title)", "COMMENT ON TABLE jd_book IS 'the books'",
        "CREATE VIEW jd_dear AS SELECT id, title FROM jd_book WHERE price > 5");
  }

  private static void metadata(Connection connection) throws SQLException {
    tables(connection);
    DatabaseMetaData data = connection.getMetaData();
    equal(data.getDatabaseProductName(), "PostgreSQL");
    equal(data.getDatabaseMajorVersion() >= 17, true);
    equal(rows(data.getTables(null, "public", "jd\\_%", new String[] {"TABLE", "VIEW"}), "TABLE_NAME", "TABLE_TYPE", "REMARKS"),
        List.of(Arrays.asList("jd_author", "TABLE", null), List.of("jd_book", "TABLE", "the books"), Arrays.asList("jd_dear", "VIEW", null)));
    equal(rows(data.getColumns(null, "public", "jd_book", "%"), "COLUMN_NAME", "TYPE_NAME", "DATA_TYPE", "COLUMN_SIZE", "IS_NULLABLE", "IS_AUTOINCREMENT"),
        List.of(List.of("id", "int8", "-5", "19", "NO", "YES"), List.of("author_id", "int4", "4", "10", "NO", "NO"),
            List.of("title", "text", "12", "2147483647", "NO", "NO"), List.of("price", "numeric", "2", "8", "YES", "NO"),
            List.of("added", "timestamptz", "93", "35", "YES", "NO"), List.of("tags", "_text", "2003", "2147483647", "YES", "NO")));
    equal(rows(data.getPrimaryKeys(null, "public", "jd_book"), "COLUMN_NAME", "KEY_SEQ", "PK_NAME"), List.of(List.of("id", "1", "jd_book_pkey")));
    equal(rows(data.getIndexInfo(null, "public", "jd_book", false, true), "INDEX_NAME", "COLUMN_NAME", "NON_UNIQUE"),
        List.of(List.of("jd_book_pkey", "id", "f"), List.of("jd_book_title", "title", "t")));
    equal(rows(data.getSchemas(), "TABLE_SCHEM").contains(List.of("public")), true);
    equal(rows(data.getTypeInfo(), "TYPE_NAME").contains(List.of("jsonb")), true);
    equal(data.getURL(), url());
    equal(rows(data.getTableTypes(), "TABLE_TYPE").contains(List.of("TABLE")), true);
    equal(rows(data.getTablePrivileges(null, "public", "jd_book"), "PRIVILEGE").contains(List.of("SELECT")), true);
    equal(rows(data.getFunctions(null, "pg_catalog", "lower"), "FUNCTION_NAME").contains(List.of("lower")), true);
  }

  private static void keys(Connection connection) throws SQLException {
    tables(connection);
    DatabaseMetaData data = connection.getMetaData();
    List<List<String>> key = List.of(List.of("jd_author", "id", "jd_book", "author_id", "jd_book_author_id_fkey", "0"));
    String[] columns = {"PKTABLE_NAME", "PKCOLUMN_NAME", "FKTABLE_NAME", "FKCOLUMN_NAME", "FK_NAME", "DELETE_RULE"};
    equal(rows(data.getImportedKeys(null, "public", "jd_book"), columns), key);
    equal(rows(data.getExportedKeys(null, "public", "jd_author"), columns), key);
  }

  private static void values(Connection connection) throws SQLException {
    String sql = "SELECT ?::int4 AS i, ?::int8 AS l, ?::numeric AS n, ?::text AS s, ?::bool AS b, ?::bytea AS y, ?::date AS d,"
        + " ?::timestamptz AS t, ?::uuid AS u, ?::float8 AS f, ?::int4[] AS a, ?::text AS z";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      UUID id = UUID.fromString("12345678-1234-5678-1234-567812345678");
      OffsetDateTime at = OffsetDateTime.parse("2024-02-29T12:30:00.5Z");
      for (int round = 0; round < 8; round++) { // from the fifth on the statement is named and results are binary
        statement.setInt(1, 7);
        statement.setLong(2, 1L << 62);
        statement.setBigDecimal(3, new BigDecimal("1.50"));
        statement.setString(4, "it's naïve");
        statement.setBoolean(5, true);
        statement.setBytes(6, new byte[] {0, -1});
        statement.setObject(7, LocalDate.of(2024, 2, 29));
        statement.setObject(8, at);
        statement.setObject(9, id);
        statement.setDouble(10, 0.1);
        statement.setArray(11, connection.createArrayOf("int4", new Integer[] {1, null, 3}));
        statement.setNull(12, Types.VARCHAR);
        try (ResultSet row = statement.executeQuery()) {
          equal(row.next(), true);
          equal(List.of(row.getInt("i"), row.getLong("l"), row.getBigDecimal("n"), row.getString("s"), row.getBoolean("b")),
              List.of(7, 1L << 62, new BigDecimal("1.50"), "it's naïve", true));
          equal(row.getBytes("y"), new byte[] {0, -1});
          equal(row.getObject("d", LocalDate.class), LocalDate.of(2024, 2, 29));
          equal(row.getObject("t", OffsetDateTime.class).toInstant(), at.toInstant());
          equal(row.getObject("u"), id);
          equal(row.getDouble("f"), 0.1);
          equal(row.getArray("a").getArray(), new Integer[] {1, null, 3});
          equal(row.getString("z"), null);
        }
      }
    }
  }

  private static void batches(Connection connection) throws SQLException {
    tables(connection);
    connection.setAutoCommit(false);
    try (PreparedStatement statement = connection.prepareStatement("INSERT INTO jd_author (name) VALUES (?)")) {
      for (int n = 0; n < 500; n++) {
        statement.setString(1, "author " + n);
        statement.addBatch();
      }
      equal(Arrays.stream(statement.executeBatch()).sum(), 500);
    }
    connection.commit();
    try (Statement statement = connection.createStatement()) {
      statement.addBatch("INSERT INTO jd_author (name) VALUES ('x')");
      statement.addBatch("INSERT INTO jd_author (name) VALUES ('author 1')");
      statement.executeBatch();
      throw new AssertionError("no error");
    } catch (BatchUpdateException error) {
      equal(error.getSQLState(), "23505");
    }
    connection.rollback();
    try (Connection rewriting = connect("reWriteBatchedInserts", "true");
        PreparedStatement statement = rewriting.prepareStatement("INSERT INTO jd_author (name) VALUES (?)")) {
      for (int n = 0; n < 100; n++) {
        statement.setString(1, "more " + n);
        statement.addBatch();
      }
      statement.executeBatch();
    }
    try (ResultSet count = connection.createStatement().executeQuery("SELECT count(*) FROM jd_author")) {
      count.next();
      equal(count.getInt(1), 600);
    }
  }

  private static void fetchSize(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    try (PreparedStatement statement = connection.prepareStatement("SELECT n, 'row ' || n FROM generate_series(1, ?) n")) {
      statement.setFetchSize(100);
      statement.setInt(1, 2550);
      long sum = 0;
      try (ResultSet set = statement.executeQuery()) {
        while (set.next()) sum += set.getInt(1);
      }
      equal(sum, 2550L * 2551 / 2);
      statement.setMaxRows(10);
      int count = 0;
      try (ResultSet set = statement.executeQuery()) {
        while (set.next()) count++;
      }
      equal(count, 10);
    }
    connection.commit();
  }

  private static void generatedKeys(Connection connection) throws SQLException {
    tables(connection);
    String sql = "INSERT INTO jd_author (name) VALUES ('a'), ('b')";
    try (PreparedStatement statement = connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS)) {
      equal(statement.executeUpdate(), 2);
      equal(rows(statement.getGeneratedKeys(), "id"), List.of(List.of("1"), List.of("2")));
    }
    try (Statement statement = connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
        ResultSet set = statement.executeQuery("SELECT id, name FROM jd_author ORDER BY id")) {
      equal(set.last(), true);
      equal(set.getRow(), 2);
      set.absolute(1);
      set.updateString("name", "changed");
      set.updateRow();
    }
    try (ResultSet set = connection.createStatement().executeQuery("SELECT name FROM jd_author WHERE id = 1")) {
      equal(rows(set, "name"), List.of(List.of("changed")));
    }
    ResultSetMetaData described = connection.prepareStatement("SELECT name, id + 1 AS next FROM jd_author WHERE id = ?").getMetaData();
    equal(List.of(described.getColumnName(1), described.getColumnTypeName(1), described.getTableName(1), described.getColumnTypeName(2)),
        List.of("name", "varchar", "jd_author", "int4"));
  }

  private static void transactions(Connection connection) throws SQLException {
    tables(connection);
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    run(connection, "INSERT INTO jd_author (name) VALUES ('kept')");
    Savepoint point = connection.setSavepoint("here");
    try {
      run(connection, "INSERT INTO jd_author (name) VALUES ('kept')");
      throw new AssertionError("no error");
    } catch (SQLException error) {
      equal(error.getSQLState(), "23505");
      equal(((org.postgresql.util.PSQLException) error).getServerErrorMessage().getConstraint(), "jd_author_name_key");
    }
    connection.rollback(point);
    connection.commit();
    connection.setReadOnly(true);
    try {
      run(connection, "DELETE FROM jd_author");
      throw new AssertionError("no error");
    } catch (SQLException error) {
      equal(error.getSQLState(), "25006");
    }
    connection.rollback();
    connection.setReadOnly(false);
    equal(connection.getTransactionIsolation(), Connection.TRANSACTION_REPEATABLE_READ);
    equal(connection.isValid(2), true);
    try (Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(1);
      statement.executeQuery("SELECT count(*) FROM generate_series(1, 2000000000)");
      throw new AssertionError("no error");
    } catch (SQLException error) {
      equal(error.getSQLState(), "57014");
    }
    connection.rollback();
  }

  private static void copies(Connection connection) throws Exception {
    tables(connection);
    CopyManager manager = connection.unwrap(PGConnection.class).getCopyAPI();
    equal(manager.copyIn("COPY jd_author (name) FROM STDIN", new java.io.StringReader("a\nb\nc\n")), 3L);
    java.io.StringWriter text = new java.io.StringWriter();
    equal(manager.copyOut("COPY (SELECT id, name FROM jd_author ORDER BY id) TO STDOUT (FORMAT csv)", text), 3L);
    equal(text.toString(), "1,a\n2,b\n3,c\n");
  }

  private static void simpleMode(Connection unused) throws SQLException {
    try (Connection connection = connect("preferQueryMode", "simple");
        PreparedStatement statement = connection.prepareStatement("SELECT ?::int + 1, ?::text")) {
      statement.setInt(1, 41);
      statement.setString(2, "it's");
      try (ResultSet set = statement.executeQuery()) {
        set.next();
        equal(List.of(set.getInt(1), set.getString(2)), List.of(42, "it's"));
      }
    }
  }

  private static void errors(Connection connection) {
    Map<String, String> wrong = new LinkedHashMap<>();
    wrong.put("SELECT * FROM nowhere", "42P01");
    wrong.put("SELECT nothing FROM pg_class", "42703");
    wrong.put("SELEC 1", "42601");
    wrong.put("SELECT 1/0", "22012");
    wrong.put("SELECT 'x'::int", "22P02");
    wrong.forEach((sql, state) -> {
      try {
        run(connection, sql);
        throw new AssertionError("no error: " + sql);
      } catch (SQLException error) {
        equal(error.getSQLState(), state);
      }
    });
  }

  public static void main(String[] arguments) {
    check("values in text and binary", PgjdbcSuite::values);
    check("metadata of tables, columns, indexes", PgjdbcSuite::metadata);
    check("metadata of foreign keys", PgjdbcSuite::keys);
    check("batches", PgjdbcSuite::batches);
    check("fetch size and max rows", PgjdbcSuite::fetchSize);
    check("generated keys and updatable rows", PgjdbcSuite::generatedKeys);
    check("transactions, savepoints, time-out", PgjdbcSuite::transactions);
    check("copy", PgjdbcSuite::copies);
    check("simple query mode", PgjdbcSuite::simpleMode);
    check("errors", PgjdbcSuite::errors);
  }
}
