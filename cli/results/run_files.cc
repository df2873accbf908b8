// Runs from one file to another: `twofold results export` and `import`.

#include <absl/strings/str_cat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/queues/frontend.h"
#include "cli/results/result_commands.h"
#include "lib/results/run_copy.h"
#include "lib/results/store_files.h"
#include "lib/show/table.h"
#include "twofold/v1/runs.grpc.pb.h"

namespace twofold::cli {
namespace {

constexpr Duration kExportLimit = std::chrono::minutes(30);

struct CopyOptions {
  std::string run;
  std::string file;
  std::string store;
};

void PrintCopied(const Globals& globals, const std::string& run, const std::string& file,
                 const results::CopiedRun& copied) {
  if (globals.json()) {
    std::cout << show::Line(
        {{"run", run}, {"file", file}, {"jobs", copied.jobs}, {"unfinished", copied.unfinished}});
    return;
  }
  std::cout << "run " << run << ": " << copied.jobs << " jobs copied to " << file << "\n";
  if (copied.unfinished > 0) {
    std::cout << copied.unfinished << " jobs have not ended and were left out\n";
  }
}

/// Makes `file` of what `fill` writes to another one, or leaves no trace.
template <typename Fill>
Status MakeFile(const std::string& file, const Fill& fill) {
  if (std::filesystem::exists(file)) {
    return absl::FailedPreconditionError(absl::StrCat("FILE: ", file, " is there already"));
  }
  const std::string part = file + ".part";
  const Status status = fill(part);
  std::error_code error;
  if (status.ok()) std::filesystem::rename(part, file, error);
  for (const char* rest : {"", "-wal", "-shm", ".lock"}) {
    std::error_code ignored;
    std::filesystem::remove(part + rest, ignored);
  }
  if (error) return absl::UnavailableError(absl::StrCat("FILE: ", file, ": ", error.message()));
  return status;
}

Status ExportFromFile(const CopyOptions& options, const Globals& globals) {
  const auto from = results::RunReader::Open(options.store);
  if (!from.ok()) return from.status();
  return MakeFile(options.file, [&](const std::string& part) -> Status {
    const auto store = results::SqliteStore::Open(part);
    if (!store.ok()) return store.status();
    const auto copied = CopyRun(**from, options.run, **store);
    if (copied.ok()) PrintCopied(globals, options.run, options.file, *copied);
    return copied.status();
  });
}

Status ExportFromFrontend(const CopyOptions& options, const Globals& globals) {
  v1::ExportRunRequest request;
  request.set_id(options.run);
  return MakeFile(options.file, [&](const std::string& part) -> Status {
    if (const auto made = results::OpenPrivate(part); !made.ok()) return made.status();
    std::ofstream file(part, std::ios::binary);
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
    PrintCopied(globals, options.run, options.file, copied);
    return absl::OkStatus();
  });
}

Status Export(const CopyOptions& options, const Globals& globals) {
  return options.store.empty() ? ExportFromFrontend(options, globals)
                               : ExportFromFile(options, globals);
}

/// The ids of all runs in a file.
Result<std::vector<std::string>> RunsOf(const results::RunReader& reader) {
  std::vector<std::string> ids;
  v1::ListRunsRequest request;
  do {
    const auto page = reader.List(request);
    if (!page.ok()) return page.status();
    for (const v1::Run& run : page->runs()) ids.push_back(run.id());
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty());
  return ids;
}

Status Import(const CopyOptions& options, const Globals& globals) {
  const auto from = results::RunReader::Open(options.file);
  if (!from.ok()) return from.status();
  const auto runs = RunsOf(**from);
  if (!runs.ok()) return runs.status();
  if (runs->empty())
    return absl::NotFoundError(absl::StrCat("FILE: ", options.file, " has no run"));
  const auto to = results::SqliteStore::Open(options.store);
  if (!to.ok()) return to.status();
  Status first_error;
  for (const std::string& run : *runs) {
    const auto copied = CopyRun(**from, run, **to);
    if (copied.ok()) PrintCopied(globals, run, options.store, *copied);
    first_error.Update(copied.status());
  }
  return first_error;
}

}  // namespace

Action BindExport(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<CopyOptions>();
  app.add_option("RUN", options->run, "Id of the run")->required();
  app.add_option("FILE", options->file, "The file to make: a store with this run alone")
      ->required();
  app.add_option("--store", options->store,
                 "A file that has the run; a frontend may be using it. Else the frontend sends it")
      ->type_name("FILE");
  return [options, &globals] { return Export(*options, globals); };
}

Action BindImport(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<CopyOptions>();
  app.add_option("FILE", options->file, "Copy all runs of this file")->required();
  app.add_option("--store", options->store,
                 "The file to copy to, created if missing; no frontend may be using it")
      ->type_name("FILE")
      ->required();
  return [options, &globals] { return Import(*options, globals); };
}

}  // namespace twofold::cli
