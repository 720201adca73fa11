-- COPY FROM that leaves rows out: ON_ERROR, LOG_VERBOSITY, REJECT_LIMIT. The output is PostgreSQL's.
CREATE TABLE t (a int, b text, c date);
COPY t FROM STDIN (ON_ERROR ignore);
1	one	2024-01-01
x	two	2024-01-01
3	three	2024-13-01
4	four	\N
\.
SELECT * FROM t ORDER BY a;
\copy t FROM PROGRAM 'printf ''5,five,2024-01-01\n99999999999,six,2024-01-01\n7,"se\nven",never\n8,eight,\n''' (FORMAT csv, ON_ERROR ignore, LOG_VERBOSITY verbose)
COPY t FROM STDIN (ON_ERROR 'ignore', LOG_VERBOSITY silent);
x	y	\N
\.
COPY t (a) FROM STDIN (ON_ERROR ignore, REJECT_LIMIT 2);
x
9
y
10
\.
COPY t (a) FROM STDIN (ON_ERROR ignore, REJECT_LIMIT 1);
x
11
y
12
\.
COPY t (a, b) FROM STDIN (ON_ERROR ignore);
13	x	y
\.
COPY t (a, b) FROM STDIN (ON_ERROR ignore);
13
\.
COPY t (a, b) FROM STDIN (ON_ERROR ignore);
x
14	fourteen
\.
COPY t (a) FROM STDIN (ON_ERROR ignore) WHERE a > 15;
15
x
16
\.
SELECT * FROM t ORDER BY a;
COPY t FROM STDIN (ON_ERROR nonsense);
COPY t FROM STDIN (LOG_VERBOSITY nonsense);
COPY t FROM STDIN (REJECT_LIMIT 3);
COPY t FROM STDIN (ON_ERROR ignore, REJECT_LIMIT 0);
COPY t FROM STDIN (ON_ERROR ignore, REJECT_LIMIT x);
COPY t FROM STDIN (FORMAT binary, ON_ERROR ignore);
COPY t TO STDOUT (ON_ERROR ignore);
DROP TABLE t;
