#include "cli/store/store.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <CLI/App.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command/command.h"
#include "cli/command/live_line.h"
#include "cli/command/signals.h"
#include "lib/common/time_left.h"
#include "lib/results/store_copy.h"
#include "lib/show/message.h"
#include "lib/show/table.h"

namespace twofold::cli {
namespace {

// A rate of less time than this says nothing.
constexpr Duration kFirstRate = std::chrono::milliseconds(500);
constexpr Duration kBetweenUpdates = std::chrono::milliseconds(200);  // on a terminal
constexpr Duration kBetweenLines = std::chrono::seconds(5);           // elsewhere

struct CopyStoreOptions {
  std::string from;
  std::string to;
};

/// Shows how far a copy is, and ends it when a signal has come.
class CopyWatch {
 public:
  Status Look(const results::CopyProgress& progress) {
    if (signals_.Take() != 0) return absl::CancelledError("interrupted");
    const Instant now = Now();
    // Counting rows before the first phase, and the commit between both, are no part of them.
    if (progress.phase != phase_) {
      phase_ = progress.phase;
      begun_ = now;
    }
    if (now < next_) return absl::OkStatus();
    next_ = now + (line_.terminal() ? kBetweenUpdates : kBetweenLines);
    const std::string text = ProgressText(progress, now - begun_);
    line_.terminal() ? line_.Replace(text.substr(0, LiveLine::Width())) : line_.Note(text);
    return absl::OkStatus();
  }

 private:
  const AwaitedSignals signals_;
  LiveLine line_;
  std::optional<results::CopyProgress::Phase> phase_;
  Instant begun_;
  Instant next_ = Now() + kBetweenUpdates;
};

const show::Columns kCopiedColumns = {{"TABLE", "table"},
                                      {"ROWS OF FROM", "from.rows"},
                                      {"ROWS OF TO", "to.rows"},
                                      {"CONTENT OF FROM", "from.digest"},
                                      {"CONTENT OF TO", "to.digest"},
                                      {"SAME", "same"},
                                      {.heading = "REPLACED", .path = "replaced", .if_any = true}};

Json SideOf(const results::RowDigest& side) {
  return {{"rows", side.rows()}, {"digest", side.Hex()}};
}

Json TablesOf(const results::CopiedStore& copied) {
  Json tables = Json::array();
  for (const results::CopiedTable& table : copied.tables) {
    tables.push_back({{"table", table.name},
                      {"from", SideOf(table.from)},
                      {"to", SideOf(table.to)},
                      {"same", table.same()},
                      {"replaced", table.replaced}});
  }
  return tables;
}

/// What a person should know beside the table.
std::string NoteOn(const results::CopiedStore& copied, const std::string& from,
                   const std::string& to) {
  std::string note = copied.same() ? absl::StrCat(copied.rows(), " rows of ", from, " are in ", to,
                                                  ", and are the same there\n")
                                   : absl::StrCat("none of ", copied.rows(), " rows of ", from,
                                                  " is in ", to, "\n");
  if (copied.replaced() == 0) return note;
  return absl::StrCat(note, copied.replaced(),
                      " texts have a NUL or bytes that are not UTF-8, which PostgreSQL cannot "
                      "store: it has U+FFFD in their places, and was compared with that\n");
}

void PrintCopiedStore(const results::CopiedStore& copied, const std::string& from,
                      const std::string& to, const Globals& globals) {
  if (globals.json()) {
    std::cout << show::Line({{"from", from},
                             {"to", to},
                             {"rows", copied.rows()},
                             {"same", copied.same()},
                             {"replaced", copied.replaced()},
                             {"tables", TablesOf(copied)}});
    return;
  }
  std::cout << show::Print(show::Form::kText, kCopiedColumns, TablesOf(copied))
            << NoteOn(copied, from, to);
}

Result<std::unique_ptr<results::StoreEnd>> OpenNamed(const std::string& text, const char* option,
                                                     results::Use use) {
  const auto address = results::ParseStoreAddress(text, option, results::Bare::kPath);
  if (!address.ok()) return address.status();
  auto end = results::OpenEnd(*address, use);
  if (end.ok()) return end;
  return Status(end.status().code(),
                absl::StrCat(option, ": ", std::string(end.status().message())));
}

Status CopyAll(const CopyStoreOptions& options, const Globals& globals) {
  const auto from = OpenNamed(options.from, "FROM", results::Use::kRead);
  if (!from.ok()) return from.status();
  const auto to = OpenNamed(options.to, "TO", results::Use::kWrite);
  if (!to.ok()) return to.status();
  Result<results::CopiedStore> copied = absl::UnknownError("");
  {
    CopyWatch watch;
    copied = CopyStore(**from, **to, [&](const auto& progress) { return watch.Look(progress); });
  }
  if (!copied.ok()) return copied.status();
  PrintCopiedStore(*copied, (*from)->name(), (*to)->name(), globals);
  return StatusOfCopy(*copied, (*to)->name());
}

Action BindStoreCopy(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<CopyStoreOptions>();
  constexpr const char* kAddress = "sqlite:PATH|postgresql://...|file:PATH";
  app.add_option("FROM", options->from,
                 "The store to copy, which no frontend may be using; file:PATH: that whose "
                 "address, with a password, stands in PATH")
      ->type_name(kAddress)
      ->required();
  app.add_option("TO", options->to,
                 "Where to: made if it is not there, else empty. It has all of FROM in the end, or "
                 "nothing, and is compared with it row by row")
      ->type_name(kAddress)
      ->required();
  return [options, &globals] { return CopyAll(*options, globals); };
}

}  // namespace

Status StatusOfCopy(const results::CopiedStore& copied, const std::string& to) {
  if (copied.same()) return absl::OkStatus();
  std::string differ;
  for (const results::CopiedTable& table : copied.tables) {
    if (!table.same()) absl::StrAppend(&differ, differ.empty() ? "" : ", ", table.name);
  }
  return absl::InternalError(
      absl::StrCat("TO: ", to, " would differ from FROM in ", differ, ", so nothing was copied"));
}

std::string ProgressText(const results::CopyProgress& progress, Duration since) {
  using Phase = results::CopyProgress::Phase;
  const auto done = static_cast<double>(progress.done);
  const auto all = static_cast<double>(progress.all);
  std::string text = absl::StrFormat("%s %s: %d of %d rows (%.0f %%)",
                                     progress.phase == Phase::kCopying ? "copying" : "verifying",
                                     progress.table, progress.done, progress.all, 100 * done / all);
  if (since < kFirstRate) return text;
  const double rate = done / ToSeconds(since);
  absl::StrAppendFormat(&text, ", %.0f rows/s, ", rate);
  absl::StrAppend(&text, TimeLeftText(FromSeconds((all - done) / rate)), " left");
  return text;
}

std::vector<Command> StoreCommands() {
  return {{.name = "store copy",
           .help = "All of a store into an empty one, from engine to engine, and compare them",
           .example = "twofold store copy sqlite:jobs.db postgresql://twofold@db.example/jobs\n"
                      "twofold store copy file:/run/secrets/store sqlite:jobs.db",
           .bind = BindStoreCopy,
           .prints = Prints::kText,
           .asks_frontend = false,
           .exits = {kExitNotFound, kExitNoAnswer, kExitRefused, kExitCutShort}}};
}

}  // namespace twofold::cli
