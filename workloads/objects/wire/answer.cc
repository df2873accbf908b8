#include "workloads/objects/wire/answer.h"

#include <algorithm>
#include <boost/beast/http/impl/basic_parser.hpp>
#include <limits>

namespace twofold::objects {

Answer::Answer(Sink* sink, std::size_t keep, bool no_content) : sink_(sink), keep_(keep) {
  eager(true);
  skip(no_content);
  body_limit(boost::none);
}

void Answer::on_field_impl(Field field, Text name, Text value, Error& /*error*/) {
  if (field == Field::location) {
    location_.assign(value.data(), value.size());
  } else if (field == Field::etag) {
    etag_.assign(value.data(), value.size());
  } else if (field == Field::unknown && name.size() > 4) {
    if (boost::beast::iequals(name, "Ais-Checksum-Type")) {
      cksum_type_.assign(value.data(), value.size());
    } else if (boost::beast::iequals(name, "Ais-Checksum-Value")) {
      cksum_value_.assign(value.data(), value.size());
    }
  }
}

std::size_t Answer::Take(Text bytes) {
  received_ += bytes.size();
  if (const std::size_t keep = is_success() ? keep_ : kKeptOfFailure; body_.size() < keep) {
    body_.append(bytes.data(), std::min(bytes.size(), keep - body_.size()));
  }
  if (sink_ != nullptr && is_success()) sink_->Take({bytes.data(), bytes.size()});
  return bytes.size();
}

}  // namespace twofold::objects
