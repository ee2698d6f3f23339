# cmake -DFROM=file -DTO=file.inc -P SinterEmbed.cmake: the bytes of a file as numbers, for an array in C.
#
# Not #embed: a compiler cache does not see what that reads.

file(READ ${FROM} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
file(WRITE ${TO} "${bytes}\n")
