#include "lib/common/completion.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>

#include <algorithm>
#include <map>

#include "lib/common/command_tree.h"

namespace twofold {
namespace {

/// A word that can come next.
struct Offer {
  std::string word;
  std::string help;
};

std::vector<Offer> OffersOf(const CLI::App& command) {
  std::vector<Offer> offers;
  for (const CLI::App* below : SubcommandsOf(command)) {
    offers.push_back({below->get_name(), FirstLine(below->get_description())});
  }
  for (const CLI::Option* option : OptionsOf(command)) {
    for (const std::string& name : NamesOf(*option)) {
      offers.push_back({name, FirstLine(option->get_description())});
    }
  }
  return offers;
}

std::string Words(const std::vector<Offer>& offers) {
  const auto append = [](std::string* text, const Offer& offer) { text->append(offer.word); };
  return absl::StrJoin(offers, " ", append);
}

// In single quotes, for bash and zsh.
std::string Quoted(const std::string& text) {
  return "'" + absl::StrReplaceAll(text, {{"'", "'\\''"}}) + "'";
}

// What the values of options may be ("" = anything), and of which: 'local up --output'.
std::map<std::string, std::vector<std::string>> OptionsByChoices(
    const std::vector<CommandNode>& commands) {
  std::map<std::string, std::vector<std::string>> options;
  for (const CommandNode& node : commands) {
    for (const CLI::Option* option : OptionsOf(*node.app)) {
      if (!TakesValue(*option)) continue;
      std::vector<std::string>& same = options[absl::StrJoin(ChoicesOf(*option), " ")];
      for (const std::string& name : NamesOf(*option)) {
        same.push_back(Quoted(absl::StrCat(node.words, " ", name)));
      }
    }
  }
  std::erase_if(options, [](const auto& each) { return each.second.empty(); });
  return options;
}

std::string FunctionOf(const CLI::App& program) {
  return "_" + absl::StrReplaceAll(program.get_name(), {{"-", "_"}});
}

// "'local'|'local up'": the ways to the commands, as a pattern of `case`.
std::string Ways(const std::vector<CommandNode>& commands) {
  std::vector<std::string> ways;
  for (const CommandNode& node : commands) {
    if (!node.words.empty()) ways.push_back(Quoted(node.words));
  }
  return ways.empty() ? "''" : absl::StrJoin(ways, "|");
}

// Rows of `case "$at $before"`: the values of the option before the cursor.
std::string ValueRows(const std::vector<CommandNode>& commands, std::string_view then) {
  std::string rows;
  for (const auto& [choices, options] : OptionsByChoices(commands)) {
    const std::string row = absl::StrReplaceAll(std::string(then), {{"@", choices}});
    absl::StrAppend(&rows, "    ", absl::StrJoin(options, "|"), ") ", row, " ;;\n");
  }
  return rows;
}

constexpr std::string_view kBash =
    R"(# Completion of @name@ for bash, made by `@name@ --completion bash`.
@function@() {
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} at='' words='' word
  COMPREPLY=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [ "$word" != -- ] || return 0
    case "${at:+$at }$word" in
      @ways@) at=${at:+$at }$word ;;
    esac
  done
  case "$at $before" in
@values@  esac
  case "$at" in
@offers@  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o bashdefault -o default -F @function@ @name@
)";

std::string Bash(const CLI::App& program) {
  const std::vector<CommandNode> commands = CommandsOf(program);
  std::string offers;
  for (const CommandNode& node : commands) {
    absl::StrAppend(&offers, "    ", Quoted(node.words),
                    ") words=", Quoted(Words(OffersOf(*node.app))), " ;;\n");
  }
  const std::string values =
      ValueRows(commands, "mapfile -t COMPREPLY < <(compgen -W '@' -- \"$current\"); return");
  return absl::StrReplaceAll(std::string(kBash), {{"@name@", program.get_name()},
                                                  {"@function@", FunctionOf(program)},
                                                  {"@ways@", Ways(commands)},
                                                  {"@values@", values},
                                                  {"@offers@", offers}});
}

constexpr std::string_view kZsh = R"(#compdef @name@
# Completion of @name@ for zsh, made by `@name@ --completion zsh`.
@function@() {
  local at='' word
  local -a offers
  for word in "${(@)words[2,CURRENT-1]}"; do
    [[ "$word" == -- ]] && { _files; return; }
    case "${at:+$at }$word" in
      (@ways@) at=${at:+$at }$word ;;
    esac
  done
  case "$at ${words[CURRENT-1]}" in
@values@  esac
  case "$at" in
@offers@  esac
  _describe -o '@name@' offers || _files
}
if [ "$funcstack[1]" = '@function@' ]; then @function@ "$@"; else compdef @function@ @name@; fi
)";

