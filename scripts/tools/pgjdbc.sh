# The program of sql-tests/clients/java and its driver; needs mvn and a JDK.
set -euo pipefail
PGJDBC=org.postgresql:postgresql:42.7.7
command -v javac >/dev/null
rm -rf .tools/clients/java
mkdir -p .tools/clients
[ -n "$(ls .tools/clients/lib/postgresql-*.jar 2>/dev/null)" ] ||
  mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy -Dartifact=$PGJDBC \
    -DoutputDirectory="$PWD/.tools/clients/lib"
javac -cp '.tools/clients/lib/*' -d .tools/clients/java sql-tests/clients/java/PgjdbcSuite.java
