#include "lib/common/options.h"

#include <absl/strings/str_join.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <string_view>
#include <utility>

#include "lib/common/address.h"
#include "lib/common/command_tree.h"
#include "lib/common/complaint.h"
#include "lib/common/completion.h"
#include "lib/common/distribution.h"
#include "lib/common/manual.h"
#include "lib/common/match.h"
#include "lib/common/printable.h"
#include "lib/common/program.h"
#include "lib/common/shard_name.h"

namespace twofold {
namespace {

bool IsAlpha(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool IsAlnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool IsSingleDashLong(std::string_view argument) {
  return argument.size() > 2 && argument[0] == '-' && IsAlpha(argument[1]);
}

bool IsNegativeNumber(std::string_view argument) {
  return argument.size() > 1 && argument[0] == '-' &&
         (std::isdigit(static_cast<unsigned char>(argument[1])) != 0 || argument[1] == '.');
}

bool IsLongWithoutValue(std::string_view argument) {
  return argument.size() > 2 && argument.substr(0, 2) == "--" &&
         argument.find('=') == std::string_view::npos;
}

// Before a word that CLI11 would take apart: it sees a list in "[a,b]", even behind "--".
constexpr char kAsItIs = '\x01';

std::string Protect(const std::string& word) {
  const bool is_changed = word.starts_with('[') || word.starts_with(kAsItIs);
  return is_changed ? kAsItIs + word : word;
}

std::string Unprotect(const std::string& word) {
  return word.starts_with(kAsItIs) ? word.substr(1) : word;
}

// CLI11 gives an option that is bound to a vector all words up to the next option, and the "--"
// there: those of the program behind it, too.
void TakeOneWordEach(CLI::App& app) {
  const auto unprotect = [](std::string& word) {
    word = Unprotect(word);
    return std::string();
  };
  for (CLI::Option* option : app.get_options()) {
    if (!option->nonpositional()) {
      option->transform(CLI::Validator(unprotect, ""));
      continue;
    }
    option->allow_extra_args(false);
    const bool may_come_again = option->get_expected_max() >= CLI::detail::expected_max_vector_size;
    if (may_come_again) option->expected(1)->take_all();
  }
  for (CLI::App* below : app.get_subcommands([](CLI::App*) { return true; })) {
    TakeOneWordEach(*below);
  }
}

// The whole of `text` as a number; nullopt if it is not one.
template <typename Number>
std::optional<Number> ParseNumber(const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What could stand where `word` does: options, or commands.
std::vector<std::string> KnownAt(const CLI::App& app, std::string_view word) {
  std::vector<std::string> known;
  if (word.starts_with("--")) {
    for (const CLI::Option* option : OptionsOf(app)) {
      for (std::string& name : NamesOf(*option)) known.push_back(std::move(name));
    }
  } else {
    for (const CLI::App* below : SubcommandsOf(app)) known.push_back(below->get_name());
  }
  return known;
}

// The command as far as it was given.
const CLI::App& Reached(const CLI::App& app) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

// "; did you mean '--output'?", or nothing: of all options only one that is near is worth a word.
std::string HintAt(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> known = KnownAt(Reached(app), word);
  const std::string typed = word.substr(0, word.find('='));
  const std::string nearest(
      Nearest(typed, std::vector<std::string_view>(known.begin(), known.end())));
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

// The option of `app` that `word` names, with its value or without; nullptr if there is none.
const CLI::Option* OptionNamed(const CLI::App& app, std::string_view word) {
  constexpr std::size_t kShortName = 2;  // "-f", whose value may follow at once
  const bool is_long = word.starts_with("--");
  const std::string name(word.substr(0, is_long ? word.find('=') : kShortName));
  const bool is_option = name.size() >= kShortName && name[0] == '-';
  return is_option ? app.get_option_no_throw(name) : nullptr;
}

// The words up to `app`, those of the program first: "twofold local up".
std::string WordsOf(const CLI::App& app) {
  const CLI::App* const above = app.get_parent();
  return (above == nullptr ? "" : WordsOf(*above) + " ") + app.get_name();
}

// The command, given or below the last one given, that has an option named as `word`; nullptr if
// none has.
const CLI::App* OwnerOf(const CLI::App& reached, std::string_view word) {
  for (const CLI::App* at = &reached; at != nullptr; at = at->get_parent()) {
    if (OptionNamed(*at, word) != nullptr) return at;
  }
  for (const CommandNode& below : CommandsOf(reached)) {
    if (OptionNamed(*below.app, word) != nullptr) return below.app;
  }
  return nullptr;
}

// "'--frontend' belongs behind 'twofold load': twofold load --frontend :9997", if `words` begin
// with an option that stands before or behind the command that has it; else nothing.
std::string PlaceOf(const CLI::App& app, const std::vector<std::string>& words) {
  const std::string& word = words.front();
  const CLI::App* const owner = OwnerOf(Reached(app), word);
  if (owner == nullptr) return "";
  const bool has_value_behind = TakesValue(*OptionNamed(*owner, word)) && words.size() > 1 &&
                                word.find('=') == std::string::npos && words[1][0] != '-';
  const std::string command = WordsOf(*owner);
  return "'" + word.substr(0, word.find('=')) + "' belongs behind '" + command + "': " + command +
         " " + word + (has_value_behind ? " " + words[1] : "");
}

// CLI11 misses a required subcommand before it looks at what is there in its place.
std::string What(const CLI::App& app, const CLI::ParseError& error) {
  std::vector<std::string> rest = app.remaining(true);
  std::transform(rest.begin(), rest.end(), rest.begin(), Unprotect);
  const bool misses = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  const bool is_surplus = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  const CLI::App& at = Reached(app);
  if (rest.empty() && misses && at.get_subcommands().empty() &&
      at.get_require_subcommand_min() > 0) {
    return "a command is missing: " + absl::StrJoin(KnownAt(at, ""), ", ");
  }
  if (rest.empty() || (!misses && !is_surplus)) return error.what();
  const std::string place = PlaceOf(app, rest);
  return place.empty() ? "there is no '" + rest.front() + "'" + HintAt(app, rest.front()) : place;
}

// What the program says of itself for others, from the options that it has declared.
void AddDescriptions(CLI::App& app) {
  const auto print = [](const std::string& text) { throw CLI::CallForVersion(text, 0); };
  app.add_flag_function(
      "--manual", [&app, print](std::int64_t) { print(ManualPage(app)); },
      "Print the manual page, for man");
  app.add_option_function<std::string>(
         "--completion", [&app, print](const std::string& shell) { print(Completion(app, shell)); },
         "Print the script by which this shell completes commands and options")
      ->check(CLI::IsMember(CompletionShells()));
}

}  // namespace

std::vector<std::string> NormaliseArguments(int argc, const char* const* argv) {
  std::vector<std::string> result;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--") {
      result.insert(result.end(), argv + i, argv + argc);
      break;
    }
    if (IsNegativeNumber(argument) && !result.empty() && IsLongWithoutValue(result.back())) {
      result.back() += "=" + argument;
      continue;
    }
    if (IsSingleDashLong(argument)) argument.insert(0, "-");
    result.push_back(std::move(argument));
  }
  return result;
}

std::optional<int> ParseCommandLine(CLI::App& app, int argc, const char* const* argv) {
  const BuildInfo build = GetBuildInfo();
  app.set_version_flag("--version", app.get_name() + " " + std::string(build.version) + " (" +
                                        std::string(build.commit) + ", " +
                                        std::string(build.compiler) + ")");
  AddDescriptions(app);
  TakeOneWordEach(app);
  try {
    std::vector<std::string> arguments = NormaliseArguments(argc, argv);
    const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
    std::transform(dashes, arguments.end(), dashes, Protect);
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    app.parse(std::move(arguments));
  } catch (const CLI::Success& done) {
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    const Status status = absl::InvalidArgumentError(What(app, error) + " (try --help)");
    std::cerr << Complaint(app.get_name(), status, ComplaintFormOf(argc, argv)) << std::flush;
    return kExitUsage;
  }
  return std::nullopt;
}

int UsageError(const CLI::App& app, const std::string& message) {
  std::cerr << app.get_name() << ": " << message << std::endl;
  return kExitUsage;
}

CLI::Option* AddWords(CLI::App& app, const std::string& name, std::vector<std::string>& words,
                      const std::string& help) {
  const CLI::callback_t take = [&words](const CLI::results_t& given) {
    words = given;
    return true;
  };
  return app.add_option(name, take, help)->expected(CLI::detail::expected_max_vector_size);
}

CLI::Validator Seconds(double least, double most) {
  const auto check = [least, most](std::string& text) -> std::string {
    const auto time = ParseTime(text);
    const double seconds = time.ok() ? ToSeconds(*time) : -1;
    if (time.ok() && seconds >= least && seconds <= most) {
      text = NumberText(seconds);
      return {};
    }
    return "'" + text + "' is not a number of seconds from " + NumberText(least) + " to " +
           NumberText(most) + ", nor a time such as 300ms or 1h30m";
  };
  return {check, "SECONDS", "seconds"};
}

CLI::Validator WholeNumber(long long least, long long most) {
  const auto check = [least, most](const std::string& text) -> std::string {
    const std::optional<long long> value = ParseNumber<long long>(text);
    if (value && *value >= least && *value <= most) return {};
    return "'" + text + "' is not a whole number from " + std::to_string(least) + " to " +
           std::to_string(most);
  };
  return {check, "N", "whole number"};
}

std::string CheckQueueName(const std::string& name) {
  const auto allowed = [](char c) { return IsAlnum(c) || c == '-' || c == '_' || c == '.'; };
  if (!name.empty() && name.size() <= 63 && IsAlnum(name.front()) && IsAlnum(name.back()) &&
      std::all_of(name.begin(), name.end(), allowed)) {
    return {};
  }
  return "'" + name.substr(0, 80) +
         "' is not a queue name: 1 to 63 letters, digits, '-', '_' or '.', beginning and ending "
         "with a letter or digit";
}

CLI::Validator ListenAddress() {
  const auto check = [](const std::string& text) {
    return std::string(ParseAddress(text).status().message());
  };
  return {check, "HOST:PORT", "address"};
}

CLI::Validator RemoteAddress() {
  const auto check = [](const std::string& text) -> std::string {
    const Result<HostPort> address = ParseAddress(text);
    if (address.ok() && !address->host.empty() && address->port != 0) return {};
    return "'" + Printable(text, 80) + "' is not HOST:PORT with a port from 1 to 65535";
  };
  return {check, "HOST:PORT", "address"};
}

CLI::Validator QueueName() {
  return {[](const std::string& name) { return CheckQueueName(name); }, "QUEUE", "queue name"};
}

CLI::Validator QueueOrShard() {
  const auto check = [](const std::string& name) -> std::string {
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos) return CheckQueueName(name);
    const auto number = ParseNumber<long long>(name.substr(slash + 1));
    if (number && *number >= 0 && *number < kMostShards) {
      return CheckQueueName(name.substr(0, slash));
    }
    return "'" + Printable(name, 80) + "' is no shard of a queue: QUEUE/0 to QUEUE/" +
           std::to_string(kMostShards - 1);
  };
  return {check, "QUEUE[/SHARD]", "queue or shard"};
}

}  // namespace twofold
