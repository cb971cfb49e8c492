#!/bin/sh
# Makes sure that SWI-Prolog is there. Installs Debian's where it is missing and that is allowed; else says what to do.
set -eu

install="apt-get install -y swi-prolog-nox"

command -v swipl >/dev/null 2>&1 && exit
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing SWI-Prolog for the tests beside RTEC." >&2
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive $install -qq; } >/dev/null && command -v swipl >/dev/null 2>&1 && exit
fi
echo "The tests beside RTEC need SWI-Prolog. Install it, then say \`make test-rtec\` again:" >&2
echo "    sudo $install" >&2
exit 1
