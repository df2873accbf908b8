#include <absl/strings/str_cat.h>
#include <zstd.h>

#include <cstdint>
#include <iostream>
#include <memory>
#include <string>

#include "cli/jobs/job_commands.h"
#include "cli/queues/field.h"
#include "cli/results/run_source.h"
#include "lib/common/options.h"

namespace twofold::cli {
namespace {

// Workers keep both ends of what is longer; so much of a bomb is harmless.
constexpr std::size_t kMostOfOutput = 1 << 30;

constexpr std::size_t kStep = 256 << 10;

struct Free {
  void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
};

struct OutputOptions {
  results::StoreOptions store;
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
  const auto text = Decompress(zstd, kMostOfOutput);
  if (!text.ok()) return text.status();
  std::cout << *text;
  if (artifact.left_out() > 0) {
    std::cerr << artifact.name() << ": " << artifact.left_out() << " of " << artifact.bytes()
              << " bytes were not kept, from the middle\n";
  }
  return status;
}

}  // namespace

Result<std::string> Decompress(std::string_view zstd, std::size_t most) {
  const std::unique_ptr<ZSTD_DStream, Free> stream(ZSTD_createDStream());
  ZSTD_inBuffer in{zstd.data(), zstd.size(), 0};
  std::string text;
  std::size_t missing = zstd.empty() ? 0 : 1;
  bool is_full = false;  // the output was, so there may be more though all input was read
  while (in.pos < in.size || is_full) {
    const std::size_t before = text.size();
    text.resize(before + kStep);
    ZSTD_outBuffer out{text.data() + before, kStep, 0};
    missing = ZSTD_decompressStream(stream.get(), &out, &in);
    text.resize(before + out.pos);
    if (ZSTD_isError(missing) != 0) {
      return absl::DataLossError(
          absl::StrCat("the output cannot be decompressed: ", ZSTD_getErrorName(missing)));
    }
    if (text.size() > most) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the output is longer than ", most, " bytes"));
    }
    is_full = out.pos == out.size;
  }
  if (missing != 0) return absl::DataLossError("the output cannot be decompressed: it is cut off");
  return text;
}

Action BindOutput(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<OutputOptions>();
  v1::GetArtifactRequest& request = options->request;
  using Request = v1::GetArtifactRequest;
  AddField(app, "ID", request, &Request::set_job,
           "Number of the job, as `twofold results RUN --all` shows it")
      ->required();
  AddField(app, "--rank", request, &Request::set_rank, "Which worker of a gang; else 0")
      ->check(WholeNumber(0, 4095));
  AddField(app, "--stage", request, &Request::set_stage, "Which of its programs; else the first");
  AddField(app, "--name", request, &Request::set_name,
           "stdout, stderr or the path of a file; else the first that there is");
  DeclareStore(app, options->store);
  return [options, &globals] { return PrintOutput(*options, globals); };
}

}  // namespace twofold::cli
