#include "workloads/objects/load/tally.h"

#include <algorithm>

#include "lib/suite/latencies.h"

namespace twofold::objects {
namespace {

constexpr std::size_t kMostFailures = 64;    // kinds that are told apart
constexpr std::size_t kMostSeconds = 86400;  // of a series; all later ones are in its last entry

OpTally& Entry(std::array<std::unique_ptr<OpTally>, kOps>& ops, Op op) {
  auto& entry = ops[static_cast<std::size_t>(op)];
  if (!entry) entry = std::make_unique<OpTally>();
  return *entry;
}

// In percent of all requests, by the spec.
double Asked(Op op, const Load& load) {
  const double put = load.put_percent;
  const double multipart = load.multipart_percent / 100.0;
  const double get = 100.0 - put - load.head_percent - load.delete_percent - load.list_percent;
  const double update = get * load.update_percent / 100;
  const double of_all = 100 / (100 + update);  // an UPDATE is a request more
  const std::array<double, kOps> shares = {get,
                                           put * (1 - multipart),
                                           update,
                                           put * multipart,
                                           static_cast<double>(load.head_percent),
                                           static_cast<double>(load.delete_percent),
                                           static_cast<double>(load.list_percent)};
  return shares[static_cast<std::size_t>(op)] * of_all;
}

void Write(const OpTally& tally, v1::suites::ObjectStorageReport::Operation& to) {
  to.set_count(tally.count);
  to.set_bytes(tally.bytes);
  to.set_errors(tally.errors);
  to.set_retries(tally.retries);
  to.set_redirects(tally.redirects);
  to.set_full_count(tally.full_count);
  to.set_full_bytes(tally.full_bytes);
  *to.mutable_first_byte() = suite::ToMessage(tally.first_byte);
  *to.mutable_last_byte() = suite::ToMessage(tally.last_byte);
  *to.mutable_planned() = suite::ToMessage(tally.planned);
  *to.mutable_redirect() = suite::ToMessage(tally.redirect);
  *to.mutable_open() = suite::ToMessage(tally.open);
  for (const OpTally::Second& second : tally.seconds) {
    to.add_count_by_second(second.count);
    to.add_bytes_by_second(second.bytes);
    to.add_errors_by_second(second.errors);
  }
}

void WriteFailures(const Tally& tally, v1::suites::ObjectStorageReport& report) {
  for (const auto& [key, seen] : tally.failures) {
    auto& failure = *report.add_failures();
    failure.set_operation(NameOf(std::get<0>(key)));
    failure.set_code(std::get<1>(key));
    failure.set_cause(std::get<2>(key));
    failure.set_count(seen.first);
    failure.set_example(seen.second);
  }
  std::sort(report.mutable_failures()->begin(), report.mutable_failures()->end(),
            [](const auto& a, const auto& b) { return a.count() > b.count(); });
}

}  // namespace

void OpTally::Merge(const OpTally& other) {
  count += other.count;
  bytes += other.bytes;
  errors += other.errors;
  retries += other.retries;
  redirects += other.redirects;
  full_count += other.full_count;
  full_bytes += other.full_bytes;
  first_byte.Merge(other.first_byte);
  last_byte.Merge(other.last_byte);
  planned.Merge(other.planned);
  redirect.Merge(other.redirect);
  open.Merge(other.open);
  seconds.resize(std::max(seconds.size(), other.seconds.size()));
  for (std::size_t i = 0; i < other.seconds.size(); ++i) {
    seconds[i].count += other.seconds[i].count;
    seconds[i].bytes += other.seconds[i].bytes;
    seconds[i].errors += other.seconds[i].errors;
  }
}

void Tally::Add(const Outcome& outcome, bool all_busy) {
  if (outcome.ended < from_ || outcome.ended >= to_) return;
  OpTally& op = Entry(ops, outcome.op);
  const auto second = static_cast<std::size_t>((outcome.ended - from_) / std::chrono::seconds(1));
  const std::size_t index = std::min(second, kMostSeconds - 1);
  if (op.seconds.size() <= index) op.seconds.resize(index + 1);
  op.retries += outcome.retries;
  op.redirects += outcome.redirects;
  if (outcome.late) late.Record(*outcome.late);
  if (outcome.failure) {
    ++op.errors;
    ++op.seconds[index].errors;
    const Failure& failure = *outcome.failure;
    const bool full = failures.size() >= kMostFailures;
    auto& seen = failures[{outcome.op, full ? 0 : failure.code, full ? "others" : failure.cause}];
    if (seen.first++ == 0) seen.second = failure.example;
    return;
  }
  ++op.count;
  op.bytes += outcome.bytes;
  ++op.seconds[index].count;
  op.seconds[index].bytes += outcome.bytes;
  if (all_busy) {
    ++op.full_count;
    op.full_bytes += outcome.bytes;
  }
  op.first_byte.Record(outcome.first_byte);
  op.last_byte.Record(outcome.last_byte);
  const bool is_planned_here = outcome.planned && outcome.ended - *outcome.planned >= from_;
  if (is_planned_here) op.planned.Record(*outcome.planned);
  if (outcome.redirect) op.redirect.Record(*outcome.redirect);
}

void Tally::Open(Op op, Instant planned, Instant now) {
  if (planned >= from_ && planned < std::min(now, to_)) Entry(ops, op).open.Record(now - planned);
}

void Tally::Connected(Duration tcp, std::optional<Duration> handshake) {
  connect.Record(tcp);
  if (handshake) tls.Record(*handshake);
}

void Tally::Spent(Duration on_content, Duration on_check) {
  content += on_content;
  check += on_check;
}

void Tally::Merge(const Tally& other) {
  for (std::size_t i = 0; i < kOps; ++i) {
    if (other.ops[i]) Entry(ops, static_cast<Op>(i)).Merge(*other.ops[i]);
  }
  for (const auto& [key, seen] : other.failures) {
    auto& mine = failures[key];
    if (mine.first == 0) mine.second = seen.second;
    mine.first += seen.first;
  }
  connects_failed += other.connects_failed;
  connect.Merge(other.connect);
  tls.Merge(other.tls);
  late.Merge(other.late);
  Spent(other.content, other.check);
}

OpTally::Second Tally::Totals() const {
  OpTally::Second totals;
  for (const auto& op : ops) {
    if (!op) continue;
    totals.count += op->count + op->errors;
    totals.bytes += op->bytes;
    totals.errors += op->errors;
  }
  return totals;
}

void Report(const Tally& tally, const Load& load, v1::suites::ObjectStorageReport& report) {
  const auto all = static_cast<double>(tally.Totals().count);
  for (std::size_t i = 0; i < kOps; ++i) {
    if (!tally.ops[i]) continue;
    auto& operation = *report.add_operations();
    const Op op = static_cast<Op>(i);
    operation.set_name(NameOf(op));
    operation.set_asked_share(Asked(op, load));
    operation.set_measured_share(
        100 * static_cast<double>(tally.ops[i]->count + tally.ops[i]->errors) / all);
    Write(*tally.ops[i], operation);
  }
  WriteFailures(tally, report);
  auto& connections = *report.mutable_connections();
  connections.set_made(tally.connect.Count());
  connections.set_failed(tally.connects_failed);
  *connections.mutable_connect() = suite::ToMessage(tally.connect);
  *connections.mutable_tls() = suite::ToMessage(tally.tls);
  auto& client = *report.mutable_client();
  client.set_content_seconds(ToSeconds(tally.content));
  client.set_check_seconds(ToSeconds(tally.check));
  *client.mutable_late() = suite::ToMessage(tally.late);
}

}  // namespace twofold::objects
