# dialect/library/NAME.mlir -> an op `sinter.NAME` (dialect/Library.td) and its text in
# the binary (dialect/library.inc). The list of files is the list of the library.

file(GLOB sinter_library CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/dialect/library/*.mlir)
set(ops "")
set(texts "")
foreach(file ${sinter_library})
  cmake_path(GET file STEM name)
  string(APPEND ops "def Sinter_${name}_Use : Sinter_Named<\"${name}\">;\n")
  # A compiler cache does not see what #embed reads: the sum makes another text of another file.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(SHA256 ${file} sum)
  string(SUBSTRING ${sum} 0 7 sum)
  string(APPEND texts "{\"${name}\", (const char[]){\n#embed \"${file}\"\n, 0 & 0x${sum}}},\n")
endforeach()
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/include/dialect/Library.td CONTENT "${ops}")
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/include/dialect/library.inc CONTENT "${texts}")
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/dialect/library.c PROPERTIES
  OBJECT_DEPENDS "${CMAKE_BINARY_DIR}/include/dialect/library.inc;${sinter_library}"
  COMPILE_OPTIONS "-Wno-c23-extensions")
install(FILES ${sinter_library} DESTINATION share/sinter/library)
