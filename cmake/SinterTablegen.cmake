# dialect/Sinter.td -> build/include/dialect/{Sinter,TmTensor}.KIND.{decls,defs}.inc and build/docs/dialect.md

set(sinter_td ${CMAKE_CURRENT_SOURCE_DIR}/dialect/Sinter.td)
set(sinter_generated ${CMAKE_BINARY_DIR}/include/dialect)
file(MAKE_DIRECTORY ${sinter_generated} ${CMAKE_BINARY_DIR}/docs)

function(sinter_tablegen td output)
  list(TRANSFORM MLIR_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE includes)
  add_custom_command(OUTPUT ${output}
    COMMAND ${SINTER_MLIR_TBLGEN} ${ARGN} -I ${CMAKE_CURRENT_SOURCE_DIR} -I ${CMAKE_BINARY_DIR}/include ${includes}
      ${td} -o ${output} -d ${output}.d
    DEPENDS ${td} ${CMAKE_BINARY_DIR}/include/dialect/Library.td ${SINTER_MLIR_TBLGEN}
    DEPFILE ${output}.d
    COMMENT "mlir-tblgen ${output}"
    VERBATIM)
endfunction()

if(EXISTS ${sinter_td})
  # A dialect's own definitions only, not those of the files that it includes.
  foreach(generator
      "dialect;-dialect=sinter" "op;-dialect=sinter" "enum"
      "attrdef;-attrdefs-dialect=sinter" "typedef;-typedefs-dialect=sinter")
    list(POP_FRONT generator kind)
    foreach(half decls defs)
      set(output ${sinter_generated}/Sinter.${kind}.${half}.inc)
      sinter_tablegen(${sinter_td} ${output} -gen-${kind}-${half} ${generator})
      list(APPEND sinter_generated_files ${output})
    endforeach()
  endforeach()
  foreach(kind dialect op)
    foreach(half decls defs)
      set(output ${sinter_generated}/TmTensor.${kind}.${half}.inc)
      sinter_tablegen(${CMAKE_CURRENT_SOURCE_DIR}/dialect/TmTensor.td ${output} -gen-${kind}-${half} -dialect=tm_tensor)
      list(APPEND sinter_generated_files ${output})
    endforeach()
  endforeach()
  set(docs ${CMAKE_BINARY_DIR}/docs/dialect.md)
  sinter_tablegen(${sinter_td} ${docs} -gen-dialect-doc -dialect=sinter)
  add_custom_target(sinter-docs ALL DEPENDS ${docs})
endif()
add_custom_target(sinter-tablegen DEPENDS ${sinter_generated_files})
