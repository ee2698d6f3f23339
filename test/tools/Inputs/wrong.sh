# wrong.sh COMMAND...: its output of both kinds, then how it ended.
"$@" 2>&1
echo "exit $?"
