#include "frontend/services.h"
#include "frontend/worker_session.h"

namespace twofold::frontend {

ByteStream* WorkersService::Work(grpc::CallbackServerContext* context) {
  auto place = calls_.Enter(context->peer());
  if (place == nullptr) return RefuseStream(calls_.Refusal());
  const auto session = std::make_shared<WorkerSession>(queues_);
  session->Hold(std::move(place));
  session->Start();
  return session.get();
}

}  // namespace twofold::frontend
