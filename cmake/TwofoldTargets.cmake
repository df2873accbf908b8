# One CMake library a folder. `DEPS` is the whole rule of who may include whom: a test compares it
# with the #include lines (tests/check-structure.py reads build/includes/).

# Those of a library that is gone must not stay.
file(REMOVE_RECURSE ${CMAKE_BINARY_DIR}/includes)

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

add_library(twofold_flags INTERFACE)
target_include_directories(twofold_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(
  twofold_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
                          -Wold-style-cast $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)
target_compile_definitions(twofold_flags INTERFACE BOOST_ASIO_NO_DEPRECATED)

# Headers of libraries that half of the files include. With TWOFOLD_PCH they are read once instead of once a unit, which
# saves a sixth of the time in which all programs are built. What files include themselves is checked where it is off.
if(TWOFOLD_PCH)
  file(WRITE ${CMAKE_BINARY_DIR}/pch.cc "")
  add_library(twofold_pch OBJECT ${CMAKE_BINARY_DIR}/pch.cc)
  set(PCH_LIBRARIES absl::status absl::statusor absl::strings absl::flat_hash_map Boost::headers nlohmann_json::nlohmann_json
                    protobuf::libprotobuf spdlog::spdlog CLI11::CLI11 gRPC::grpc++ Threads::Threads)
  target_link_libraries(twofold_pch PRIVATE ${PCH_LIBRARIES} twofold_flags)
  target_compile_options(twofold_pch PRIVATE -pthread)
  target_precompile_headers(twofold_pch PRIVATE
    <algorithm> <array> <chrono> <filesystem> <fstream> <functional> <iostream> <map> <memory> <optional> <set> <span> <string>
    <string_view> <thread> <unordered_map> <utility> <variant> <vector> <absl/container/flat_hash_map.h> <absl/status/statusor.h>
    <absl/strings/str_cat.h> <absl/strings/str_format.h> <absl/strings/str_join.h> <absl/strings/str_split.h> <absl/time/time.h>
    <boost/asio/io_context.hpp> <boost/asio/ip/tcp.hpp> <boost/asio/post.hpp> <boost/asio/steady_timer.hpp>
    <google/protobuf/message.h> <google/protobuf/util/json_util.h> <grpcpp/grpcpp.h> <nlohmann/json.hpp> <spdlog/spdlog.h>
    <spdlog/fmt/fmt.h> <CLI/CLI.hpp>)
endif()

# All units read the same headers first, so all have the definitions that those look at.
function(_twofold_precompiled target)
  if(TWOFOLD_PCH)
    target_precompile_headers(${target} REUSE_FROM twofold_pch)
    target_compile_options(${target} PRIVATE -pthread)
    foreach(library ${PCH_LIBRARIES})
      target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:${library},INTERFACE_COMPILE_DEFINITIONS>)
      target_include_directories(${target} SYSTEM PRIVATE $<TARGET_PROPERTY:${library},INTERFACE_INCLUDE_DIRECTORIES>)
    endforeach()
  endif()
endfunction()

# twofold_library(NAME SOURCES ... DEPS ...): the library of the current folder.
function(twofold_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  if(ARG_SOURCES)
    add_library(${name} STATIC ${ARG_SOURCES})
    target_link_libraries(${name} PUBLIC ${ARG_DEPS} PRIVATE twofold_flags)
    _twofold_precompiled(${name})
    # Commands wait for others, so the full effort of the optimiser would be a quarter of their compile time for nothing.
    if(CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/cli/")
      target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    endif()
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${ARG_DEPS})
  endif()
  _twofold_record_deps(${name} "${ARG_DEPS}")
endfunction()

# twofold_embed(LIBRARY TEMPLATE FILES ...): compiles TEMPLATE (NAME.cc.in) into the library; in place of its @TEXTS@
# stand the texts of the files, as C++ strings with commas between them.
function(twofold_embed library template)
  set(TEXTS)
  foreach(file ${ARGN})
    file(READ ${file} text)
    string(APPEND TEXTS "R\"text(${text})text\",\n")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
  get_filename_component(name ${template} NAME_WLE)
  configure_file(${template} ${name} @ONLY)
  target_sources(${library} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${name})
endfunction()

# twofold_program(NAME SOURCES ... DEPS ...): an executable, found in build/<preset>/bin.
function(twofold_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} twofold_flags)
  _twofold_precompiled(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endfunction()

# twofold_test(NAME [HEAVY] SOURCES ... DEPS ... [LABELS ...] [ARGS ...]): one GoogleTest executable, one
# ctest. HEAVY: its own code has much to do, so it is optimised as what it tests; that of others is not,
# which saves a third of its compile time.
function(twofold_test name)
  cmake_parse_arguments(ARG "HEAVY" "" "SOURCES;DEPS;LABELS;ARGS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} twofold_flags GTest::gtest GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name} ${ARG_ARGS})
  # Undefined behaviour is looked for in what we ship. In tests it costs a third of their compile time,
  # as GoogleMock's and gRPC's templates are instrumented over and over.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Debug>:-fno-sanitize=undefined>)
  if(NOT ARG_HEAVY)
    target_compile_options(${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O0>)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}")
endfunction()

function(_twofold_record_deps name deps)
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  file(WRITE ${CMAKE_BINARY_DIR}/includes/${name} "${folder}\n")
  foreach(dep ${deps})
    file(APPEND ${CMAKE_BINARY_DIR}/includes/${name} "${dep}\n")
  endforeach()
endfunction()
