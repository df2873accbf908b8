#pragma once

#include <gtest/gtest.h>

#include <CLI/App.hpp>
#include <functional>
#include <string>
#include <vector>

#include "lib/common/options.h"

namespace twofold::test {

/// Declares a program's options and commands, each time anew.
using Declaration = std::function<void(CLI::App&)>;

/// An option, and the words that choose the command it belongs to.
struct OptionPlace {
  std::vector<std::string> command;
  std::string name;  ///< "--label"
};

/// Those of `app` and of all below it, hidden ones too; no positional arguments.
inline void AddPlaces(CLI::App& app, std::vector<std::string> command,
                      std::vector<OptionPlace>& places) {
  if (app.get_parent() != nullptr && !app.get_name().empty()) command.push_back(app.get_name());
  for (const CLI::Option* option : app.get_options()) {
    if (!option->nonpositional() || option == app.get_help_ptr()) continue;
    const bool is_long = !option->get_lnames().empty();
    const std::string name =
        is_long ? "--" + option->get_lnames().front() : "-" + option->get_snames().front();
    places.push_back({command, name});
  }
  for (CLI::App* below : app.get_subcommands([](CLI::App*) { return true; })) {
    AddPlaces(*below, command, places);
  }
}

/// The option called `name` of `app`, or of a group of options in it.
inline const CLI::Option* FindOption(CLI::App& app, const std::string& name) {
  if (const CLI::Option* option = app.get_option_no_throw(name)) return option;
  for (CLI::App* below : app.get_subcommands([](CLI::App*) { return true; })) {
    if (!below->get_name().empty()) continue;
    if (const CLI::Option* option = FindOption(*below, name)) return option;
  }
  return nullptr;
}

/// How many values the option has after `COMMAND OPTION one two three -- four`.
inline std::size_t WordsTaken(const Declaration& declare, const OptionPlace& place) {
  CLI::App app("", "program");
  declare(app);
  std::vector<const char*> words = {"program"};
  for (const std::string& word : place.command) words.push_back(word.c_str());
  for (const char* word : {place.name.c_str(), "one", "two", "three", "--", "four"}) {
    words.push_back(word);
  }
  testing::internal::CaptureStderr();  // most of them refuse "one"
  ParseCommandLine(app, static_cast<int>(words.size()), words.data());
  testing::internal::GetCapturedStderr();
  CLI::App* at = &app;
  for (const std::string& word : place.command) at = at->get_subcommand(word);
  return FindOption(*at, place.name)->count();
}

/// Each option of each command takes one word at most, and leaves what stands behind it.
inline void ExpectOneWordEach(const Declaration& declare) {
  CLI::App app("", "program");
  declare(app);
  std::vector<OptionPlace> places;
  AddPlaces(app, {}, places);
  ASSERT_FALSE(places.empty());
  for (const OptionPlace& place : places) {
    EXPECT_LE(WordsTaken(declare, place), 1U)
        << (place.command.empty() ? "" : place.command.back()) << " " << place.name;
  }
}

}  // namespace twofold::test
