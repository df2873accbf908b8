#include "lib/common/manual.h"

#include <CLI/CLI.hpp>  // all of it, once for all others
#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/str_split.h>

#include <map>
#include <utility>
#include <vector>

#include "lib/common/command_tree.h"
#include "lib/common/program.h"

namespace twofold {
namespace {

// Text is never taken for a request, and its hyphens can be copied to a shell.
std::string Escaped(const std::string& text) {
  std::string page = absl::StrReplaceAll(text, {{"\\", "\\e"}, {"-", "\\-"}});
  page = absl::StrReplaceAll(page, {{"\n.", "\n\\&."}, {"\n'", "\n\\&'"}});
  return page.starts_with('.') || page.starts_with('\'') ? "\\&" + page : page;
}

// A macro's argument.
std::string MacroArgument(const std::string& text) {
  return "\"" + absl::StrReplaceAll(Escaped(text), {{"\"", "\\(dq"}}) + "\"";
}

// Lines as they are, such as examples; "" for none.
std::string Verbatim(const std::string& text) {
  const std::string lines(absl::StripAsciiWhitespace(text));
  return lines.empty() ? "" : absl::StrCat(".PP\n.nf\n", Escaped(lines), "\n.fi\n");
}

// An option as --help has it: what is written, and what it means.
using Entry = std::pair<std::string, std::string>;

Entry EntryOf(const CLI::Option& option) {
  const CLI::Formatter help;
  return {help.make_option_name(&option, option.get_positional()) + help.make_option_opts(&option),
          help.make_option_desc(&option)};
}

std::string Text(const Entry& entry) {
  return absl::StrCat(".TP\n.B ", MacroArgument(entry.first), "\n",
                      entry.second.empty() ? "\\&" : Escaped(entry.second), "\n");
}

std::string Usage(const CLI::App& app, const std::string& name) {
  const std::string usage = CLI::Formatter().make_usage(&app, name);
  constexpr std::string_view kLabel = "Usage: ";
  const std::size_t start = usage.find(kLabel);
  return std::string(absl::StripAsciiWhitespace(
      start == std::string::npos ? usage : usage.substr(start + kLabel.size())));
}

// The footer, without what the program's own footer says already.
std::string FooterOf(const CLI::App& app, const CLI::App& program) {
  const std::string footer = app.get_footer();
  return &app == &program ? footer : absl::StrReplaceAll(footer, {{program.get_footer(), ""}});
}

class Page {
 public:
  explicit Page(const CLI::App& program) : program_(program), commands_(CommandsOf(program)) {
    std::size_t leaves = 0;
    for (const CommandNode& node : commands_) {
      if (node.words.empty() || !SubcommandsOf(*node.app).empty()) continue;
      ++leaves;
      for (const CLI::Option* option : OptionsIn(*node.app)) ++uses_[EntryOf(*option)];
    }
    std::erase_if(uses_, [&](const auto& use) { return 2 * use.second <= leaves; });
  }

  [[nodiscard]] std::string Make() const {
    std::string page = Head();
    if (!uses_.empty()) absl::StrAppend(&page, ".SH OPTIONS OF MOST COMMANDS\n", Common());
    if (commands_.size() > 1) absl::StrAppend(&page, ".SH COMMANDS\n");
    for (const CommandNode& node : commands_) {
      if (!node.words.empty()) absl::StrAppend(&page, Section(node));
    }
    absl::StrAppend(&page, ".SH EXAMPLES AND EXIT CODES\n", Verbatim(program_.get_footer()));
    return page;
  }

 private:
  // That a command has --help is said once.
  [[nodiscard]] std::vector<const CLI::Option*> OptionsIn(const CLI::App& app) const {
    std::vector<const CLI::Option*> options = OptionsOf(app);
    if (&app != &program_) std::erase(options, app.get_help_ptr());
    return options;
  }

  [[nodiscard]] std::string Head() const {
    const std::string name = program_.get_name();
    const std::string version(GetBuildInfo().version);
    const std::string about = program_.get_description();
    return absl::StrCat(".TH ", MacroArgument(absl::AsciiStrToUpper(name)), " 1 \"\" ",
                        MacroArgument("Twofold " + version), " \"User Commands\"\n", ".SH NAME\n",
                        Escaped(name), " \\- ", Escaped(FirstLine(about)), "\n.SH SYNOPSIS\n.B ",
                        MacroArgument(Usage(program_, name)), "\n.SH DESCRIPTION\n", Escaped(about),
                        "\n.SH OPTIONS\n", Own(program_));
  }

  [[nodiscard]] std::string Common() const {
    std::string text;
    for (const auto& [entry, count] : uses_) absl::StrAppend(&text, Text(entry));
    return text;
  }

  // The options of its own, then the names of the common ones.
  [[nodiscard]] std::string Own(const CLI::App& app) const {
    std::string text;
    std::vector<std::string> common;
    for (const CLI::Option* option : OptionsIn(app)) {
      const Entry entry = EntryOf(*option);
      if (uses_.count(entry) == 0 || &app == &program_) {
        absl::StrAppend(&text, Text(entry));
      } else {
        common.push_back(option->get_name());
      }
    }
    if (common.empty()) return text;
    return absl::StrCat(text, ".PP\nAnd ", Escaped(absl::StrJoin(common, ", ")), ".\n");
  }

  [[nodiscard]] std::string Section(const CommandNode& node) const {
    const std::string name = program_.get_name() + " " + node.words;
    return absl::StrCat(".SS ", MacroArgument(Usage(*node.app, name)), "\n",
                        Escaped(node.app->get_description()), ".\n", Own(*node.app),
                        Verbatim(FooterOf(*node.app, program_)));
  }

  const CLI::App& program_;
  const std::vector<CommandNode> commands_;
  std::map<Entry, std::size_t> uses_;  // in how many commands an option is; of the common ones
};

}  // namespace

std::string ManualPage(const CLI::App& program) { return Page(program).Make(); }

}  // namespace twofold
