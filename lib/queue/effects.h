#pragma once

#include "lib/queue/types.h"

namespace twofold::queue {

/// Takes what the queue decides, one value at a time, in the order in which it must happen. The
/// frontend writes them to streams, the simulator and the tests record them.
///
/// Views inside a value live for the call only: copy what must stay.
/// An implementation must not call the queue from inside.
class Effects {
 public:
  virtual ~Effects() = default;

  virtual void Do(const Assign& assign) = 0;
  virtual void Do(const Go& go) = 0;
  virtual void Do(const CancelOnWorker& cancel) = 0;
  virtual void Do(const Requeued& requeued) = 0;
  virtual void Do(const Reply& reply) = 0;
  virtual void Do(const ProcessRemoved& removed) = 0;
};

/// For who carries out none of them, or only some.
class NoEffects : public Effects {
 public:
  void Do(const Assign& /*assign*/) override {}
  void Do(const Go& /*go*/) override {}
  void Do(const CancelOnWorker& /*cancel*/) override {}
  void Do(const Requeued& /*requeued*/) override {}
  void Do(const Reply& /*reply*/) override {}
  void Do(const ProcessRemoved& /*removed*/) override {}
};

}  // namespace twofold::queue
