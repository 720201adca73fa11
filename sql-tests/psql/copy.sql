-- COPY in and out, in text and CSV, with its errors. The output is PostgreSQL's.
CREATE TABLE t (a int, b text, c float8 DEFAULT 1.5, d date, e bool, f bigint);
COPY t FROM STDIN;
1	one	1.25	2024-01-02	t	12345678901234567
2	\N	\N	\N	f	\N
3	tab\there\nnewline\\backslash	-0.5	1999-12-31	true	-5
-2147483648		1e10	2024-02-29	no	+7
\.
SELECT * FROM t ORDER BY a;
COPY t TO STDOUT;
COPY t (b, a) TO STDOUT WITH (FORMAT csv, HEADER);
COPY (SELECT a, b FROM t WHERE a > 0 ORDER BY a DESC) TO STDOUT (DELIMITER '|', NULL 'nothing');
\copy t (a, b) FROM PROGRAM 'printf ''a,b\n10,"with ""quotes"", and\ntwo lines"\n11,\n12,""\n''' (FORMAT csv, HEADER true)
SELECT a, b, b IS NULL, c FROM t WHERE a >= 10 ORDER BY a;
COPY (SELECT a, b FROM t WHERE a >= 10 ORDER BY a) TO STDOUT CSV;
COPY (SELECT a, b FROM t WHERE a >= 10 ORDER BY a) TO STDOUT (FORMAT csv, FORCE_QUOTE *);
COPY (SELECT a, b FROM t WHERE a >= 10 ORDER BY a) TO STDOUT (FORMAT csv, FORCE_QUOTE (b), QUOTE '''', ESCAPE '\', DELIMITER ';');
\copy t (a, b) FROM PROGRAM 'printf ''a,x\n1,2\n''' (FORMAT csv, HEADER match)
\copy t (a, b) FROM PROGRAM 'printf ''a\n1\n''' (FORMAT csv, HEADER match)
\copy t (a, b) FROM PROGRAM 'printf ''20,""\n''' (FORMAT csv, FORCE_NULL (b), FORCE_NOT_NULL (a))
\copy t (b) FROM PROGRAM 'printf ''\nx\n''' (FORMAT csv, FORCE_NOT_NULL (b))
SELECT a, b, b IS NULL FROM t WHERE a = 20 OR a IS NULL ORDER BY b;
DELETE FROM t;
COPY t (a, b) FROM STDIN;
1	x
2
\.
COPY t (a, b) FROM STDIN;
1	x	y
\.
COPY t (a, b) FROM STDIN;
1	x
two	y
\.
COPY t (a, d) FROM STDIN;
1	2024-13-01
\.
COPY t (a) FROM STDIN;
99999999999
\.
\copy t (a, b) FROM PROGRAM 'printf ''1,"open\n''' CSV
COPY t (a, nope) FROM STDIN;
COPY t (a, a) FROM STDIN;
COPY nope FROM STDIN;
COPY t FROM STDIN (FORMAT xml);
COPY t FROM STDIN (DELIMITER 'ab');
COPY t FROM STDIN (DELIMITER 'a');
COPY t FROM STDIN (QUOTE 'x');
COPY t FROM STDIN (FORMAT binary, DELIMITER ',');
COPY t FROM STDIN (FORMAT csv, DELIMITER '"');
COPY t FROM STDIN (FORMAT csv, FORCE_QUOTE (a));
COPY t TO STDOUT (FORMAT csv, FORCE_QUOTE (zz));
COPY t FROM STDIN (WHAT 1);
SELECT count(*) FROM t;
COPY t (a, b) FROM STDIN WHERE a > 2;
1	one
3	three
\.
COPY t (a, b) FROM STDIN;
4	\x41\101\q\.
5	back\slash
\.
SELECT a, b FROM t ORDER BY a;
CREATE TABLE u (id int PRIMARY KEY, v varchar(3) NOT NULL);
COPY u FROM STDIN;
1	a
1	b
\.
COPY u FROM STDIN;
2	long value
\.
COPY u FROM STDIN;
1	abc
2	d
\.
COPY u TO STDOUT;
BEGIN;
COPY u FROM STDIN;
3	e
\.
ROLLBACK;
SELECT count(*) FROM u;
COPY u (id, v) FROM STDIN;
\.
CREATE TABLE w (a text);
COPY w FROM STDIN;
plain

\N
\\N
\.
SELECT a, a IS NULL FROM w;
COPY w TO STDOUT;
COPY w TO STDOUT CSV;
CREATE TABLE arrays (a int[], j jsonb, ts timestamptz, u uuid, n numeric(6,2), b bytea);
COPY arrays FROM STDIN;
{1,2,NULL}	{"a": [1, 2.50]}	2024-01-02 03:04:05+00	a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11	12.345	\\x00ff
\.
COPY arrays TO STDOUT;
COPY arrays TO STDOUT (FORMAT csv);
DROP TABLE t, u, w, arrays;
