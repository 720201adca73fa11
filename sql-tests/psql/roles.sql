-- Roles and privileges as psql's backslash commands show them.
CREATE ROLE r_own;
CREATE ROLE r_ann LOGIN CONNECTION LIMIT 3 VALID UNTIL '2031-05-06 00:00:00+00';
CREATE ROLE "r_Eve" NOINHERIT CREATEDB IN ROLE r_own;
COMMENT ON ROLE r_ann IS 'reads';
GRANT r_own TO r_ann WITH ADMIN OPTION;
CREATE SCHEMA r_app AUTHORIZATION r_own;
CREATE TABLE r_app.books (id int, title text);
CREATE SEQUENCE r_app.counter;
CREATE FUNCTION r_app.one() RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE TYPE r_app.mood AS ENUM ('ok');
ALTER TABLE r_app.books OWNER TO r_own;
ALTER SEQUENCE r_app.counter OWNER TO r_own;
ALTER FUNCTION r_app.one() OWNER TO r_own;
ALTER TYPE r_app.mood OWNER TO r_own;
GRANT SELECT, UPDATE ON r_app.books TO r_ann WITH GRANT OPTION;
GRANT INSERT (title), REFERENCES (id) ON r_app.books TO "r_Eve", PUBLIC;
GRANT USAGE ON SEQUENCE r_app.counter TO "r_Eve";
REVOKE ALL ON FUNCTION r_app.one() FROM PUBLIC;
GRANT USAGE ON SCHEMA r_app TO r_ann;
GRANT USAGE ON TYPE r_app.mood TO r_ann;
ALTER DEFAULT PRIVILEGES FOR ROLE r_own GRANT SELECT ON TABLES TO r_ann;
ALTER DEFAULT PRIVILEGES FOR ROLE r_own IN SCHEMA r_app GRANT EXECUTE ON FUNCTIONS TO "r_Eve";
\du r_*
\du+ r_*
\dg r_own
\dp r_app.*
\z r_app.books
\ddp r_*
\dn+ r_*
\dt r_app.*
\dT+ r_app.*
\df+ r_app.*
\drds r_*
ALTER ROLE r_ann SET search_path = r_app, public;
ALTER ROLE r_ann SET work_mem = '8MB';
\drds r_ann
\du r_ann
DROP ROLE "r_Eve";
DROP ROLE r_nobody;
DROP ROLE IF EXISTS r_nobody;
REVOKE ALL ON r_app.books FROM r_ann;
\dp r_app.books
DROP OWNED BY r_own CASCADE;
DROP OWNED BY r_ann, "r_Eve";
DROP ROLE r_ann, "r_Eve", r_own;
\du r_*
