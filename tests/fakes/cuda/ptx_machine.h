#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// Runs PTX on the host: as much of the language as the kernels of twofold-gpu have, with its
/// meaning by NVIDIA's manual. So tests show what the kernels compute, without a device.
///
/// Items run one after the other; those of a kernel with matrix products 32 at a time, which must
/// all take the same branches.
///
/// Errors   std::runtime_error: the line that it does not know.
/// Threads  Not thread-safe.
namespace twofold::fakes {

class PtxMachine {
 public:
  static constexpr std::size_t kMostOperands = 4;
  static constexpr std::size_t kMostParts = 4;

  /// A register, a number, a parameter, or an address.
  struct Value {
    enum Kind : std::uint8_t { kNone, kRegister, kNumber, kParameter, kItem, kGroup, kGroupSize };
    Kind kind = kNone;
    std::uint64_t number = 0;  ///< also that of the register or parameter
  };

  /// A value, or several in braces.
  struct Operand {
    std::array<Value, kMostParts> parts = {};
    std::size_t count = 0;
  };

  struct Instruction;
  struct Kernel {
    std::vector<std::string> parameters;
    std::map<std::string, std::size_t> registers;
    std::vector<Instruction> instructions;
    bool has_matrices = false;
  };

  explicit PtxMachine(std::string_view text);
  ~PtxMachine();
  PtxMachine(const PtxMachine&) = delete;
  PtxMachine& operator=(const PtxMachine&) = delete;

  /// Null: there is no such kernel.
  [[nodiscard]] const Kernel* Find(const std::string& name) const;

  /// Runs a kernel; parameters as the bits of each.
  static void Run(const Kernel& kernel, std::uint32_t groups, std::uint32_t group_size,
                  const std::vector<std::uint64_t>& parameters);

 private:
  std::map<std::string, Kernel> kernels_;
};

}  // namespace twofold::fakes
