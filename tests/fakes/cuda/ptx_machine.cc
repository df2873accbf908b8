#include "tests/fakes/cuda/ptx_machine.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "workloads/gpu/reference.h"

namespace twofold::fakes {
namespace {

using Value = PtxMachine::Value;
using Operand = PtxMachine::Operand;

constexpr std::size_t kWarp = 32;

// What one item knows.
struct Lane {
  std::vector<std::uint64_t> registers;
  const std::vector<std::uint64_t>* parameters;
  std::uint32_t item, group, group_size;

  [[nodiscard]] std::uint64_t Get(const Value& value) const {
    switch (value.kind) {
      case Value::kRegister:
        return registers[value.number];
      case Value::kParameter:
        return parameters->at(value.number);
      case Value::kItem:
        return item;
      case Value::kGroup:
        return group;
      case Value::kGroupSize:
        return group_size;
      default:
        return value.number;
    }
  }
  void Set(const Value& value, std::uint64_t bits) { registers[value.number] = bits; }
};

float Float(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
double Double(std::uint64_t bits) { return std::bit_cast<double>(bits); }
std::uint64_t Bits(float value) { return std::bit_cast<std::uint32_t>(value); }
std::uint64_t Bits(double value) { return std::bit_cast<std::uint64_t>(value); }

double Half(std::uint64_t bits) { return gpu::HalfValue(static_cast<std::uint16_t>(bits)); }

std::uint64_t HalfBits(double value) {
  const double rounded = gpu::RoundToHalf(value);
  if (rounded == 0) return std::signbit(value) ? 0x8000 : 0;
  const double size = std::abs(rounded);
  const int exponent = std::max(std::ilogb(size), -14);
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(size, 10 - exponent));
  const std::uint64_t biased = mantissa < 1024 ? 0 : static_cast<std::uint64_t>(exponent + 15);
  return (rounded < 0 ? 0x8000U : 0U) | biased << 10U | (mantissa & 0x3FFU);
}

template <typename T>
T* Memory(std::uint64_t address) {
  return reinterpret_cast<T*>(address);
}

using Operands = std::array<Operand, PtxMachine::kMostOperands>;
using Compute = std::uint64_t (*)(std::uint64_t a, std::uint64_t b, std::uint64_t c);

std::uint32_t Low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

// Both halves of a register.
template <typename Each>
std::uint64_t Pairs(std::uint64_t a, std::uint64_t b, std::uint64_t c, Each each) {
  const std::uint64_t low = HalfBits(each(Half(a), Half(b), Half(c)));
  return low | HalfBits(each(Half(a >> 16U), Half(b >> 16U), Half(c >> 16U))) << 16U;
}

struct Operation {
  std::string_view name;
  Compute compute;
};

using U = std::uint64_t;

constexpr Operation kOperations[] = {
    {"mov.u32", [](U a, U, U) { return a; }},
    {"mov.u64", [](U a, U, U) { return a; }},
    {"mov.b32", [](U a, U, U) { return a; }},
    {"mov.f32", [](U a, U, U) { return a; }},
    {"mov.f64", [](U a, U, U) { return a; }},
    {"cvta.to.global.u64", [](U a, U, U) { return a; }},
    {"ld.param.u64", [](U a, U, U) { return a; }},
    {"ld.param.u32", [](U a, U, U) { return a; }},
    {"ld.param.f32", [](U a, U, U) { return a; }},
    {"cvt.u64.u32", [](U a, U, U) { return a; }},
    {"cvt.u32.u64", [](U a, U, U) { return U{Low(a)}; }},
    {"cvt.rn.f32.u32", [](U a, U, U) { return Bits(static_cast<float>(Low(a))); }},
    {"cvt.f64.f32", [](U a, U, U) { return Bits(static_cast<double>(Float(a))); }},
    {"cvt.rn.f16.f32", [](U a, U, U) { return HalfBits(static_cast<double>(Float(a))); }},
    {"add.u32", [](U a, U b, U) { return U{Low(a + b)}; }},
    {"sub.u32", [](U a, U b, U) { return U{Low(a - b)}; }},
    {"add.u64", [](U a, U b, U) { return a + b; }},
    {"and.b32", [](U a, U b, U) { return a & b; }},
    {"shl.b32", [](U a, U b, U) { return U{Low(a << b)}; }},
    {"shl.b64", [](U a, U b, U) { return a << b; }},
    {"shr.b32", [](U a, U b, U) { return a >> b; }},
    {"shr.u32", [](U a, U b, U) { return a >> b; }},
    {"shr.u64", [](U a, U b, U) { return a >> b; }},
    {"mul.wide.u32", [](U a, U b, U) { return a * b; }},
    {"mad.lo.u32", [](U a, U b, U c) { return U{Low(a * b + c)}; }},
    {"mad.lo.u64", [](U a, U b, U c) { return a * b + c; }},
    {"setp.eq.u32", [](U a, U b, U) { return U{a == b}; }},
    {"setp.gt.u32", [](U a, U b, U) { return U{a > b}; }},
    {"setp.ge.u32", [](U a, U b, U) { return U{a >= b}; }},
    {"setp.ge.u64", [](U a, U b, U) { return U{a >= b}; }},
    {"add.f32", [](U a, U b, U) { return Bits(Float(a) + Float(b)); }},
    {"mul.f32", [](U a, U b, U) { return Bits(Float(a) * Float(b)); }},
    {"add.rn.f32", [](U a, U b, U) { return Bits(Float(a) + Float(b)); }},
    {"add.rn.f64", [](U a, U b, U) { return Bits(Double(a) + Double(b)); }},
    {"add.rn.f16x2",
     [](U a, U b, U c) {
       return Pairs(a, b, c, [](double x, double y, double) { return x + y; });
     }},
    {"fma.rn.f32", [](U a, U b, U c) { return Bits(std::fma(Float(a), Float(b), Float(c))); }},
    {"fma.rn.f64", [](U a, U b, U c) { return Bits(std::fma(Double(a), Double(b), Double(c))); }},
    {"fma.rn.f16x2",
     [](U a, U b, U c) {
       return Pairs(a, b, c, [](double x, double y, double z) { return std::fma(x, y, z); });
     }},
};

void Load(Lane& lane, const Operands& operands) {
  const auto* from = Memory<std::uint32_t>(lane.Get(operands[1].parts[0]));
  for (std::size_t i = 0; i < operands[0].count; ++i) lane.Set(operands[0].parts.at(i), from[i]);
}

void Store(Lane& lane, const Operands& operands) {
  auto* to = Memory<std::uint32_t>(lane.Get(operands[0].parts[0]));
  for (std::size_t i = 0; i < operands[1].count; ++i)
    to[i] = Low(lane.Get(operands[1].parts.at(i)));
}

void StoreDouble(Lane& lane, const Operands& operands) {
  *Memory<std::uint64_t>(lane.Get(operands[0].parts[0])) = lane.Get(operands[1].parts[0]);
}

void Pack(Lane& lane, const Operands& operands) {
  const auto& halves = operands[1].parts;
  lane.Set(operands[0].parts[0], lane.Get(halves[0]) | lane.Get(halves[1]) << 16U);
}

// D = A * B + C, of 16x16 and 16x8 elements that are spread over 32 lanes.
void MultiplyMatrices(std::vector<Lane>& lanes, const Operands& operands) {
  std::array<std::array<double, 16>, 16> a = {};
  std::array<std::array<double, 8>, 16> b = {};
  for (std::size_t lane = 0; lane < kWarp; ++lane) {
    const std::size_t group = lane / 4;
    const std::size_t place = 2 * (lane % 4);
    for (std::size_t i = 0; i < 8; ++i) {
      const std::uint64_t pair = lanes[lane].Get(operands[1].parts.at(i / 2));
      const std::size_t row = group + (i / 2 % 2 == 0 ? 0 : 8);
      a.at(row).at(place + i % 2 + (i < 4 ? 0 : 8)) = Half(pair >> 16 * (i % 2));
    }
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint64_t pair = lanes[lane].Get(operands[2].parts.at(i / 2));
      b.at(place + i % 2 + (i < 2 ? 0 : 8)).at(group) = Half(pair >> 16 * (i % 2));
    }
  }
  for (std::size_t lane = 0; lane < kWarp; ++lane) {
    for (std::size_t i = 0; i < 4; ++i) {
      double sum = Float(lanes[lane].Get(operands[3].parts.at(i)));
      const std::size_t row = lane / 4 + (i < 2 ? 0 : 8);
      for (std::size_t k = 0; k < 16; ++k)
        sum += a.at(row).at(k) * b.at(k).at(2 * (lane % 4) + i % 2);
      lanes[lane].Set(operands[0].parts.at(i), Bits(static_cast<float>(sum)));
    }
  }
}

using Act = void (*)(Lane& lane, const Operands& operands);

struct Action {
  std::string_view name;
  Act act;
};

constexpr Action kActions[] = {
    {"ld.global.v4.b32", &Load},     {"st.global.v4.b32", &Store}, {"st.global.v4.f32", &Store},
    {"st.global.u32", &Store},       {"st.global.b32", &Store},    {"st.global.f32", &Store},
    {"st.global.f64", &StoreDouble},
};

constexpr std::string_view kMatrices = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";

}  // namespace

