#include "lib/trace/record.h"

#include "lib/trace/codec.h"
#include "lib/trace/digest.h"

namespace twofold::queue::trace {

std::string Header() { return std::string(kMagic) + std::to_string(kVersion) + "\n"; }

void AppendRecord(std::string& file, std::string_view body) {
  Encoder to(file);
  to.Bytes(body);
  to.Fixed(Digest(body), kCheckBytes);
}

}  // namespace twofold::queue::trace
