#include "lib/common/options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iostream>
#include <string_view>

#include "lib/common/address.h"
#include "lib/common/printable.h"
#include "lib/common/program.h"

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

// The whole of `text` as a number; nullopt if it is not one.
template <typename Number>
std::optional<Number> ParseNumber(const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// CLI11 misses a required subcommand before it looks at what is there in its place.
std::string What(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> rest = app.remaining(true);
  const bool misses = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (misses && !rest.empty()) return "there is no '" + rest.front() + "'";
  return error.what();
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
  try {
    std::vector<std::string> arguments = NormaliseArguments(argc, argv);
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    app.parse(std::move(arguments));
  } catch (const CLI::Success& done) {
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    return UsageError(app, What(app, error) + " (try --help)");
  }
  return std::nullopt;
}

int UsageError(const CLI::App& app, const std::string& message) {
  std::cerr << app.get_name() << ": " << message << std::endl;
  return kExitUsage;
}

CLI::Validator Seconds(double least, double most) {
  const auto check = [least, most](const std::string& text) -> std::string {
    const std::optional<double> value = ParseNumber<double>(text);
    if (value && std::isfinite(*value) && *value >= least && *value <= most) return {};
    return "'" + text + "' is not a number of seconds from " + NumberText(least) + " to " +
           NumberText(most);
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

}  // namespace twofold
