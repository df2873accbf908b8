#pragma once

#include <nghttp2/nghttp2.h>

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "lib/h2/metadata.h"

namespace twofold::h2 {

/// Headers to be sent, as nghttp2 takes them.
class HeaderBlock {
 public:
  /// `name` and `value` outlive the block.
  void Add(std::string_view name, std::string_view value) {
    entries_.push_back(
        {Bytes(name), Bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE});
  }

  /// The same; keeps the value itself.
  void AddOwn(std::string_view name, std::string value) {
    Add(name, values_.emplace_back(std::move(value)));
  }

  /// Without reserved names; `metadata` outlives the block.
  void Add(const Metadata& metadata) {
    for (const auto& [name, value] : metadata) {
      if (IsReserved(name)) continue;
      if (IsBinary(name)) {
        AddOwn(name, ToBase64(value));
      } else {
        Add(name, value);
      }
    }
  }

  /// `grpc-status` and `grpc-message`; `status` outlives the block.
  void Add(const Status& status) {
    AddOwn("grpc-status", std::to_string(status.raw_code()));
    if (!status.message().empty()) {
      AddOwn("grpc-message", PercentEncode({status.message().data(), status.message().size()}));
    }
  }

  [[nodiscard]] const nghttp2_nv* data() const { return entries_.data(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  // nghttp2 takes them as not constant, and does not change them.
  static std::uint8_t* Bytes(std::string_view text) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  }

  std::vector<nghttp2_nv> entries_;
  std::deque<std::string> values_;
};

}  // namespace twofold::h2
