#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "lib/common/descriptors.h"
#include "lib/h2/loop.h"

namespace twofold::h2 {

/// Who takes what comes over a socket.
class Link : public Loop::Source {
 public:
  virtual void OnBytes(std::string_view bytes) = 0;

  /// Reads all.
  void OnReady(std::uint32_t events) final;

  int socket = -1;
  Loop::Buffers* buffers = nullptr;
};

/// One thread that waits for all sockets.
class Waiting {
 public:
  virtual ~Waiting() = default;
  virtual void Add(Link& link, Descriptor socket) = 0;
  /// OnFlush of `link` is to be called.
  virtual void MarkDirty(Link& link) = 0;
  virtual void Run() = 0;
  /// Any thread.
  virtual void Stop() = 0;
  /// Serves so many sockets, which are readable.
  virtual void Turn(int sockets) = 0;
  virtual Loop::Buffers& buffers() = 0;
};

class OnLoop final : public Waiting {
 public:
  void Add(Link& link, Descriptor socket) override;
  void MarkDirty(Link& link) override { loop_.MarkDirty(link); }
  void Run() override { loop_.Run(); }
  void Stop() override { loop_.Stop(); }
  void Turn(int sockets) override;
  Loop::Buffers& buffers() override { return loop_.buffers(); }
  Loop& loop() { return loop_; }

 private:
  Loop loop_;
  std::vector<Descriptor> sockets_;
};

struct Way {
  const char* name;
  std::unique_ptr<Waiting> (*make)();
};

/// The first is lib/h2's loop, to which the others are compared.
extern const Way kWays[4];

}  // namespace twofold::h2
