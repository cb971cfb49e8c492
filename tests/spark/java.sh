#!/bin/sh
# Prints the home of a Java that Spark can run on. Installs Debian's headless one where there is none and that is
# allowed; else says what to do.
set -eu

wanted=17
install="apt-get install -y default-jre-headless"

# The home of the Java behind a command, if it is new enough.
home_of() {
    command -v "$1" >/dev/null 2>&1 || return 1
    settings=$("$1" -XshowSettings:properties -version 2>&1) || return 1
    version=$(printf '%s\n' "$settings" | sed -n 's/^ *java\.specification\.version = //p')
    [ "${version%%.*}" -ge "$wanted" ] 2>/dev/null || return 1
    printf '%s\n' "$settings" | sed -n 's/^ *java\.home = //p'
}

found() {
    for java in "${JAVA_HOME:-}/bin/java" java /usr/lib/jvm/*/bin/java; do
        home_of "$java" && return
    done
    return 1
}

found && exit
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing Java $wanted for Spark." >&2
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive $install -qq; } >/dev/null && found && exit
fi
echo "Spark needs Java $wanted or newer. Install it, then run the command again:" >&2
echo "    sudo $install" >&2
exit 1
