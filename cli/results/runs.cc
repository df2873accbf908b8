#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "cli/command/command.h"
#include "cli/queues/call.h"
#include "cli/queues/field.h"
#include "cli/results/results.h"
#include "lib/common/counted.h"
#include "lib/common/file.h"
#include "lib/common/options.h"
#include "lib/results/run_copy.h"
#include "lib/results/store_files.h"
#include "lib/show/message.h"
#include "lib/show/table.h"
#include "twofold/v1/runs.grpc.pb.h"

namespace twofold::cli {
namespace {

// ---- runs

struct RunsOptions {
  results::StoreOptions store;
  std::size_t most = 50;
};

// Each job is in one of the numbers.
const show::Columns kRunColumns = {
    {"RUN", "id"},
    {"KIND", "kind"},
    {"STATE", "state"},
    {.heading = "JOBS",
     .path = "counts.planned+counts.waiting+counts.running+counts.ended",
     .name = "jobs"},
    {"PLANNED", "counts.planned"},
    {"WAITING", "counts.waiting"},
    {"RUNNING", "counts.running"},
    {"SUCCEEDED", "counts.succeeded"},
    {"FAILED", "counts.failed"},
    {"WITHDRAWN", "counts.withdrawn"},
    {"BEGUN (UTC)", "created_unix_seconds"},
    {"ENDED (UTC)", "ended_unix_seconds"},
};

/// Of a RunSource or a RunReader; the newest come first.
template <typename Source>
Result<std::vector<v1::Run>> ListAll(Source& source, std::size_t most) {
  std::vector<v1::Run> runs;
  v1::ListRunsRequest request;
  do {
    request.set_page_size(
        static_cast<std::uint32_t>(std::min<std::size_t>(most - runs.size(), 200)));
    auto reply = source.List(request);
    if (!reply.ok()) return reply.status();
    runs.insert(runs.end(), reply->runs().begin(), reply->runs().end());
    request.set_page_token(reply->next_page_token());
  } while (!request.page_token().empty() && runs.size() < most);
  return runs;
}

Status PrintRuns(const Globals& globals, const RunsOptions& options) {
  auto source = OpenRuns(globals, options.store);
  if (!source.ok()) return source.status();
  const auto all = ListAll(**source, options.most);
  if (!all.ok()) return all.status();
  std::cout << show::Print(globals.form, kRunColumns, show::ListOf(*all));
  return absl::OkStatus();
}

Action BindRuns(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<RunsOptions>();
  DeclareStore(app, options->store);
  AddOption(app, "--most", options->most, WholeNumber(1, 1'000'000),
            "How many at most; the newest come first");
  return [options, &globals] { return PrintRuns(globals, *options); };
}

// ---- cancel

// Of a run with a million jobs.
constexpr Duration kCancelLimit = std::chrono::minutes(2);

Action BindCancel(CLI::App& app, const Globals& globals) {
  auto request = std::make_shared<v1::CancelRunRequest>();
  AddField(app, "RUN", *request, &v1::CancelRunRequest::set_id, "Id of the run")->required();
  return [request, &globals]() -> Status {
    const auto reply = Frontend(globals).CancelRun(*request, kCancelLimit);
    if (!reply.ok()) return reply.status();
    if (globals.json()) {
      std::cout << show::Line({{"run", request->id()}, {"cancelled", reply->cancelled()}});
    } else {
      std::cout << "run " << request->id() << ": " << Counted(reply->cancelled(), "job")
                << " cancelled\n";
    }
    return absl::OkStatus();
  };
}

// ---- run delete

constexpr Duration kDeleteLimit = std::chrono::minutes(10);

Action BindDelete(CLI::App& app, const Globals& globals) {
  auto request = std::make_shared<v1::DeleteRunRequest>();
  AddField(app, "RUN", *request, &v1::DeleteRunRequest::set_id, "Id of the run")->required();
  return [request, &globals]() -> Status {
    const auto reply =
        Frontend(globals).Call<v1::Results>(&v1::Results::Stub::DeleteRun, *request, kDeleteLimit);
    if (!reply.ok()) return reply.status();
    if (globals.json()) {
      std::cout << show::Line({{"run", request->id()}, {"jobs", reply->jobs()}});
    } else {
      std::cout << "run " << request->id() << ": deleted with " << Counted(reply->jobs(), "job")
                << "\n";
    }
    return absl::OkStatus();
  };
}

// ---- export, import

constexpr Duration kExportLimit = std::chrono::minutes(30);

struct CopyOptions {
  std::string run;
  std::string file;
  results::StoreOptions store;
};

void PrintCopied(const Globals& globals, const std::string& run, const std::string& file,
                 const results::CopiedRun& copied) {
  if (globals.json()) {
    std::cout << show::Line(
        {{"run", run}, {"file", file}, {"jobs", copied.jobs}, {"unfinished", copied.unfinished}});
    return;
  }
  std::cout << "run " << run << ": " << Counted(copied.jobs, "job") << " copied to " << file
            << "\n";
  if (copied.unfinished > 0) {
    std::cout << "left out, as they have not ended: " << Counted(copied.unfinished, "job") << "\n";
  }
}

/// RUN as an id.
Status Resolve(CopyOptions& options, const Globals& globals) {
  const auto source = OpenRuns(globals, options.store);
  if (!source.ok()) return source.status();
  const auto run = ResolveRun(**source, options.run);
  if (run.ok()) options.run = *run;
  return run.status();
}

Result<results::CopiedRun> CopyFromStore(const CopyOptions& options, const std::string& part) {
  const auto address = results::ParseStoreAddress(options.store, results::Bare::kPath);
  if (!address.ok()) return address.status();
  const auto from = results::RunReader::Open(*address);
  if (!from.ok()) return from.status();
  const auto store = results::SqliteStore::Open(part);
  if (!store.ok()) return store.status();
  return CopyRun(**from, options.run, **store);
}

Result<results::CopiedRun> CopyFromFrontend(const Globals& globals, const std::string& run,
                                            const std::string& part) {
  if (const auto made = results::OpenPrivate(part); !made.ok()) return made.status();
  std::ofstream file(part, std::ios::binary);
  v1::ExportRunRequest request;
  request.set_id(run);
  results::CopiedRun copied;
  const Status status =
      Frontend(globals).Read<v1::Results>(&v1::Results::Stub::ExportRun, request, kExportLimit,
                                          std::function([&](const v1::ExportPiece& piece) {
                                            copied.jobs += piece.jobs();
                                            copied.unfinished += piece.unfinished();
                                            file << piece.data();
                                          }));
  if (!status.ok()) return status;
  file.close();
  if (!file) return absl::ErrnoToStatus(errno, "FILE: " + part);
  return copied;
}

/// Makes the file of a part that is filled first, or leaves no trace.
Status Export(const CopyOptions& options, const Globals& globals) {
  if (std::filesystem::exists(options.file)) {
    return absl::FailedPreconditionError(absl::StrCat("FILE: ", options.file, " is there already"));
  }
  if (const Status status = CheckWritable(options.file); !status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("FILE: ", std::string(status.message())));
  }
  const std::string part = options.file + ".part";
  const auto copied = options.store.is_given() ? CopyFromStore(options, part)
                                               : CopyFromFrontend(globals, options.run, part);
  std::error_code error;
  if (copied.ok()) std::filesystem::rename(part, options.file, error);
  for (const char* rest : {"", "-wal", "-shm", ".lock"}) {
    std::error_code ignored;
    std::filesystem::remove(part + rest, ignored);
  }
  if (!copied.ok()) return copied.status();
  if (error) {
    return absl::InvalidArgumentError(absl::StrCat("FILE: ", options.file, ": ", error.message()));
  }
  PrintCopied(globals, options.run, options.file, *copied);
  return absl::OkStatus();
}

Status Import(const CopyOptions& options, const Globals& globals) {
  const auto store = results::ParseStoreFile(options.store.store, "--store");
  if (!store.ok()) return store.status();
  const auto from = results::RunReader::Open(options.file);
  if (!from.ok()) return from.status();
  const auto runs = ListAll(**from, std::numeric_limits<std::size_t>::max());
  if (!runs.ok()) return runs.status();
  if (runs->empty())
    return absl::NotFoundError(absl::StrCat("FILE: ", options.file, " has no run"));
  const auto to = results::SqliteStore::Open(*store);
  if (!to.ok()) return to.status();
  Status first_error;
  for (const v1::Run& run : *runs) {
    const auto copied = CopyRun(**from, run.id(), **to);
    if (copied.ok()) PrintCopied(globals, run.id(), *store, *copied);
    first_error.Update(copied.status());
  }
  return first_error;
}

Action BindExport(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<CopyOptions>();
  app.add_option("RUN", options->run, "Id of the run, or @last: the newest")->required();
  app.add_option("FILE", options->file, "The file to make: a store with this run alone")
      ->required();
  DeclareStore(app, options->store);
  return [options, &globals]() -> Status {
    if (const Status status = Resolve(*options, globals); !status.ok()) return status;
    return Export(*options, globals);
  };
}

Action BindImport(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<CopyOptions>();
  app.add_option("FILE", options->file, "Copy all runs of this file")->required();
  app.add_option("--store", options->store.store,
                 "The file to copy to, created if missing; no frontend may be using it")
      ->type_name("FILE")
      ->required();
  return [options, &globals] { return Import(*options, globals); };
}

}  // namespace

std::vector<Command> ResultCommands() {
  return {
      {"runs", "Runs of a frontend or a store, and how far they are", "twofold runs --most 10",
       BindRuns, Prints::kTable},
      {"results", "What a run has measured: a row for each permutation and headline",
       "twofold results nightly --store results.db --csv", BindResults, Prints::kTable},
      {"results export", "One run as a file of its own",
       "twofold results export nightly nightly.db", BindExport},
      {"results import", "The runs of a file into another one",
       "twofold results import nightly.db --store all.db", BindImport, Prints::kText, false},
      {"compare",
       "Two runs, permutation by permutation: the ratio of their headlines",
       "twofold compare before after",
       BindCompare,
       Prints::kTable,
       true,
       {kExitNotFound, kExitNoAnswer, kExitRefused, kExitUndecided}},
      {"cancel", "End all jobs of a run", "twofold cancel nightly", BindCancel},
      {"run delete", "Delete a run that has ended, with its jobs and all that they have measured",
       "twofold run delete nightly", BindDelete},
  };
}

}  // namespace twofold::cli
