#pragma once

#include "frontend/scalers/observer.h"
#include "frontend/services/claims.h"
#include "frontend/services/reader_pool.h"
#include "frontend/services/service.h"

namespace twofold::scalers {

/// externalscaler.ExternalScaler, as KEDA calls it: its triggers of the types `external` and
/// `external-push`.
///
/// Errors   kInvalidArgument: what is wrong with the trigger, see ReadTrigger; kUnavailable: the
///          number is not known at this moment. KEDA then leaves the workers as they are.
class ExternalScaler final : public frontend::Service {
 public:
  /// All outlive the calls. Streams are among `streams`, which ends them.
  ExternalScaler(Observer& observer, frontend::OpenCalls& streams, frontend::ReaderPool& readers);
};

}  // namespace twofold::scalers
