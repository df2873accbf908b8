#include "lib/trace/queue_recorder.h"

namespace twofold::queue::trace {
namespace {

std::string Start(RecordKind kind, std::uint64_t queue) {
  std::string body;
  Encoder(body).Number(static_cast<std::uint64_t>(kind));
  Encoder(body).Number(queue);
  return body;
}

}  // namespace

QueueRecorder::QueueRecorder(RecordSink& sink, std::uint64_t number, std::string_view name,
                             const QueueOptions& options)
    : sink_(sink), number_(number) {
  std::string body = Start(RecordKind::kQueue, number);
  Encoder(body).Bytes(name);
  Put put(body);
  VisitFields(put, options);
  sink_.Add(body);
}

void QueueRecorder::Begin(Instant now) {
  body_.clear();
  Encoder to(body_);
  to.Number(static_cast<std::uint64_t>(RecordKind::kStep));
  to.Number(number_);
  to.Signed((now - last_).count());
  last_ = now;
}

void QueueRecorder::Intern(const std::shared_ptr<const JobOptions>& options) {
  if (options_.Find(options.get())) return;
  const std::uint64_t number = options_.Add(options, options_.DigestOf(*options));
  std::string body = Start(RecordKind::kOptions, number_);
  Encoder(body).Number(number);
  Put put(body);
  VisitFields(put, *options);
  sink_.Add(body);
}

}  // namespace twofold::queue::trace
