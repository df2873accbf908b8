#include <absl/strings/str_cat.h>

#include <cstdint>
#include <iostream>
#include <memory>
#include <string>

#include "cli/jobs/decompress.h"
#include "cli/jobs/job_commands.h"
#include "cli/results/run_source.h"
#include "lib/common/options.h"

namespace twofold::cli {
namespace {

// Workers keep both ends of what is longer; so much of a bomb is harmless.
constexpr std::size_t kMostBytes = 1 << 30;

struct OutputOptions {
  std::string store;
  v1::GetArtifactRequest request;
};

Status PrintOutput(const OutputOptions& options, const Globals& globals) {
  auto source = OpenRuns(globals, options.store);
  if (!source.ok()) return source.status();
  v1::Artifact artifact;
  std::string zstd;
  const Status status = (*source)->Artifact(options.request, [&](const v1::ArtifactPiece& piece) {
    if (piece.has_artifact()) artifact = piece.artifact();
    zstd += piece.zstd();
  });
  if (!status.ok()) return status;
  const auto text = Decompress(zstd, kMostBytes);
  if (!text.ok()) return text.status();
  std::cout << *text;
  if (artifact.left_out() > 0) {
    std::cerr << artifact.name() << ": " << artifact.left_out() << " of " << artifact.bytes()
              << " bytes were not kept, from the middle\n";
  }
  return status;
}

}  // namespace

Action BindOutput(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<OutputOptions>();
  v1::GetArtifactRequest& request = options->request;
  app.add_option_function<std::uint64_t>(
         "ID", [&request](std::uint64_t id) { request.set_job(id); },
         "Number of the job, as `twofold results RUN --all` shows it")
      ->required();
  app.add_option_function<std::uint32_t>(
         "--rank", [&request](std::uint32_t rank) { request.set_rank(rank); },
         "Which worker of a gang; else 0")
      ->check(WholeNumber(0, 4095));
  app.add_option_function<std::string>(
      "--stage", [&request](const std::string& stage) { request.set_stage(stage); },
      "Which of its programs; else the first");
  app.add_option_function<std::string>(
      "--name", [&request](const std::string& name) { request.set_name(name); },
      "stdout, stderr or the path of a file; else the first that there is");
  DeclareStore(app, options->store);
  return [options, &globals] { return PrintOutput(*options, globals); };
}

}  // namespace twofold::cli
