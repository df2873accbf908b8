#include "lib/results/result_messages.h"

#include <utility>

namespace twofold::results {
namespace {

constexpr std::size_t kJobsAPage = 50;
constexpr std::size_t kMessageBytes = 1 << 20;
constexpr std::size_t kPieceBytes = 512 << 10;

}  // namespace

Result<ResultMessages> ResultMessages::Of(const RunReader& reader,
                                          const v1::RunResultsRequest& request,
                                          std::uint64_t from) {
  const auto run = reader.NumberOf(request.id());
  if (!run.ok()) return run.status();
  auto overlaps = reader.FindOverlaps(*run);
  if (!overlaps.ok()) return overlaps.status();
  return ResultMessages(reader, *run, request, from, *std::move(overlaps));
}

Result<std::optional<v1::RunResultsReply>> ResultMessages::Next() {
  if (page_.empty()) {
    if (Status status = ReadPage(); !status.ok()) return status;
    if (page_.empty()) return std::nullopt;
  }
  v1::RunResultsReply reply;
  for (std::size_t bytes = 0; !page_.empty() && bytes < kMessageBytes;) {
    v1::PermutationResult& next = *reply.add_permutations();
    next.Swap(&page_.front());
    page_.front().set_number(next.number());
    bytes += next.ByteSizeLong();
    if (!asked_.jobs()) {
      page_.pop_front();
    } else if (Status status = AddJobs(reply, &bytes); !status.ok()) {
      return status;
    }
  }
  return reply;
}

Status ResultMessages::ReadPage() {
  auto page = reader_->Results(run_, from_, overlaps_, asked_.series());
  if (!page.ok()) return page.status();
  if (!page->empty()) from_ = page->back().number() + 1;
  for (v1::PermutationResult& each : *page) page_.push_back(std::move(each));
  return absl::OkStatus();
}

std::uint64_t ResultMessages::OverlapsOf(const v1::JobResult& job) const {
  if (job.started_unix_ns() == 0) return 0;
  if (job.state() == v1::JOB_STATE_RUNNING) return overlaps_.With(RanSince(job.started_unix_ns()));
  const auto run_ns = static_cast<std::int64_t>(job.run_ns());
  return overlaps_.With(RanUntil(job.started_unix_ns() + run_ns, run_ns));
}

/// Adds jobs of the permutation that is under way, which is over when it has no more.
Status ResultMessages::AddJobs(v1::RunResultsReply& reply, std::size_t* bytes) {
  v1::PermutationResult& to = *reply.mutable_permutations()->rbegin();
  while (*bytes < kMessageBytes) {
    auto jobs = reader_->Jobs(run_, to.number(), last_job_, kJobsAPage);
    if (!jobs.ok()) return jobs.status();
    for (v1::JobResult& job : *jobs) {
      if (*bytes >= kMessageBytes) return absl::OkStatus();
      last_job_ = job.id();
      job.set_overlaps(OverlapsOf(job));
      *bytes += job.ByteSizeLong();
      *to.add_jobs() = std::move(job);
    }
    if (jobs->size() < kJobsAPage) {
      page_.pop_front();
      last_job_.reset();
      break;
    }
  }
  return absl::OkStatus();
}

Result<std::vector<v1::ArtifactPiece>> GetArtifact(const RunReader& reader,
                                                   const v1::GetArtifactRequest& request) {
  auto found = reader.FindArtifact(request);
  if (!found.ok()) return found.status();
  const std::string zstd = std::move(*found->mutable_zstd());
  found->clear_zstd();
  std::vector<v1::ArtifactPiece> pieces(1);
  *pieces[0].mutable_artifact() = *std::move(found);
  for (std::size_t at = 0; at < zstd.size(); at += kPieceBytes) {
    if (at > 0) pieces.emplace_back();
    pieces.back().set_zstd(zstd.substr(at, kPieceBytes));
  }
  return pieces;
}

}  // namespace twofold::results
