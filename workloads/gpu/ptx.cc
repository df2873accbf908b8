#include "workloads/gpu/ptx.h"

#include <absl/strings/str_cat.h>

#include <functional>
#include <string_view>

namespace twofold::gpu {
namespace {

constexpr int kUnrolled = 16;       // of the fma kernels: the loop itself costs 2 % of it
constexpr int kTensorUnrolled = 4;  // the same for larger steps
constexpr int kAtOnce = 4;          // elements that a walk loads before it stores them

constexpr char kHeader[] = ".version 6.3\n.target sm_60\n.address_size 64\n";
constexpr char kTensorHeader[] = ".version 7.0\n.target sm_80\n.address_size 64\n";

// %i: the item.
constexpr char kItem[] =
    "  mov.u32 %r0, %ctaid.x;\n"
    "  mov.u32 %r1, %ntid.x;\n"
    "  mov.u32 %r2, %tid.x;\n"
    "  mad.lo.u32 %i, %r0, %r1, %r2;\n";

std::string Pointer(std::string_view name) {
  const std::string text(name);
  return absl::StrCat("  ld.param.u64 %", text, ", [", text, "];\n  cvta.to.global.u64 %", text,
                      ", %", text, ";\n");
}

// %fN = 1 + (%rLANE % 64) / 64, what chains start with.
std::string Start(int to, const char* lane) {
  return absl::StrCat("  and.b32 %r3, ", lane, ", 63;\n  cvt.rn.f32.u32 %f", to,
                      ", %r3;\n  fma.rn.f32 %f", to, ", %f", to, ", 0f3C800000, 0f3F800000;\n");
}

// A precision of the fma kernels. Chains are %x0 ... %x7, and %one is 1.
struct Precision {
  std::string_view name;
  std::string_view registers;  // their type
  std::string_view type;       // of fma and add
  std::string_view store;      // of the result, and its bytes as a power of 2
  int shift;
  std::string begin;  // makes %a, %b, %one and %x0 of %f0 and %f1, a and b, and of %i
};

// Both halves of `to` = the fp32 `low` and `high` as fp16.
std::string Halves(const char* to, const char* low, const char* high) {
  return absl::StrCat("  cvt.rn.f16.f32 %h0, ", low, ";\n  cvt.rn.f16.f32 %h1, ", high,
                      ";\n  mov.b32 ", to, ", {%h0, %h1};\n");
}

Precision Fp32() {
  return {"fma_fp32",
          ".f32",
          ".f32",
          ".f32",
          2,
          Start(2, "%i") +
              "  mov.f32 %a, %f0;\n  mov.f32 %b, %f1;\n  mov.f32 %x0, %f2;\n"
              "  mov.f32 %one, 0f3F800000;\n"};
}

Precision Fp64() {
  return {"fma_fp64",
          ".f64",
          ".f64",
          ".f64",
          3,
          Start(2, "%i") +
              "  cvt.f64.f32 %a, %f0;\n  cvt.f64.f32 %b, %f1;\n  cvt.f64.f32 %x0, %f2;\n"
              "  mov.f64 %one, 0d3FF0000000000000;\n"};
}

// An item is two of the others.
Precision Fp16() {
  return {"fma_fp16",
          ".b32",
          ".f16x2",
          ".b32",
          2,
          absl::StrCat("  shl.b32 %r4, %i, 1;\n  add.u32 %r5, %r4, 1;\n", Start(2, "%r4"),
                       Start(3, "%r5"), Halves("%a", "%f0", "%f0"), Halves("%b", "%f1", "%f1"),
                       Halves("%x0", "%f2", "%f3"), "  mov.b32 %one, 0x3C003C00;\n")};
}

// Runs `body` `unrolled` times in each round of the loop; %n counts, and must be a multiple of it.
std::string Loop(int unrolled, const std::string& body) {
  std::string text = "LOOP:\n  setp.eq.u32 %p, %n, 0;\n  @%p bra DONE;\n";
  for (int i = 0; i < unrolled; ++i) text += body;
  return absl::StrCat(text, "  sub.u32 %n, %n, ", unrolled, ";\n  bra LOOP;\nDONE:\n");
}

std::string ForChains(int first, const std::function<std::string(int)>& line) {
  std::string text;
  for (int k = first; k < kChains; ++k) text += line(k);
  return text;
}

constexpr char kFmaParameters[] =
    "(.param .u64 out, .param .u32 loops, .param .f32 a, .param .f32 b)\n{\n"
    "  .reg .pred %p;\n  .reg .b16 %h<2>;\n  .reg .b32 %i, %n, %r<8>;\n  .reg .f32 %f<4>;\n"
    "  .reg .b64 %out, %offset;\n";
constexpr char kFmaValues[] =
    "  ld.param.u32 %n, [loops];\n  ld.param.f32 %f0, [a];\n  ld.param.f32 %f1, [b];\n";

std::string FmaKernel(const Precision& precision) {
  const std::string type(precision.type);
  const std::string step = ForChains(
      0, [&](int k) { return absl::StrCat("  fma.rn", type, " %x", k, ", %a, %x", k, ", %b;\n"); });
  return absl::StrCat(
      ".visible .entry ", std::string(precision.name), kFmaParameters, "  .reg ",
      std::string(precision.registers), " %x<", kChains, ">, %a, %b, %one;\n", Pointer("out"),
      kFmaValues, kItem, precision.begin,
      ForChains(1,
                [&](int k) {
                  return absl::StrCat("  add.rn", type, " %x", k, ", %x", k - 1, ", %one;\n");
                }),
      Loop(kUnrolled, step),
      ForChains(1,
                [&](int k) { return absl::StrCat("  add.rn", type, " %x0, %x0, %x", k, ";\n"); }),
      "  cvt.u64.u32 %offset, %i;\n  shl.b64 %offset, %offset, ", precision.shift,
      ";\n  add.u64 %out, %out, %offset;\n  st.global", std::string(precision.store),
      " [%out], %x0;\n  ret;\n}\n");
}

// Row r of A is (1 + r) * a, column c of B is (1 + c) * b, and all of chain k starts with
// 1 + (warp % 64) / 64 + k. A thread has row lane / 4 and that row + 8, and column lane / 4 of B.
constexpr char kTensorBegin[] =
    "  shr.u32 %r4, %i, 5;\n"
    "  shr.u32 %r5, %i, 2;\n"
    "  and.b32 %r5, %r5, 7;\n"
    "  add.u32 %r5, %r5, 1;\n"
    "  cvt.rn.f32.u32 %f2, %r5;\n"
    "  add.f32 %f3, %f2, 0f41000000;\n"  // 8 rows below
    "  mul.f32 %f3, %f3, %f0;\n"
    "  mul.f32 %f0, %f2, %f0;\n"
    "  mul.f32 %f1, %f2, %f1;\n";

std::string Accumulators(int k) {
  return absl::StrCat("{%c", 4 * k, ", %c", 4 * k + 1, ", %c", 4 * k + 2, ", %c", 4 * k + 3, "}");
}

std::string TensorChainStart(int k) {
  if (k == 0)
    return "  mov.f32 %c0, %f2;\n  mov.f32 %c1, %f2;\n  mov.f32 %c2, %f2;\n  mov.f32 %c3, %f2;\n";
  std::string text;
  for (int j = 4 * k; j < 4 * k + 4; ++j) {
    absl::StrAppend(&text, "  add.f32 %c", j, ", %c", j - 4, ", 0f3F800000;\n");
  }
  return text;
}

std::string TensorKernel() {
  const std::string step = ForChains(0, [](int k) {
    return absl::StrCat("  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 ", Accumulators(k),
                        ", {%a0, %a1, %a0, %a1}, {%b0, %b0}, ", Accumulators(k), ";\n");
  });
  std::string sums;
  for (int j = 4; j < 4 * kChains; ++j) {
    absl::StrAppend(&sums, "  add.f32 %c", j % 4, ", %c", j % 4, ", %c", j, ";\n");
  }
  return absl::StrCat(".visible .entry tensor", kFmaParameters, "  .reg .f32 %c<", 4 * kChains,
                      ">;\n  .reg .b32 %a0, %a1, %b0;\n", Pointer("out"), kFmaValues, kItem,
                      kTensorBegin, Halves("%a0", "%f0", "%f0"), Halves("%a1", "%f3", "%f3"),
                      Halves("%b0", "%f1", "%f1"), Start(2, "%r4"), ForChains(0, &TensorChainStart),
                      Loop(kTensorUnrolled, step), sums,
                      "  cvt.u64.u32 %offset, %i;\n  shl.b64 %offset, %offset, 4;\n"
                      "  add.u64 %out, %out, %offset;\n"
                      "  st.global.v4.f32 [%out], {%c0, %c1, %c2, %c3};\n  ret;\n}\n");
}

// A kernel that walks over elements: what it does before the walk, with each element, and after.
struct Walking {
  std::string name;
  std::string parameters;                  // before those of the walk
  std::string begin;                       // loads them
  std::function<std::string(int)> load;    // of element u, whose offset is %e<u>
  std::function<std::string(int)> finish;  // the same, when all that are loaded at once have been
  std::string end;
};

std::string Elements(const Walking& walk, int count) {
  std::string text = "  mov.u64 %w, %e;\n";
  for (int u = 0; u < count; ++u) {
    absl::StrAppend(&text, "  shl.b64 %e", u, ", %w, 4;\n", walk.load(u),
                    "  add.u64 %w, %w, %stride;\n");
  }
  for (int u = 0; u < count; ++u) text += walk.finish(u);
  return absl::StrCat(text, "  mov.u64 %e, %w;\n  add.u32 %n, %n, ", count, ";\n");
}

std::string WalkKernel(const Walking& walk) {
  return absl::StrCat(
      ".visible .entry ", walk.name, "(", walk.parameters,
      ".param .u32 begin, .param .u32 stride, .param .u32 each, .param .u32 count)\n{\n"
      "  .reg .pred %p, %q;\n  .reg .b32 %i, %n, %m, %each, %first, %s<4>, %v<32>, %r<8>;\n"
      "  .reg .f32 %scale;\n  .reg .b64 %to, %a, %b, %e, %w, %l, %stride, %count, %address;\n"
      "  .reg .b64 %e<4>;\n",
      kItem, walk.begin,
      "  ld.param.u32 %r3, [begin];\n  ld.param.u32 %r4, [stride];\n"
      "  ld.param.u32 %each, [each];\n  ld.param.u32 %r5, [count];\n"
      "  mul.wide.u32 %e, %i, %r3;\n  cvt.u64.u32 %stride, %r4;\n  cvt.u64.u32 %count, %r5;\n"
      "  mov.u32 %n, 0;\n"
      "SEVERAL:\n  add.u32 %m, %n, ",
      kAtOnce,
      ";\n  setp.gt.u32 %p, %m, %each;\n  @%p bra SINGLE;\n"
      "  mad.lo.u64 %l, %stride, ",
      kAtOnce - 1,
      ", %e;\n  setp.ge.u64 %p, %l, %count;\n"
      "  @%p bra SINGLE;\n",
      Elements(walk, kAtOnce),
      "  bra SEVERAL;\n"
      "SINGLE:\n  setp.ge.u32 %p, %n, %each;\n  @%p bra DONE;\n"
      "  setp.ge.u64 %p, %e, %count;\n  @%p bra DONE;\n",
      Elements(walk, 1), "  bra SINGLE;\nDONE:\n", walk.end, "  ret;\n}\n");
}

// The four registers of element u, from %v<first>.
std::string Words(int u, int first) {
  const int at = 8 * u + first;
  return absl::StrCat("{%v", at, ", %v", at + 1, ", %v", at + 2, ", %v", at + 3, "}");
}

std::string Load(int u, int first, const char* from) {
  return absl::StrCat("  add.u64 %address, ", from, ", %e", u, ";\n  ld.global.v4.b32 ",
                      Words(u, first), ", [%address];\n");
}

std::string Store(int u) {
  return absl::StrCat("  add.u64 %address, %to, %e", u, ";\n  st.global.v4.b32 [%address], ",
                      Words(u, 0), ";\n");
}

Walking Read() {
  const auto sum = [](int u) {
    std::string text;
    for (int j = 0; j < 4; ++j) {
      absl::StrAppend(&text, "  add.u32 %s", j, ", %s", j, ", %v", 8 * u + j, ";\n");
    }
    return text;
  };
  return {"read",
          ".param .u64 a, .param .u64 to, ",
          Pointer("a") + Pointer("to") +
              "  mov.u32 %s0, 0;\n  mov.u32 %s1, 0;\n  mov.u32 %s2, 0;\n  mov.u32 %s3, 0;\n",
          [](int u) { return Load(u, 0, "%a"); },
          sum,
          "  add.u32 %s0, %s0, %s1;\n  add.u32 %s2, %s2, %s3;\n  add.u32 %s0, %s0, %s2;\n"
          "  mul.wide.u32 %address, %i, 4;\n  add.u64 %address, %to, %address;\n"
          "  st.global.u32 [%address], %s0;\n"};
}

Walking Write() {
  const auto make = [](int u) {
    const int at = 8 * u;
    std::string text = absl::StrCat("  shr.u64 %l, %e", u, ", 2;\n  cvt.u32.u64 %v", at,
                                    ", %l;\n  add.u32 %v", at, ", %v", at, ", %first;\n");
    for (int j = 1; j < 4; ++j) {
      absl::StrAppend(&text, "  add.u32 %v", at + j, ", %v", at, ", ", j, ";\n");
    }
    return text;
  };
  return {"write",
          ".param .u64 to, .param .u32 first, ",
          Pointer("to") + "  ld.param.u32 %first, [first];\n",
          make,
          &Store,
          ""};
}

Walking CopyWalk() {
  return {"copy",
          ".param .u64 to, .param .u64 a, ",
          Pointer("to") + Pointer("a"),
          [](int u) { return Load(u, 0, "%a"); },
          &Store,
          ""};
}

Walking Triad() {
  const auto load = [](int u) { return Load(u, 0, "%a") + Load(u, 4, "%b"); };
  const auto finish = [](int u) {
    std::string text;
    for (int j = 8 * u; j < 8 * u + 4; ++j) {
      absl::StrAppend(&text, "  fma.rn.f32 %v", j, ", %scale, %v", j + 4, ", %v", j, ";\n");
    }
    return text + Store(u);
  };
  return {"triad",
          ".param .u64 to, .param .u64 a, .param .u64 b, .param .f32 scale, ",
          Pointer("to") + Pointer("a") + Pointer("b") + "  ld.param.f32 %scale, [scale];\n",
          load,
          finish,
          ""};
}

}  // namespace

PtxModule ModuleOf(Kernel kernel) {
  if (kernel == Kernel::kTensor) return {80, kTensorHeader + TensorKernel()};
  return {60, absl::StrCat(kHeader, FmaKernel(Fp64()), FmaKernel(Fp32()), FmaKernel(Fp16()),
                           WalkKernel(Read()), WalkKernel(Write()), WalkKernel(CopyWalk()),
                           WalkKernel(Triad()), ".visible .entry empty()\n{\n  ret;\n}\n")};
}

}  // namespace twofold::gpu
