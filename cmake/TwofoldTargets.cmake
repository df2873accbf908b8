# One CMake library a folder. `DEPS` is the whole rule of who may include whom: a test compares it
# with the #include lines (tests/check-structure.py reads build/includes/).

# Those of a library or test that is gone must not stay.
file(REMOVE_RECURSE ${CMAKE_BINARY_DIR}/includes ${CMAKE_BINARY_DIR}/promises)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/promises)

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # A compiler that allocates with jemalloc, in huge pages, takes a twelfth less time.
  find_library(JEMALLOC jemalloc)
  if(JEMALLOC)
    list(APPEND launcher LD_PRELOAD=${JEMALLOC} MALLOC_CONF=thp:always,metadata_thp:always,dirty_decay_ms:-1,narenas:1)
  endif()
  # What a file includes is told by the compiler's -MD; reading it beforehand is a tenth of a clean build.
  find_program(CCACHE ccache)
  if(CCACHE)
    list(APPEND launcher CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  endif()
  if(launcher)
    set(CMAKE_CXX_COMPILER_LAUNCHER env ${launcher})
  endif()
endif()

# g++ looks for garbage often enough to spend a tenth of its time on it. So a process may take 2.7 GB (2.2 without).
add_compile_options("$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-expand=100 --param ggc-min-heapsize=1000000>")

add_library(twofold_flags INTERFACE)
target_include_directories(twofold_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(
  twofold_flags INTERFACE -Wall -Wextra -Wpedantic $<$<NOT:$<BOOL:$<TARGET_PROPERTY:SHADOWS>>>:-Wshadow> -Wconversion -Wsign-conversion
                          -Wold-style-cast $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety> -pthread)
# All have what some get from libraries that they use, so that they can share headers.
target_compile_definitions(twofold_flags INTERFACE BOOST_ASIO_NO_DEPRECATED $<TARGET_PROPERTY:spdlog::spdlog,INTERFACE_COMPILE_DEFINITIONS>)
add_library(twofold_cold INTERFACE)
# At -O1 g++ 12 takes the two ends of Asio's allocator of coroutines for those of different ones.
target_compile_options(twofold_cold INTERFACE $<$<NOT:$<CONFIG:Debug>>:-O1 $<$<CXX_COMPILER_ID:GNU>:-Wno-mismatched-new-delete>>)

# Headers here stand before those of the same names that they include. They keep each file from compiling what most files
# use of these libraries' templates: a second for each file that reads and writes JSON.
add_library(twofold_once STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/cmake/once/fmt.cc ${PROJECT_SOURCE_DIR}/cmake/once/json.cc)
target_include_directories(twofold_once SYSTEM PUBLIC ${PROJECT_SOURCE_DIR}/cmake/once)
target_compile_definitions(twofold_once PRIVATE FMT_SHARED)
set_target_properties(twofold_once PROPERTIES UNITY_BUILD OFF)  # who uses JSON alone is not linked with libfmt
target_link_libraries(twofold_flags INTERFACE twofold_once)

# What many files of a KIND, LIBRARY or TEST, include is read once for all of them: a fifth of the compile time of clang,
# a twentieth of that of g++, which goes without. Where each file is compiled alone, none gets what it does not include.
function(_twofold_share_headers target kind)
  if(NOT CMAKE_UNITY_BUILD OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    return()
  endif()
  string(TOLOWER "twofold_headers_of_${kind}" shared)
  if(NOT TARGET ${shared})
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/${shared}.cc CONTENT "")
    add_library(${shared} OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/${shared}.cc)
    target_link_libraries(${shared} PRIVATE twofold_flags protobuf::libprotobuf nlohmann_json::nlohmann_json Boost::headers absl::statusor)
    target_precompile_headers(
      ${shared} PRIVATE <absl/container/flat_hash_map.h> <absl/status/statusor.h> <absl/strings/numbers.h>
                        <absl/strings/str_cat.h> <absl/strings/str_format.h> <absl/strings/str_join.h> <absl/strings/str_split.h>
                        <absl/time/time.h> <algorithm> <array> <chrono> <cmath> <filesystem> <functional> <map> <memory>
                        <optional> <set> <span> <string> <thread> <utility> <vector> <boost/asio/io_context.hpp>
                        <boost/asio/steady_timer.hpp> <google/protobuf/message.h> <nlohmann/json.hpp> <spdlog/spdlog.h>)
    if("${kind}" STREQUAL "TEST")
      _twofold_compile_tests(${shared} "")
      target_precompile_headers(${shared} PRIVATE <fstream> <gmock/gmock.h> <gtest/gtest.h> <random>)
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${shared})
endfunction()

# twofold_library(NAME [COLD] SOURCES ... DEPS ...): the library of the current folder. COLD: it waits for others, or
# runs once; the full effort of the optimiser would be a quarter of its compile time for nothing.
function(twofold_library name)
  cmake_parse_arguments(ARG "COLD" "" "SOURCES;DEPS" ${ARGN})
  if(ARG_SOURCES AND TWOFOLD_TOGETHER)
    _twofold_join(${name})
  elseif(ARG_SOURCES)
    add_library(${name} STATIC EXCLUDE_FROM_ALL ${ARG_SOURCES})
    target_link_libraries(${name} PUBLIC ${ARG_DEPS} PRIVATE twofold_flags)
    if(ARG_COLD)
      target_link_libraries(${name} PRIVATE twofold_cold)
    endif()
    _twofold_share_headers(${name} LIBRARY)
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${ARG_DEPS})
  endif()
  _twofold_record_deps(${name} "${ARG_DEPS}")
