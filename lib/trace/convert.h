#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "lib/queue/queue.h"
#include "twofold/v1/trace.pb.h"

/// The one place where values of the core become messages of trace.proto and back.
namespace twofold::queue::trace {

namespace proto = v1::trace;

/// The options that jobs of one queue had of late, as bytes of their message. Keeps them alive, so
/// that an address means the same options for as long as they are here.
///
/// Cost     Nearly nothing for options that are here: one of those that share its place.
class KnownOptions {
 public:
  struct Entry {
    std::shared_ptr<const JobOptions> options;
    std::string bytes;
    std::uint64_t digest = 0;  ///< of the bytes
  };

  /// Valid until the next call.
  const Entry& Of(const std::shared_ptr<const JobOptions>& options);

 private:
  std::array<Entry, 64> entries_;
  Entry* last_ = entries_.data();  // asked for last
};

/// Writes an input, or the options of a queue, into a message, which it need not clear before.
void Put(const Input& input, KnownOptions& known, proto::Input& to);
void Put(const QueueOptions& options, proto::QueueOptions& to);

/// Options as they were read last: jobs that come with the same ones share them.
struct LastOptions {
  std::shared_ptr<const JobOptions> options;
  std::string bytes;
};

/// Reads them back. Text points into the message.
///
/// Errors   False: values that cannot be.
bool Take(const proto::Input& from, LastOptions& last, Input& input);
bool Take(const proto::QueueOptions& from, QueueOptions& options);
/// Whether a frontend's clock may show it.
bool CanBe(Instant instant);
/// False: no message, or one that has other bytes when it is written. These would look like another
/// input.
bool ParseExactly(const std::string& bytes, google::protobuf::Message& message);

/// Effects go one way only: a replay compares messages. `to` is a new or cleared one.
void Put(const Assign& effect, KnownOptions& known, proto::Effect& to);
void Put(const Go& effect, KnownOptions& known, proto::Effect& to);
void Put(const CancelOnWorker& effect, KnownOptions& known, proto::Effect& to);
void Put(const Requeued& effect, KnownOptions& known, proto::Effect& to);
void Put(const Reply& effect, KnownOptions& known, proto::Effect& to);
void Put(const ProcessRemoved& effect, KnownOptions& known, proto::Effect& to);

void Put(const Submitted& answer, proto::Returned& to);
void Put(ProcessId answer, proto::Returned& to);
void Put(bool answer, proto::Returned& to);

/// Appends the bytes, or, if they are more than `most`, "SIZEB#DIGEST".
void AppendBrief(std::string& to, std::string_view bytes, std::size_t most);

}  // namespace twofold::queue::trace