struct PtxMachine::Instruction {
  enum Kind : std::uint8_t { kCompute, kAct, kMatrices, kBranch, kReturn };
  Kind kind = kReturn;
  Compute compute = nullptr;
  Act act = nullptr;
  Operands operands = {};
  Value guard = {};  // of a branch: taken if it is 1
  std::string label;
  std::size_t target = 0;
};

namespace {

using Instruction = PtxMachine::Instruction;
using Kernel = PtxMachine::Kernel;

// Reads the lines of one kernel.
class Reader {
 public:
  explicit Reader(Kernel& kernel) : kernel_(kernel) {}

  void Read(const std::string& body) {
    std::istringstream lines(body);
    for (std::string line; std::getline(lines, line);) ReadLine(line);
    for (Instruction& one : kernel_.instructions) {
      if (one.kind == Instruction::kBranch) one.target = labels_.at(one.label);
    }
  }

 private:
  void ReadLine(const std::string& line) {
    static const std::regex label(R"(^(\w+):$)");
    static const std::regex statement(R"(^\s*(?:@(%\w+)\s+)?([\w.]+)\s*(.*);$)");
    std::smatch parts;
    if (line.empty() || line.find(".reg") != std::string::npos) return;
    if (std::regex_match(line, parts, label)) {
      labels_[parts[1]] = kernel_.instructions.size();
    } else if (std::regex_match(line, parts, statement)) {
      Add(parts[1], parts[2], parts[3]);
    } else {
      throw std::runtime_error("not PTX: " + line);
    }
  }

