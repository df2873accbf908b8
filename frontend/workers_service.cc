#include "frontend/services.h"
#include "frontend/worker_session.h"

namespace twofold::frontend {

ByteStream* WorkersService::Work(grpc::CallbackServerContext*) {
  const auto session = std::make_shared<WorkerSession>(queues_);
  session->Start();
  return session.get();
}

}  // namespace twofold::frontend
