// The packed batches of queue.proto: a batch that Check lets pass can be read row by row, and its
// rows make the same batch when they are packed again.

#include "lib/rpc/batches.h"

#include <google/protobuf/stubs/logging.h>

#include <array>
#include <string>
#include <string_view>

#include "lib/rpc/field_limits.h"
#include "tests/fuzz/target.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::fuzz {
namespace {

/// Rows as they are packed again, with the tables that their indices point into.
void CopyTables(const v1::SubmitRequest& from, v1::SubmitRequest& to) {
  *to.mutable_options() = from.options();
}
void CopyTables(const v1::AssignBatch& from, v1::AssignBatch& to) {
  *to.mutable_options() = from.options();
}
void CopyTables(const v1::ResultBatch& from, v1::ResultBatch& to) {
  *to.mutable_workers() = from.workers();
}
void CopyTables(const v1::WorkerResults&, v1::WorkerResults&) {}  // Append fills the tables

int RowsOf(const v1::SubmitRequest& batch) { return batch.tags_size(); }
int RowsOf(const v1::ResultBatch& batch) { return batch.tags_size(); }
int RowsOf(const v1::AssignBatch& batch) { return batch.jobs_size(); }
int RowsOf(const v1::WorkerResults& batch) { return batch.jobs_size(); }

std::size_t PackedBytes(const v1::SubmitRequest& batch) { return batch.specs().size(); }
std::size_t PackedBytes(const v1::ResultBatch& batch) { return batch.reports().size(); }
std::size_t PackedBytes(const v1::AssignBatch& batch) { return batch.specs().size(); }
std::size_t PackedBytes(const v1::WorkerResults& batch) { return batch.reports().size(); }

template <typename Batch>
void Run(std::string_view bytes) {
  Batch batch;
  if (!batch.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;
  Require(!rpc::SurelyFits(bytes, rpc::LimitsOf(*Batch::descriptor())) ||
              rpc::CheckLimits(batch).ok(),
          "what surely fits has no more than its limits");
  if (!rpc::Check(batch).ok()) return;
  Batch again;
  CopyTables(batch, again);
  int rows = 0;
  rpc::ForEach(batch, [&](const auto& row) {
    rpc::Append(again, row);
    ++rows;
  });
  Require(rows == RowsOf(batch), "each row is visited once");
  Require(rpc::Check(again).ok(), "what Append makes passes Check");
  Require(RowsOf(again) == rows, "each row is packed again");
  Require(PackedBytes(again) == PackedBytes(batch), "no byte is lost");
}

constexpr std::array<void (*)(std::string_view), 4> kBatches = {
    &Run<v1::SubmitRequest>, &Run<v1::ResultBatch>, &Run<v1::AssignBatch>, &Run<v1::WorkerResults>};

}  // namespace
}  // namespace twofold::fuzz

/// The first byte says which batch the others are.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace twofold::fuzz;
  const google::protobuf::LogSilencer silent;
  if (size > 0) kBatches[data[0] % kBatches.size()](Bytes(data + 1, size - 1));
  return 0;
}
