#include "frontend/services/services.h"
#include "frontend/streams/worker_session.h"

namespace twofold::frontend {

WorkersService::WorkersService(QueueSet& queues, OpenCalls& calls)
    : rpc::Service(v1::Workers::service_full_name()), queues_(queues), calls_(calls) {
  Serve("Work", &WorkersService::Work);
}

ByteStream* WorkersService::Work(grpc::CallbackServerContext* context) {
  auto place = calls_.Enter(context->peer());
  if (place == nullptr) return rpc::Refuse<ByteStream>(calls_.Refusal());
  const auto session = std::make_shared<WorkerSession>(queues_);
  session->Hold(std::move(place));
  session->Start();
  return session.get();
}

}  // namespace twofold::frontend
