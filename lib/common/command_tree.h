#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>
#include <vector>

/// What a program can be told, read from its declared options: the one source of --help, manual
/// pages and completion.
namespace twofold {

/// A command, with the words that choose it: "local up"; "" is the program itself.
struct CommandNode {
  std::string words;
  const CLI::App* app = nullptr;
};

/// The program, its commands and theirs, each before its own; hidden ones are left out.
std::vector<CommandNode> CommandsOf(const CLI::App& program);

/// The commands right below.
std::vector<const CLI::App*> SubcommandsOf(const CLI::App& command);

/// Options and positional arguments that --help shows, in its order.
std::vector<const CLI::Option*> OptionsOf(const CLI::App& command);

/// "--frontend" and "-f"; none for an argument without a name.
std::vector<std::string> NamesOf(const CLI::Option& option);

bool TakesValue(const CLI::Option& option);

/// The words that the value must be one of; none: it may be others.
std::vector<std::string> ChoicesOf(const CLI::Option& option);

/// The first line of a description, without the full stop at its end.
std::string FirstLine(std::string_view text);

}  // namespace twofold