// "WORD:HELP" of _describe, in which a colon ends the word.
std::string Described(const Offer& offer) {
  return Quoted(absl::StrCat(absl::StrReplaceAll(offer.word, {{":", "\\:"}}), ":", offer.help));
}

std::string Zsh(const CLI::App& program) {
  const std::vector<CommandNode> commands = CommandsOf(program);
  std::string offers;
  for (const CommandNode& node : commands) {
    absl::StrAppend(&offers, "    (", Quoted(node.words), ") offers=(\n");
    for (const Offer& offer : OffersOf(*node.app)) {
      absl::StrAppend(&offers, "      ", Described(offer), "\n");
    }
    absl::StrAppend(&offers, "    ) ;;\n");
  }
  const std::string values =
      ValueRows(commands, "offers=(@); (( $#offers )) && _describe value offers || _files; return");
  return absl::StrReplaceAll(std::string(kZsh), {{"@name@", program.get_name()},
                                                 {"@function@", FunctionOf(program)},
                                                 {"@ways@", Ways(commands)},
                                                 {"@values@", values},
                                                 {"@offers@", offers}});
}

constexpr std::string_view kFish =
    R"(# Completion of @name@ for fish, made by `@name@ --completion fish`.
function _@function@_at
  set -l at
  for word in (commandline -opc)[2..-1]
    test "$word" = --; and return 1
    if contains -- (string join -- ' ' $at $word) @ways@
      set at $at $word
    end
  end
  test "$at" = "$argv"
end
)";

// Fish has but two escapes in single quotes.
std::string FishQuoted(const std::string& text) {
  return "'" + absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}}) + "'";
}

// What follows -l or -s of an option that takes a value.
std::string FishValue(const CLI::Option& option) {
  if (!TakesValue(option)) return "";
  const std::string choices = absl::StrJoin(ChoicesOf(option), " ");
  return choices.empty() ? " -r" : " -x -a " + FishQuoted(choices);
}

std::string FishRows(const CLI::App& command, const std::string& start) {
  std::string rows;
  for (const CLI::App* below : SubcommandsOf(command)) {
    absl::StrAppend(&rows, start, " -f -a ", below->get_name(), " -d ",
                    FishQuoted(FirstLine(below->get_description())), "\n");
  }
  for (const CLI::Option* option : OptionsOf(command)) {
    if (NamesOf(*option).empty()) continue;
    absl::StrAppend(&rows, start);
    for (const std::string& name : option->get_lnames()) absl::StrAppend(&rows, " -l ", name);
    for (const std::string& name : option->get_snames()) absl::StrAppend(&rows, " -s ", name);
    absl::StrAppend(&rows, FishValue(*option), " -d ",
                    FishQuoted(FirstLine(option->get_description())), "\n");
  }
  return rows;
}

std::string Fish(const CLI::App& program) {
  const std::vector<CommandNode> commands = CommandsOf(program);
  const std::string ways = absl::StrReplaceAll(Ways(commands), {{"|", " "}});
  std::string script = absl::StrReplaceAll(
      std::string(kFish),
      {{"@name@", program.get_name()}, {"@function@", FunctionOf(program)}, {"@ways@", ways}});
  for (const CommandNode& node : commands) {
    const std::string at = absl::StrCat("_", FunctionOf(program), "_at ", node.words);
    absl::StrAppend(&script, FishRows(*node.app, absl::StrCat("complete -c ", program.get_name(),
                                                              " -n ", FishQuoted(at))));
  }
  return script;
}

struct ShellRow {
  std::string_view name;
  std::string (*script)(const CLI::App&);
};

constexpr ShellRow kShells[] = {{"bash", Bash}, {"zsh", Zsh}, {"fish", Fish}};

}  // namespace

std::vector<std::string> CompletionShells() {
  std::vector<std::string> names;
  for (const ShellRow& row : kShells) names.emplace_back(row.name);
  return names;
}

std::string Completion(const CLI::App& program, std::string_view shell) {
  const auto* const row = std::find_if(std::begin(kShells), std::end(kShells),
                                       [&](const ShellRow& each) { return each.name == shell; });
  return row->script(program);
}

}  // namespace twofold
