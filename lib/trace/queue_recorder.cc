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

// Each is written before it is carried out.

void QueueRecorder::Do(const Assign& assign) {
  Put(assign, known_, *step_.add_effects()->mutable_assign());
  effects_->Do(assign);
}

void QueueRecorder::Do(const Go& go) {
  Put(go, *step_.add_effects()->mutable_go());
  effects_->Do(go);
}

void QueueRecorder::Do(const CancelOnWorker& cancel) {
  Put(cancel, *step_.add_effects()->mutable_cancel_on_worker());
  effects_->Do(cancel);
}

void QueueRecorder::Do(const Requeued& requeued) {
  Put(requeued, known_, *step_.add_effects()->mutable_requeued());
  effects_->Do(requeued);
}

void QueueRecorder::Do(const Reply& reply) {
  Put(reply, known_, *step_.add_effects()->mutable_reply());
  effects_->Do(reply);
}

void QueueRecorder::Do(const ProcessRemoved& removed) {
  step_.add_effects()->mutable_process_removed()->set_process(
      static_cast<std::uint32_t>(removed.process));
  effects_->Do(removed);
}

}  // namespace twofold::queue::trace
