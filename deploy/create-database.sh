#!/bin/sh
# Runs once, when PostgreSQL's folder is empty: the service's role and database.
set -eu
: "${KEEPSAKE_DATABASE_PASSWORD:?is not set}"
# By standard input, so that the password is on no command line; psql quotes it.
psql --no-psqlrc --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
\getenv password KEEPSAKE_DATABASE_PASSWORD
-- No superuser: row-level security would not hold for it.
CREATE ROLE keepsake LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE PASSWORD :'password';
CREATE DATABASE keepsake OWNER keepsake TEMPLATE template0 ENCODING 'UTF8';
REVOKE ALL ON DATABASE keepsake FROM PUBLIC;
\connect keepsake
CREATE EXTENSION vector;
SQL