  void Add(const std::string& guard, const std::string& name, const std::string& operands) {
    Instruction one;
    if (name == "bra") {
      one.kind = Instruction::kBranch;
      one.label = operands;
      if (!guard.empty()) one.guard = ValueOf(guard);
    } else if (name != "ret") {
      one.operands = OperandsOf(operands);
      Choose(name, one);
    }
    kernel_.instructions.push_back(one);
  }

  void Choose(const std::string& name, Instruction& one) {
    if (name == kMatrices) {
      one.kind = Instruction::kMatrices;
      kernel_.has_matrices = true;
      return;
    }
    for (const Action& action : kActions) {
      if (action.name == name) one.act = action.act;
    }
    if (name == "mov.b32" && one.operands[1].count == 2) one.act = &Pack;
    one.kind = Instruction::kAct;
    if (one.act != nullptr) return;
    one.kind = Instruction::kCompute;
    for (const Operation& operation : kOperations) {
      if (operation.name == name) one.compute = operation.compute;
    }
    if (one.compute == nullptr) throw std::runtime_error("no such instruction: " + name);
  }

  Operands OperandsOf(const std::string& text) {
    static const std::regex operand(R"(\{[^}]*\}|\[[^\]]*\]|[^,\s]+)");
    static const std::regex word(R"([%\w.]+)");
    Operands operands;
    std::size_t count = 0;
    for (std::sregex_iterator i(text.begin(), text.end(), operand), end; i != end; ++i) {
      Operand& one = operands.at(count++);
      const std::string inside = i->str();
      for (std::sregex_iterator j(inside.begin(), inside.end(), word); j != end; ++j) {
        one.parts.at(one.count++) = ValueOf(j->str());
      }
    }
    return operands;
  }

