// Runs from one file to another: `twofold results export` and `import`.

#include <absl/strings/str_cat.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands/result_commands.h"
#include "cli/json.h"
#include "lib/results/run_copy.h"

namespace twofold::cli {
namespace {

constexpr std::size_t kRunsAPage = 200;

struct CopyOptions {
  std::string run;
  std::string file;
  std::string store;
};

void PrintCopied(const Globals& globals, const std::string& run, const std::string& file,
                 const results::CopiedRun& copied) {
  if (globals.json) {
    std::cout << JsonLine(
        {{"run", run}, {"file", file}, {"jobs", copied.jobs}, {"unfinished", copied.unfinished}});
    return;
  }
  std::cout << "run " << run << ": " << copied.jobs << " jobs copied to " << file << "\n";
  if (copied.unfinished > 0) {
    std::cout << copied.unfinished << " jobs have not ended and were left out\n";
  }
}

/// Makes `file` of what `fill` writes, or leaves no trace.
template <typename Fill>
Status MakeFile(const std::string& file, const Fill& fill) {
  if (std::filesystem::exists(file)) {
    return absl::FailedPreconditionError(absl::StrCat("FILE: ", file, " is there already"));
  }
  const std::string part = file + ".part";
  Status status;
  {
    const auto store = results::SqliteStore::Open(part);
    status = store.ok() ? fill(**store) : store.status();
  }
  std::error_code error;
  if (status.ok()) std::filesystem::rename(part, file, error);
  for (const char* rest : {"", "-wal", "-shm", ".lock"}) {
    std::error_code ignored;
    std::filesystem::remove(part + rest, ignored);
  }
  if (error) return absl::UnavailableError(absl::StrCat("FILE: ", file, ": ", error.message()));
  return status;
}

Status Export(const CopyOptions& options, const Globals& globals) {
  const auto from = results::RunReader::Open(options.store);
  if (!from.ok()) return from.status();
  return MakeFile(options.file, [&](results::SqliteStore& to) -> Status {
    const auto copied = CopyRun(**from, options.run, to);
    if (copied.ok()) PrintCopied(globals, options.run, options.file, *copied);
    return copied.status();
  });
}

/// The ids of all runs in a file.
Result<std::vector<std::string>> RunsOf(const results::RunReader& reader) {
  std::vector<std::string> ids;
  for (std::int64_t before = 0;;) {
    const auto page = reader.List(before, kRunsAPage);
    if (!page.ok()) return page.status();
    for (const results::StoredRun& run : *page) ids.push_back(run.created.id);
    if (page->size() < kRunsAPage) return ids;
    before = page->back().number;
  }
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

void DeclareFileStore(CLI::App& app, CopyOptions& options, const char* help) {
  app.add_option("--store", options.store, help)->type_name("FILE")->required();
}

}  // namespace

Action BindExport(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<CopyOptions>();
  app.add_option("RUN", options->run, "Id of the run")->required();
  app.add_option("FILE", options->file, "The file to make: a store with this run alone")
      ->required();
  DeclareFileStore(app, *options, "The file that has the run; a frontend may be using it");
  return [options, &globals] { return Export(*options, globals); };
}

Action BindImport(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<CopyOptions>();
  app.add_option("FILE", options->file, "Copy all runs of this file")->required();
  DeclareFileStore(app, *options,
                   "Into this one, made if not there; no frontend may be using it meanwhile");
  return [options, &globals] { return Import(*options, globals); };
}

}  // namespace twofold::cli
