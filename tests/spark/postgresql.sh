#!/bin/sh
# Installs PostgreSQL and its driver for Java, for the tests that write results to a database, where there are none and
# that is allowed. Where it is not, those tests are skipped and say why: this never fails.
set -u

is_there() {
    [ -e /usr/share/java/postgresql.jar ] && { command -v initdb || ls /usr/lib/postgresql/*/bin/initdb; } >/dev/null 2>&1
}

if ! is_there && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing PostgreSQL for the tests on Spark." >&2
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql libpostgresql-jdbc-java; } \
        >/dev/null 2>&1 || true
fi
is_there || echo "PostgreSQL or its driver is missing: the tests that write to a database are skipped." >&2
exit 0
