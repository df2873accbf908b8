#include <absl/strings/str_cat.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "cli/report/report.h"
#include "lib/common/file.h"

namespace twofold::cli {
namespace {

constexpr std::size_t kMostOfFile = 64 << 20;
constexpr std::string_view kSqlite = "SQLite format 3";

Status About(const std::string& name, const Status& status) {
  return {status.code(), absl::StrCat(name, ": ", std::string(status.message()))};
}

bool IsStore(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(kSqlite.size(), '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  return file && head == kSqlite;
}

/// Whether a name that is no file must have meant one.
bool LooksLikePath(const std::string& name) {
  const std::string suffix = std::filesystem::path(name).extension();
  return name.find('/') != std::string::npos || suffix == ".json" || suffix == ".db";
}

Result<report::Source> ReadJson(const std::string& path) {
  const auto text = ReadFile(path, kMostOfFile, Readable::kFilesAndPipes);
  if (!text.ok()) return text.status();
  auto record = report::ReadRecord(*text);
  if (!record.ok()) return About(path, record.status());
  return report::Source{std::filesystem::path(path).stem().string(), *std::move(record)};
}

Result<report::Source> ReadRunOf(const results::StoreOptions& store, const std::string& id,
                                 const Globals& globals) {
  const auto source = OpenRuns(globals, store);
  if (!source.ok()) return source.status();
  return ReadRun(**source, id);
}

}  // namespace

Result<report::Source> ReadRun(RunSource& source, const std::string& id) {
  const auto run = ResolveRun(source, id);
  if (!run.ok()) return run.status();
  report::RunResults results;
  v1::GetRunRequest get;
  get.set_id(*run);
  auto found = source.Get(get);
  if (!found.ok()) return About(id, found.status());
  results.run = *std::move(found);
  v1::RunResultsRequest request;
  request.set_id(*run);
  request.set_jobs(true);
  request.set_series(true);
  Status status = source.Results(
      request, [&](const v1::RunResultsReply& reply) { report::Add(reply, results); });
  if (!status.ok()) return About(id, status);
  auto origin = source.Sample(*run);
  if (!origin.ok()) return About(id, origin.status());
  results.origin = *std::move(origin);
  return report::Source{*run, std::move(results)};
}

Result<report::Source> ReadSource(const std::string& name, const results::StoreOptions& store,
                                  const Globals& globals) {
  std::error_code ignored;
  const bool exists = std::filesystem::exists(name, ignored);
  if (exists && IsStore(name)) return ReadRunOf({.store = "sqlite:" + name}, "@last", globals);
  const bool is_folder = std::filesystem::is_directory(name, ignored);
  if (exists && (!is_folder || LooksLikePath(name))) return ReadJson(name);
  if (LooksLikePath(name)) {
    return absl::NotFoundError(absl::StrCat(name, ": there is no such file"));
  }
  return ReadRunOf(store, name, globals);
}

}  // namespace twofold::cli
