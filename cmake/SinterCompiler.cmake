# Which compiler: clang 22, unless CC/CXX or CMAKE_<LANG>_COMPILER say otherwise.

foreach(pair "C;CC;clang-22;clang" "CXX;CXX;clang++-22;clang++")
  list(POP_FRONT pair language variable versioned plain)
  if(CMAKE_${language}_COMPILER OR NOT "$ENV{${variable}}" STREQUAL "")
    continue()
  endif()
  find_program(SINTER_${variable} NAMES ${versioned} ${plain}
    PATHS /usr/bin /usr/lib/llvm-22/bin NO_DEFAULT_PATH)
  if(NOT SINTER_${variable})
    find_program(SINTER_${variable} NAMES ${versioned})
  endif()
  if(NOT SINTER_${variable})
    message(FATAL_ERROR "Sinter needs ${versioned}: apt-get install clang-22 (or scripts/setup)")
  endif()
  set(CMAKE_${language}_COMPILER ${SINTER_${variable}})
endforeach()

# MLIR keys the ids of some types on the text of __PRETTY_FUNCTION__, which gcc
# spells differently from clang, by which Debian's libMLIR is compiled.
function(sinter_check_compiler)
  foreach(language C CXX)
    if(NOT CMAKE_${language}_COMPILER_ID STREQUAL "Clang")
      message(FATAL_ERROR
        "Sinter is compiled with clang, and ${CMAKE_${language}_COMPILER} is "
        "${CMAKE_${language}_COMPILER_ID}. MLIR's type ids are keyed on text that gcc spells "
        "differently: a dialect built by gcc links, and then fails at run time.\n"
        "Unset CC and CXX, or use: -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 "
        "(Debian: clang-22). Start from an empty build folder.")
    endif()
  endforeach()
endfunction()
