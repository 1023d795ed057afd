// A compiled expression on the device: the same register machine for a chunk of a row on the CPU
// (vectorised loops over lanes) and for one cell on a GPU.
#pragma once

#include <cstddef>

#include <xp/expr/apply.hpp>
#include <xp/expr/expr.hpp>
#include <xp/runtime/kokkos.hpp>

namespace xp {

/// Cells that one call of DeviceProgram::run should work on: enough on a CPU to pay for reading the
/// program, few enough for the registers to stay in the first-level cache.
template <class Space>
inline constexpr int chunk_width = is_host_space<Space> ? 64 : 1;

namespace detail {

// One operation on all lanes. A register may be operand and result at once, always of the same
// lane.
template <Op op, int W>
KOKKOS_FORCEINLINE_FUNCTION void apply_lanes(int lanes, double* out, const double* a,
                                             const double* b, const double* c) {
  if constexpr (W > 1 && is_function<op>) {
    call_lanes<op>(lanes, out, a, b);
  } else {
    XP_VECTORISE
    for (int lane = 0; lane < lanes; ++lane) out[lane] = apply(op, a[lane], b[lane], c[lane]);
  }
}

KOKKOS_FORCEINLINE_FUNCTION void fill_lanes(int lanes, double* out, double value) {
  XP_VECTORISE
  for (int lane = 0; lane < lanes; ++lane) out[lane] = value;
}

// A slot that the compiler knows; std::integral_constant cannot be used in device code.
template <int slot>
struct KnownSlot {
  KOKKOS_INLINE_FUNCTION constexpr operator int() const { return slot; }
};

// The slots of coordinates, time and the first fields are told to the compiler one by one, so that
// the choice between kinds of inputs leaves the loop over lanes.
template <class Inputs>
KOKKOS_INLINE_FUNCTION void read_lanes(int lanes, double* out, const Inputs& inputs, int slot) {
  const auto read = [&](auto known) {
    XP_VECTORISE
    for (int lane = 0; lane < lanes; ++lane) out[lane] = inputs(known, lane);
  };
  switch (slot) {
    case 0:
      return read(KnownSlot<0>());
    case 1:
      return read(KnownSlot<1>());
    case 2:
      return read(KnownSlot<2>());
    case 3:
      return read(KnownSlot<3>());
    case 4:
      return read(KnownSlot<4>());
    case 5:
      return read(KnownSlot<5>());
    default:
      return read(slot);
  }
}

}  // namespace detail

/// A program in memory of `Space`, to be captured by kernels.
template <class Space>
class DeviceProgram {
 public:
  using Code = Kokkos::View<Instruction*, Kokkos::LayoutRight, typename Space::memory_space>;

  DeviceProgram() = default;

  explicit DeviceProgram(const Program& program)
      : code_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "expression"), program.code.size()),
        size_(static_cast<int>(program.code.size())) {
    const auto host = Kokkos::create_mirror_view(code_);
    for (std::size_t n = 0; n < program.code.size(); ++n) host(n) = program.code[n];
    Kokkos::deep_copy(code_, host);
  }

  /// False for a default-constructed one, whose value is 0 everywhere.
  bool has_program() const { return size_ > 0; }

  /// Evaluates the first `lanes` of at most W lanes; `inputs(slot, lane)` gives the inputs. The
  /// value of a lane depends neither on the other lanes nor on W.
  template <int W, class Inputs>
  KOKKOS_INLINE_FUNCTION void run(const Inputs& inputs, int lanes, double (&out)[W]) const {
    const int count = W == 1 ? 1 : lanes;
    double registers[Program::max_registers][W];
    // Operations with fewer operands read registers that were never written, to no effect; where it
    // is cheap they are given a value, so that no compiler has to warn.
    if constexpr (W == 1)
      for (int n = 0; n < Program::max_registers; ++n) registers[n][0] = 0;
    for (int n = 0; n < size_; ++n) {
      const Instruction instruction = code_(n);
      double* const to = registers[instruction.out];
      const double* const a = registers[instruction.a];
      const double* const b = registers[instruction.b];
      const double* const c = registers[instruction.c];
      switch (instruction.op) {
        case Op::constant:
          detail::fill_lanes(count, to, instruction.value);
          break;
        case Op::input:
          if constexpr (W == 1)
            to[0] = inputs(instruction.slot, 0);
          else
            detail::read_lanes(count, to, inputs, instruction.slot);
          break;
#define XP_LANES(name)                                    \
  case Op::name:                                          \
    detail::apply_lanes<Op::name, W>(count, to, a, b, c); \
    break;
          XP_LANES(add)
          XP_LANES(subtract)
          XP_LANES(multiply)
          XP_LANES(divide)
          XP_LANES(power)
          XP_LANES(negate)
          XP_LANES(less)
          XP_LANES(less_equal)
          XP_LANES(greater)
          XP_LANES(greater_equal)
          XP_LANES(equal)
          XP_LANES(not_equal)
          XP_LANES(logical_and)
          XP_LANES(logical_or)
          XP_LANES(logical_not)
          XP_LANES(select)
          XP_LANES(exp)
          XP_LANES(log)
          XP_LANES(log10)
          XP_LANES(sqrt)
          XP_LANES(cbrt)
          XP_LANES(sin)
          XP_LANES(cos)
          XP_LANES(tan)
          XP_LANES(asin)
          XP_LANES(acos)
          XP_LANES(atan)
          XP_LANES(atan2)
          XP_LANES(sinh)
          XP_LANES(cosh)
          XP_LANES(tanh)
          XP_LANES(erf)
          XP_LANES(abs)
          XP_LANES(sign)
          XP_LANES(floor)
          XP_LANES(ceil)
          XP_LANES(mod)
          XP_LANES(min)
          XP_LANES(max)
          XP_LANES(hypot)
          XP_LANES(heaviside)
          XP_LANES(clamp)
#undef XP_LANES
      }
    }
    if (size_ == 0) return detail::fill_lanes(count, out, 0);
    for (int lane = 0; lane < count; ++lane) out[lane] = registers[0][lane];
  }

 private:
  Code code_;
  int size_ = 0;
};

}  // namespace xp
