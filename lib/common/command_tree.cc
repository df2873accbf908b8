#include "lib/common/command_tree.h"

#include <absl/strings/str_split.h>

namespace twofold {
namespace {

void AddCommands(const CLI::App& app, const std::string& words, std::vector<CommandNode>& all) {
  all.push_back({words, &app});
  for (const CLI::App* below : SubcommandsOf(app)) {
    AddCommands(*below, (words.empty() ? "" : words + " ") + below->get_name(), all);
  }
}

}  // namespace

std::vector<CommandNode> CommandsOf(const CLI::App& program) {
  std::vector<CommandNode> all;
  AddCommands(program, "", all);
  return all;
}

std::vector<const CLI::App*> SubcommandsOf(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* below) {
    return !below->get_group().empty() && !below->get_name().empty();
  });
}

std::vector<const CLI::Option*> OptionsOf(const CLI::App& command) {
  return command.get_options(
      [](const CLI::Option* option) { return !option->get_group().empty(); });
}

std::vector<std::string> NamesOf(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

bool TakesValue(const CLI::Option& option) { return option.get_expected_max() > 0; }

// CLI11 shows those of CLI::IsMember as "TEXT:{csv,json}".
std::vector<std::string> ChoicesOf(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos) return {};
  const std::string inside = type.substr(open + 1, close - open - 1);
  if (inside.find("->") != std::string::npos) return {};
  return absl::StrSplit(inside, ',');
}

std::string FirstLine(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('.')) text.remove_suffix(1);
  return std::string(text);
}

}  // namespace twofold