endfunction()

# twofold_compile_together(NAME): the libraries of this folder and below that are added from here on are one library
# where several files are compiled as one. Most of their compile time is reading headers, which they then share. COLD.
macro(twofold_compile_together name)
  if(CMAKE_UNITY_BUILD)
    set(TWOFOLD_TOGETHER ${name})
    add_library(${name} STATIC EXCLUDE_FROM_ALL)
    target_link_libraries(${name} PRIVATE twofold_flags twofold_cold)
    _twofold_share_headers(${name} LIBRARY)
  endif()
endmacro()

# The arguments are those of the calling twofold_library.
function(_twofold_join name)
  foreach(source ${ARG_SOURCES})
    target_sources(${TWOFOLD_TOGETHER} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  endforeach()
  get_target_property(members ${TWOFOLD_TOGETHER} TWOFOLD_MEMBERS)
  set(from_outside ${ARG_DEPS})
  list(REMOVE_ITEM from_outside ${members})
  target_link_libraries(${TWOFOLD_TOGETHER} PUBLIC ${from_outside})
  set_property(TARGET ${TWOFOLD_TOGETHER} APPEND PROPERTY TWOFOLD_MEMBERS ${name})
  add_library(${name} INTERFACE)
  target_link_libraries(${name} INTERFACE ${TWOFOLD_TOGETHER})
endfunction()

# Properties of libraries of generated messages: two names that stand in each of their files become others in each,
# so that several can be compiled as one.
set(TWOFOLD_GENERATED_TOGETHER
  UNITY_BUILD_UNIQUE_ID file_default_instances
  UNITY_BUILD_CODE_BEFORE_INCLUDE "#undef schemas
#define schemas TWOFOLD_JOIN(schemas_, file_default_instances)
#define TWOFOLD_JOIN(a, b) TWOFOLD_JOIN_EXPANDED(a, b)
#define TWOFOLD_JOIN_EXPANDED(a, b) a##b")

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
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} twofold_flags twofold_cold)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endfunction()

# twofold_tests_together(NAME): the tests of this folder and below that are added from here on are in one executable, as
# linking one for each, and reading the same headers in each, costs more than what is in them. To ctest they stay what
# they are: each is a process, which runs the tests of its files (tests/support/main.cc).
macro(twofold_tests_together name)
  set(TWOFOLD_TESTS ${name})
  set(TWOFOLD_TESTS_FOLDER ${CMAKE_CURRENT_BINARY_DIR})
endmacro()

# twofold_test(NAME [HEAVY] [APART] [OWN] [PROMISES] [WAITS SECONDS] SOURCES ... DEPS ... [DEFINITIONS ...] [LABELS ...] [ARGS ...]):
# GoogleTest files, one ctest. HEAVY: their own code has much to do, so it is optimised, without the optimiser's full effort;
# that of others is not, which saves a third of its compile time. APART: each file is compiled alone, as it uses names that
# others use, too. OWN: in an executable of its own, as it replaces what all in one share. PROMISES: it measures rows of docs/promises.md (tests/support/promise.h).
# WAITS: in these SECONDS the processor has little to do, so three run where one of the others does; the longest begin first.
# Where TWOFOLD_ONLY_HEAVY_TESTS is set, there are only those that are HEAVY or have PROMISES; without TWOFOLD_PROMISES, none of the latter.
function(twofold_test name)
  cmake_parse_arguments(ARG "HEAVY;APART;OWN;PROMISES" "WAITS" "SOURCES;DEPS;DEFINITIONS;LABELS;ARGS" ${ARGN})
  if(ARG_PROMISES)
    list(APPEND ARG_DEPS twofold_test_promise)
    list(APPEND ARG_LABELS promises)
  endif()
  if((TWOFOLD_ONLY_HEAVY_TESTS AND NOT ARG_HEAVY AND NOT ARG_PROMISES) OR (ARG_PROMISES AND NOT TWOFOLD_PROMISES))
    return()
  endif()
  if(TWOFOLD_TESTS AND NOT ARG_OWN)
    _twofold_join_test(${name})
  else()
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gtest_main)
    target_compile_definitions(${name} PRIVATE ${ARG_DEFINITIONS})
    _twofold_compile_tests(${name} "${ARG_HEAVY}")
    add_test(NAME ${name} COMMAND ${name} ${ARG_ARGS})
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" PROCESSORS 3)
  if(ARG_PROMISES)
    set_tests_properties(${name} PROPERTIES FIXTURES_SETUP promises ENVIRONMENT "TWOFOLD_PROMISES=${CMAKE_BINARY_DIR}/promises/${name}")
  endif()
  if(ARG_WAITS)
    set_tests_properties(${name} PROPERTIES PROCESSORS 1 COST ${ARG_WAITS})
  endif()
