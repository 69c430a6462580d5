# find_package(tandem): tandem::plugin, what a plugin is compiled with, and TANDEM_PROGRAM, the installed program.
get_filename_component(TANDEM_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(TANDEM_PROGRAM "${TANDEM_PREFIX}/bin/tandem")
if(NOT TARGET tandem::plugin)
  add_library(tandem::plugin INTERFACE IMPORTED)
  set_target_properties(tandem::plugin PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${TANDEM_PREFIX}/include")
endif()
