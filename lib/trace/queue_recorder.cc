#include "lib/trace/queue_recorder.h"

namespace twofold::queue::trace {

QueueRecorder::QueueRecorder(RecordSink& sink, std::uint32_t number, std::string_view name,
                             const QueueOptions& options)
    : sink_(sink) {
  proto::Record record;
  proto::QueueBegins& begins = *record.mutable_queue();
  begins.set_queue(number);
  begins.set_name(std::string(name));
  Put(options, *begins.mutable_options());
  sink_.Add(record.SerializeAsString());
  step_.set_queue(number);
}

void QueueRecorder::Begin(Instant now, const Input& input, Effects& effects) {
  effects_ = &effects;
  step_.set_elapsed_ns((now - last_).count());
  last_ = now;
  Put(input, known_, *step_.mutable_input());
  step_.clear_effects();
  step_.clear_returned();
}

void QueueRecorder::Write() {
  const std::size_t size = record_.ByteSizeLong();
  if (body_.size() < size) body_.resize(size);
  record_.SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(body_.data()));
  sink_.Add(std::string_view(body_).substr(0, size));
}

}  // namespace twofold::queue::trace