  Value ValueOf(const std::string& word) {
    if (word == "%tid.x") return {Value::kItem, 0};
    if (word == "%ctaid.x") return {Value::kGroup, 0};
    if (word == "%ntid.x") return {Value::kGroupSize, 0};
    if (word[0] == '%') {
      return {Value::kRegister,
              kernel_.registers.try_emplace(word, kernel_.registers.size()).first->second};
    }
    for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
      if (kernel_.parameters[i] == word) return {Value::kParameter, i};
    }
    if (word.starts_with("0f") || word.starts_with("0d")) {
      return {Value::kNumber, std::stoull(word.substr(2), nullptr, 16)};
    }
    return {Value::kNumber, std::stoull(word, nullptr, 0)};
  }

  Kernel& kernel_;
  std::map<std::string, std::size_t> labels_;
};

void RunTogether(const Kernel& kernel, std::vector<Lane>& lanes) {
  std::size_t at = 0;
  while (true) {
    const Instruction& one = kernel.instructions[at++];
    switch (one.kind) {
      case Instruction::kReturn:
        return;
      case Instruction::kBranch:
        if (one.guard.kind == Value::kNone || lanes[0].Get(one.guard) != 0) at = one.target;
        break;
      case Instruction::kMatrices:
        MultiplyMatrices(lanes, one.operands);
        break;
      case Instruction::kAct:
        for (Lane& lane : lanes) one.act(lane, one.operands);
        break;
      case Instruction::kCompute:
        for (Lane& lane : lanes) {
          const auto get = [&](std::size_t i) { return lane.Get(one.operands[i].parts[0]); };
          lane.Set(one.operands[0].parts[0], one.compute(get(1), get(2), get(3)));
        }
        break;
    }
  }
}

// What stands between `begin` and `end`, from `at` on; moves `at` behind it.
std::string Between(const std::string& text, const char* begin, const char* end, std::size_t& at) {
  const std::size_t from = text.find(begin, at) + std::strlen(begin);
  const std::size_t to = text.find(end, from);
  if (to == std::string::npos) throw std::runtime_error("a kernel without its end");
  at = to;
  return text.substr(from, to - from);
}

}  // namespace

PtxMachine::PtxMachine(std::string_view text) {
  static const std::regex parameter(R"(\.param \.\w+ (\w+))");
  const std::string all(text);
  for (std::size_t at = 0; all.find(".entry", at) != std::string::npos;) {
    Kernel& kernel = kernels_[Between(all, ".entry ", "(", at)];
    const std::string parameters = Between(all, "(", ")", at);
    for (std::sregex_iterator j(parameters.begin(), parameters.end(), parameter), end; j != end;
         ++j) {
      kernel.parameters.push_back((*j)[1]);
    }
    Reader(kernel).Read(Between(all, "{\n", "\n}\n", at));
  }
}

PtxMachine::~PtxMachine() = default;

const PtxMachine::Kernel* PtxMachine::Find(const std::string& name) const {
  const auto found = kernels_.find(name);
  return found == kernels_.end() ? nullptr : &found->second;
}

void PtxMachine::Run(const Kernel& kernel, std::uint32_t groups, std::uint32_t group_size,
                     const std::vector<std::uint64_t>& parameters) {
  const std::size_t together = kernel.has_matrices ? kWarp : 1;
  const std::uint64_t items = std::uint64_t{groups} * group_size;
  for (std::uint64_t first = 0; first < items; first += together) {
    std::vector<Lane> lanes;
    for (std::uint64_t item = first; item < first + together; ++item) {
      lanes.push_back({std::vector<std::uint64_t>(kernel.registers.size()), &parameters,
                       static_cast<std::uint32_t>(item % group_size),
                       static_cast<std::uint32_t>(item / group_size), group_size});
    }
    RunTogether(kernel, lanes);
  }
}

}  // namespace twofold::fakes
