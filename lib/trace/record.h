#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// The parts of a trace file. docs/trace.md is the grammar.
namespace twofold::queue::trace {

/// The file begins with this text, then the version and '\n'.
inline constexpr std::string_view kMagic = "twofold trace ";
inline constexpr std::uint64_t kVersion = 2;

enum class RecordKind : std::uint8_t {
  kQueue = 1,    ///< number, name, QueueOptions: a queue begins
  kOptions = 2,  ///< queue, number, JobOptions: what this number means from now on
  kStep = 3,     ///< queue, time since its step before, input, outputs
  kEnd = 4,      ///< the frontend has stopped in order
};

/// More is taken for damage. A step has one call's spec or list of held attempts, and what it led
/// to.
inline constexpr std::size_t kLargestRecord = std::size_t{64} << 20;
inline constexpr std::size_t kCheckBytes = 4;
inline constexpr std::uint64_t kMostQueues = 1024;

/// What a file begins with.
std::string Header();

/// Appends a record as it is in the file: its size, the body, the check.
void AppendRecord(std::string& file, std::string_view body);

/// Takes the bodies of records, whole ones, in order.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  virtual void Add(std::string_view body) = 0;
  /// False: what is added is lost, for good.
  [[nodiscard]] virtual bool open() const = 0;
};

}  // namespace twofold::queue::trace
