#include "lib/results/records.h"

namespace twofold::results {
namespace {

std::size_t Text(const JobAccepted& record) {
  return record.queue.size() + record.run.size() + record.suite.size() + record.options.size() +
         record.spec.size() + record.place.name().size();
}

std::size_t Text(const AttemptStarted& record) {
  std::size_t bytes = 0;
  for (const Member& member : record.members) {
    bytes += sizeof(Member) + member.node.size() + member.pod.size() + member.device.size();
  }
  return bytes;
}

std::size_t Text(const JobEnded& record) {
  const v1::BenchmarkResult* const benchmark = record.benchmark.get();
  return record.node.size() + record.pod.size() + record.device.size() + record.report.size() +
         record.reason.size() + record.refused.size() +
         (benchmark == nullptr ? 0 : benchmark->ByteSizeLong());
}

std::size_t Text(const RunCreated& record) {
  std::size_t bytes = record.run.ByteSizeLong();
  for (const v1::Permutation& each : record.permutations) {
    bytes += sizeof each + each.varied().size();
  }
  return bytes;
}

std::size_t Text(const SequenceUsed& record) { return record.queue.size(); }
std::size_t Text(const RunCancelled& record) { return record.run.size(); }
std::size_t Text(const AttemptGivenUp&) { return 0; }
std::size_t Text(const JobRequeued&) { return 0; }
std::size_t Text(const JobTaken&) { return 0; }
std::size_t Text(const RunDeleted& record) { return record.run.size(); }
std::size_t Text(const QueueHalted&) { return 0; }

}  // namespace

std::size_t ByteSize(const Record& record) {
  return sizeof(Record) + std::visit([](const auto& value) { return Text(value); }, record);
}

}  // namespace twofold::results
