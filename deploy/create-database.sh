#!/bin/sh
# Creates the role and the database of the service. Runs once, when the PostgreSQL data directory is empty.
set -eu
: "${KEEPSAKE_DATABASE_PASSWORD:?is not set}"
# Uses standard input to keep the password off the command line. psql quotes it.
psql --no-psqlrc --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
\getenv password KEEPSAKE_DATABASE_PASSWORD
-- Not a superuser, because row-level security does not apply to superusers.
CREATE ROLE keepsake LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE PASSWORD :'password';
CREATE DATABASE keepsake OWNER keepsake TEMPLATE template0 ENCODING 'UTF8';
REVOKE ALL ON DATABASE keepsake FROM PUBLIC;
\connect keepsake
CREATE EXTENSION vector;
SQL