endfunction()

# twofold_test_library(NAME SOURCES ... DEPS ...): what several tests share, compiled as they are.
function(twofold_test_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC EXCLUDE_FROM_ALL ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_DEPS})
  _twofold_compile_tests(${name} "")
endfunction()

function(_twofold_compile_tests target heavy)
  target_link_libraries(${target} PRIVATE twofold_flags GTest::gtest GTest::gmock)
  target_compile_definitions(${target}
    PRIVATE "TWOFOLD_BIN=\"${CMAKE_BINARY_DIR}/bin\"" "TWOFOLD_SOURCE=\"${PROJECT_SOURCE_DIR}\"")
  # Undefined behaviour is looked for in what we ship. In tests it costs a third of their compile time,
  # as GoogleMock's and gRPC's templates are instrumented over and over.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-fno-sanitize=undefined>)
  if(TWOFOLD_FUZZ)  # the targets of tests/fuzz are none of these: a fifth
    target_compile_options(${target} PRIVATE -fno-sanitize=fuzzer-no-link)
  endif()
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:$<IF:$<BOOL:${heavy}>,-O1,-O0>>)
  if(CMAKE_UNITY_BUILD)
    # A name of one test shadows that of another where both happen to be compiled as one; `alone` warns of the rest.
    set_target_properties(${target} PROPERTIES SHADOWS ON)
  endif()
endfunction()

# The arguments are those of the calling twofold_test.
function(_twofold_join_test name)
  if(NOT TARGET ${TWOFOLD_TESTS})
    add_executable(${TWOFOLD_TESTS})
    target_link_libraries(${TWOFOLD_TESTS} PRIVATE twofold_test_main)
    set_target_properties(${TWOFOLD_TESTS} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${TWOFOLD_TESTS_FOLDER})
    _twofold_compile_tests(${TWOFOLD_TESTS} "")
    _twofold_share_headers(${TWOFOLD_TESTS} TEST)
  endif()
  set(target ${TWOFOLD_TESTS})
  if(ARG_HEAVY)
    set(target ${TWOFOLD_TESTS}_heavy)
    if(NOT TARGET ${target})
      add_library(${target} OBJECT EXCLUDE_FROM_ALL)
      _twofold_compile_tests(${target} HEAVY)
      _twofold_share_headers(${target} TEST)
      target_link_libraries(${TWOFOLD_TESTS} PRIVATE ${target})
    endif()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  target_link_libraries(${target} PRIVATE ${ARG_DEPS})
  target_link_libraries(${TWOFOLD_TESTS} PRIVATE ${ARG_DEPS})
  target_compile_definitions(${target} PRIVATE ${ARG_DEFINITIONS})

  set(files)
  foreach(source ${ARG_SOURCES})
    get_filename_component(source ${source} ABSOLUTE)
    _twofold_add_test_source(${target} ${source})
    if(source MATCHES "_test.cc$")
      file(RELATIVE_PATH file ${PROJECT_SOURCE_DIR}/tests ${source})
      list(APPEND files ${file})
    endif()
  endforeach()
  list(JOIN files "," files)
  add_test(NAME ${name} COMMAND ${TWOFOLD_TESTS} --files=${files} ${ARG_ARGS})

  # To build one test with what it runs: cmake --build build/dev --target NAME
  add_custom_target(${name})
  add_dependencies(${name} ${TWOFOLD_TESTS})
endfunction()

# What several tests take is compiled once. A dozen files are compiled as one: more would save little more, and need
# the memory of two such compilers.
function(_twofold_add_test_source target source)
  get_target_property(sources ${TWOFOLD_TESTS} TWOFOLD_TEST_SOURCES)
  if(source IN_LIST sources)
    return()
  endif()
  set_property(TARGET ${TWOFOLD_TESTS} APPEND PROPERTY TWOFOLD_TEST_SOURCES ${source})
  target_sources(${target} PRIVATE ${source})
  if(NOT ARG_APART)
    set_property(TARGET ${target} APPEND PROPERTY TWOFOLD_SHARED_SOURCES ${source})
    get_target_property(shared ${target} TWOFOLD_SHARED_SOURCES)
    list(LENGTH shared count)
    math(EXPR batch "(${count} - 1) / 12")
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${batch})
  endif()
endfunction()

function(_twofold_record_deps name deps)
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  file(WRITE ${CMAKE_BINARY_DIR}/includes/${name} "${folder}\n")
  foreach(dep ${deps})
    file(APPEND ${CMAKE_BINARY_DIR}/includes/${name} "${dep}\n")
  endforeach()
endfunction()
