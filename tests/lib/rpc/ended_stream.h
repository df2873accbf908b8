#pragma once

#include <memory>

#include "lib/rpc/byte_stream.h"

namespace twofold::rpc {

/// A call that ends well at once.
class EndedStream final : public ByteStream {
 public:
  static Result<std::shared_ptr<ByteStream>> Make() { return std::make_shared<EndedStream>(); }

 private:
  void OnBegin() override { Finish(absl::OkStatus()); }
  void OnRead(std::string_view) override {}
  void OnReadEnd() override {}
  void Pull(h2::MessageWriter&) override {}
  void OnDone() override {}
};

}  // namespace twofold::rpc
