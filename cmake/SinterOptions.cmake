# How our own code is compiled, and where it goes.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_STANDARD 17)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON) # gnu17: POSIX names without a macro in every file
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON) # the same file in the build tree and installed
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

# Linked into everything that we compile.
add_library(sinter_flags INTERFACE)
target_include_directories(sinter_flags INTERFACE
  ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_BINARY_DIR}/include)
target_compile_options(sinter_flags INTERFACE
  -Wall -Wextra -Werror
  -Wno-unused-parameter           # callbacks have the signature that is asked for
  -Wno-missing-field-initializers # rows of tables leave the rest zero
  -fvisibility=hidden -ffunction-sections -fdata-sections
  # libMLIR is compiled so, and NDEBUG changes the layout of classes in its
  # headers: in a debug build too. Only C's asserts follow the build type.
  $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti -fno-exceptions -fvisibility-inlines-hidden -DNDEBUG>)
target_link_options(sinter_flags INTERFACE -Wl,--gc-sections -Wl,--build-id=sha1)

if(SINTER_SANITIZE)
  # The C++ shim goes without ASan: LLVM's headers poison slabs of allocators
  # under it, which libLLVM, compiled without, then uses.
  string(REGEX REPLACE "(^|,)address(,|$)" "\\1" cxx_sanitize "${SINTER_SANITIZE}")
  string(REGEX REPLACE ",$" "" cxx_sanitize "${cxx_sanitize}")
  target_compile_options(sinter_flags INTERFACE
    -fno-omit-frame-pointer -fno-sanitize-recover=all
    $<$<COMPILE_LANGUAGE:C>:-fsanitize=${SINTER_SANITIZE}>)
  if(cxx_sanitize)
    # vptr needs RTTI.
    target_compile_options(sinter_flags INTERFACE
      $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${cxx_sanitize}>
      $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=vptr,function>)
  endif()
  target_link_options(sinter_flags INTERFACE -fsanitize=${SINTER_SANITIZE})
endif()

# The files that match, or an empty file while there are none.
function(sinter_sources variable)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE patterns)
  file(GLOB found CONFIGURE_DEPENDS ${patterns})
  if(NOT found)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/empty.c CONTENT "typedef int sinter_empty;\n")
    set(found ${CMAKE_BINARY_DIR}/empty.c)
  endif()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# A program of one file and what it is linked with. MLIR is C++, so C++ links.
function(sinter_tool name main)
  if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${main})
    message(STATUS "no ${main} yet: ${name} is left out")
    return()
  endif()
  add_executable(${name} ${main})
  target_link_libraries(${name} PRIVATE sinter_flags ${ARGN})
  target_include_directories(${name} SYSTEM PRIVATE ${SINTER_RUNTIME_INCLUDE_DIRS})
  if("sinter_core" IN_LIST ARGN)
    target_link_libraries(${name} PRIVATE sinter_llvm_headers)
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX INSTALL_RPATH ${SINTER_LLVM_LIBDIR})
    add_dependencies(${name} sinter-tablegen)
  endif()
  install(TARGETS ${name} RUNTIME DESTINATION bin)
endfunction()
