#include "backend/benchmark/size_limit.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string>
#include <vector>

#include "backend/benchmark/artifact.h"

namespace twofold::backend {
namespace {

using Artifacts = std::vector<v1::Artifact*>;

// Lengths of fields that grow by a byte or two when others shrink, and what `left_out` says.
constexpr std::size_t kMargin = 1024;

void AddArtifacts(v1::RankRecord& record, Artifacts& all) {
  for (v1::StageRecord& stage : *record.mutable_stages()) {
    if (stage.has_out()) all.push_back(stage.mutable_out());
    if (stage.has_err()) all.push_back(stage.mutable_err());
    for (v1::Artifact& file : *stage.mutable_files()) all.push_back(&file);
  }
}

// The small ones are kept whole; the others share what is left.
void Share(Artifacts all, std::size_t room) {
  std::sort(all.begin(), all.end(), [](const v1::Artifact* a, const v1::Artifact* b) {
    return a->zstd().size() < b->zstd().size();
  });
  for (std::size_t left = all.size(); v1::Artifact * artifact : all) {
    Shrink(*artifact, room / left--);
    room -= artifact->zstd().size();
  }
}

// `size` is that of the message that they are in.
void FitArtifacts(const Artifacts& all, std::size_t size, std::size_t most) {
  if (size + kMargin <= most) return;
  std::size_t compressed = 0;
  for (const v1::Artifact* artifact : all) compressed += artifact->zstd().size();
  const std::size_t others = size - compressed + kMargin;
  Share(all, most > others ? most - others : 0);
}

class Cutter {
 public:
  Cutter(v1::BenchmarkResult& result, std::size_t most)
      : result_(result), most_(most - kMargin), size_(result.ByteSizeLong()) {}

  void Cut() {
    CutRanks();
    CutSeries();
    CutMeasurements(false);
    CutMeasurements(true);
  }

 private:
  [[nodiscard]] bool fits() const { return size_ <= most_; }

  // `part` is taken away, with its tag and its length.
  void Without(const google::protobuf::MessageLite& part) { size_ -= part.ByteSizeLong() + 2; }

  void Say(std::size_t count, const char* what) {
    if (count > 0) result_.add_left_out(absl::StrCat(what, ": ", count));
  }

  void CutRanks() {
    std::size_t cut = 0;
    for (int rank = result_.ranks_size() - 1; rank > 0 && !fits(); --rank, ++cut) {
      v1::RankRecord& record = *result_.mutable_ranks(rank);
      for (const v1::StageRecord& stage : record.stages()) Without(stage);
      record.clear_stages();
    }
    Say(cut, "ranks without what ran there");
    for (cut = 0; result_.ranks_size() > 1 && !fits(); ++cut) {
      Without(result_.ranks(result_.ranks_size() - 1));
      result_.mutable_ranks()->RemoveLast();
    }
    Say(cut, "ranks");
  }

  void CutSeries() {
    auto& all = *result_.mutable_series();
    std::size_t rows = 0;
    while (!all.empty() && !fits()) {
      const auto longest =
          std::max_element(all.begin(), all.end(), [](const v1::Series& a, const v1::Series& b) {
            return a.values_size() < b.values_size();
          });
      rows +=
          static_cast<std::size_t>(longest->values_size() / std::max(1, longest->columns_size()));
      Without(*longest);
      all.erase(longest);
    }
    Say(rows, "rows of series");
  }

  // From the end: the first ones are of all workers together.
  void CutMeasurements(bool headlines) {
    auto& all = *result_.mutable_measurements();
    std::vector<bool> goes(static_cast<std::size_t>(all.size()));
    for (int i = all.size() - 1; i >= 0 && !fits(); --i) {
      if (all.Get(i).headline() != headlines) continue;
      goes[static_cast<std::size_t>(i)] = true;
      Without(all.Get(i));
    }
    int kept = 0;
    for (int i = 0; i < all.size(); ++i) {
      if (!goes[static_cast<std::size_t>(i)]) all.SwapElements(kept++, i);
    }
    Say(static_cast<std::size_t>(all.size() - kept), headlines ? "headlines" : "measurements");
    all.DeleteSubrange(kept, all.size() - kept);
  }

  v1::BenchmarkResult& result_;
  const std::size_t most_;
  std::size_t size_;
};

}  // namespace

void Fit(v1::RankRecord& record, std::size_t most) {
  Artifacts artifacts;
  AddArtifacts(record, artifacts);
  FitArtifacts(artifacts, record.ByteSizeLong(), most);
}

void Fit(v1::BenchmarkResult& result, std::size_t most) {
  if (result.ByteSizeLong() <= most) return;
  Artifacts artifacts;
  for (v1::RankRecord& rank : *result.mutable_ranks()) AddArtifacts(rank, artifacts);
  FitArtifacts(artifacts, result.ByteSizeLong(), most);
  Cutter(result, most).Cut();
}

}  // namespace twofold::backend
