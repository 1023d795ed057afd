// A compiled expression on the device: the same register machine for a chunk of a row on the CPU
// (vectorised loops over lanes) and for one cell on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <xp/expr/apply.hpp>
#include <xp/expr/expr.hpp>
#include <xp/runtime/kokkos.hpp>

namespace xp {

/// Cells that one call of DeviceProgram::run should work on: enough on a CPU to pay for reading the
/// program, few enough for the registers to stay in the first-level cache.
template <class Space>
inline constexpr int chunk_width = is_host_space<Space> ? 256 : 1;

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

// Operands of a loop over lanes: an array, or a number for all of them.
struct LaneArray {
  const double* values;
  KOKKOS_FORCEINLINE_FUNCTION double operator()(int lane) const { return values[lane]; }
};
struct LaneNumber {
  double value;
  KOKKOS_FORCEINLINE_FUNCTION double operator()(int) const { return value; }
};

template <Op op, class A, class B>
KOKKOS_FORCEINLINE_FUNCTION void pair_lanes(int lanes, double* out, A a, B b) {
  XP_VECTORISE
  for (int lane = 0; lane < lanes; ++lane) out[lane] = apply(op, a(lane), b(lane), 0);
}

template <Op op, Op then, bool swapped, class A, class B, class C>
KOKKOS_FORCEINLINE_FUNCTION void fused_lanes(int lanes, double* out, A a, B b, C c) {
  XP_VECTORISE
  for (int lane = 0; lane < lanes; ++lane) {
    const double first = apply(op, a(lane), b(lane), 0);
    out[lane] = swapped ? apply(then, c(lane), first, 0) : apply(then, first, c(lane), 0);
  }
}

// A slot that the compiler knows; std::integral_constant cannot be used in device code.
template <int slot>
struct KnownSlot {
  KOKKOS_INLINE_FUNCTION constexpr operator int() const { return slot; }
};

// The slots of coordinates and the time are told to the compiler one by one, so that the choice
// between kinds of inputs leaves the loop over lanes.
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
    default:
      return read(slot);
  }
}

}  // namespace detail

/// Room for the values of a chunk of at most W cells while programs run over it.
template <int W>
struct Lanes {
  alignas(W == 1 ? 8 : 64) double registers[Program::max_registers][W];
  const double* arrays[Program::max_arrays];  ///< where an array's values are
  alignas(W == 1 ? 8 : 64) double copies[W == 1 ? 1 : Program::max_arrays]
                                        [W];  ///< of arrays that are of another type
};

/// A program in memory of `Space`, to be captured by kernels.
template <class Space>
class DeviceProgram {
 public:
  using Code = Kokkos::View<Instruction*, Kokkos::LayoutRight, typename Space::memory_space>;
  static constexpr int max_outputs = Program::max_outputs;

  DeviceProgram() = default;

  explicit DeviceProgram(const Program& program)
      : code_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "expression"), program.code.size()),
        size_(static_cast<int>(program.code.size())) {
    const auto host = Kokkos::create_mirror_view(code_);
    for (std::size_t n = 0; n < program.code.size(); ++n) host(n) = program.code[n];
    Kokkos::deep_copy(code_, host);
    if (size_ == 1 && program.outputs.size() == 1 && program.code[0].op == Op::stencil &&
        program.code[0].then == Op::constant &&
        Stencil::unpacked(program.code[0].slot).kind == StencilKind::laplacian) {
      const Instruction& only = program.code[0];
      laplacian_.array = only.a.index;
      if (only.b.kind == Operand::Kind::number) laplacian_.factor = only.number[only.b.index];
    }
    for (const int array : program.fields)
      arrays_[array_count_++] = static_cast<std::uint8_t>(array);
    for (const Operand& output : program.outputs) {
      if (output.kind == Operand::Kind::number)
        constants_[output_count_] = program.constants[output.index];
      outputs_[output_count_++] = output;
    }
  }

  /// False for a default-constructed one, whose value is 0 everywhere.
  bool has_program() const { return output_count_ > 0; }
  KOKKOS_INLINE_FUNCTION int outputs() const { return output_count_; }

  /// Evaluates the first `lanes` of at most W lanes. `inputs(slot, lane)` gives the inputs; where
  /// it has `row(array)`, the values of an array from lane 0 on, they are read in place, and
  /// `stencil(instruction, lanes, out, a, c)` evaluates stencils. The value of a lane depends
  /// neither on the other lanes nor on W.
  template <int W, class Inputs>
  KOKKOS_INLINE_FUNCTION void run(const Inputs& inputs, int lanes, Lanes<W>& work) const {
    if constexpr (W == 1) {
      run_cell(inputs, work);
    } else {
      fetch(inputs, lanes, work);
      for (int n = 0; n < size_; ++n) step(code_(n), inputs, lanes, work);
    }
  }

  /// What a program is that does nothing but this: factor * laplacian(array).
  struct LoneLaplacian {
    int array = -1;  ///< -1: it does something else
    double factor = 1;
  };
  const LoneLaplacian& lone_laplacian() const { return laplacian_; }

  /// After run(): where an output's values are; null for a number.
  template <int W>
  KOKKOS_INLINE_FUNCTION const double* output(int n, const Lanes<W>& work) const {
    const Operand& output = outputs_[n];
    if (output.kind == Operand::Kind::number) return nullptr;
    return output.kind == Operand::Kind::array ? work.arrays[output.index]
                                               : work.registers[output.index];
  }
  KOKKOS_INLINE_FUNCTION double constant(int n) const { return constants_[n]; }

  /// Evaluates the first output into `out`.
  template <int W, class Inputs>
  KOKKOS_INLINE_FUNCTION void run(const Inputs& inputs, int lanes, double (&out)[W]) const {
    const int count = W == 1 ? 1 : lanes;
    if (output_count_ == 0) return detail::fill_lanes(count, out, 0);
    Lanes<W> work;
    run(inputs, lanes, work);
    const double* const values = output(0, work);
    if (values == nullptr) return detail::fill_lanes(count, out, constants_[0]);
    XP_VECTORISE
    for (int lane = 0; lane < count; ++lane) out[lane] = values[lane];
  }

 private:
  template <int W, class Inputs>
  KOKKOS_INLINE_FUNCTION void fetch(const Inputs& inputs, int lanes, Lanes<W>& work) const {
    for (int n = 0; n < array_count_; ++n) {
      const int array = arrays_[n];
      if constexpr (requires { inputs.row(array, work.copies[0], lanes); }) {
        work.arrays[array] = inputs.row(array, work.copies[n], lanes);
      } else {
        detail::read_lanes(lanes, work.copies[n], inputs, Program::slot_fields + array);
        work.arrays[array] = work.copies[n];
      }
    }
  }

  template <int W, class Inputs>
  KOKKOS_INLINE_FUNCTION void run_cell(const Inputs& inputs, Lanes<W>& work) const {
    for (int n = 0; n < Program::max_registers; ++n) work.registers[n][0] = 0;
    const auto get = [&](const Instruction& instruction, const Operand& operand) {
      return operand.kind == Operand::Kind::register_ ? work.registers[operand.index][0]
             : operand.kind == Operand::Kind::number  ? instruction.number[operand.index]
             : operand.kind == Operand::Kind::array
                 ? inputs(Program::slot_fields + operand.index, 0)
                 : 0.0;
    };
    for (int n = 0; n < size_; ++n) {
      const Instruction instruction = code_(n);
      double& out = work.registers[instruction.out][0];
      if (instruction.op == Op::constant) {
        out = instruction.number[0];
      } else if (instruction.op == Op::input) {
        out = inputs(instruction.slot, 0);
      } else if (instruction.op == Op::uniform || instruction.op == Op::normal) {
        if constexpr (requires { inputs.random(Op::uniform, 0, 0); })
          out = inputs.random(instruction.op, instruction.slot, 0);
      } else if (instruction.op == Op::stencil) {
        if constexpr (requires { inputs.stencil_at(instruction, 0.0); }) {
          out = inputs.stencil_at(instruction, get(instruction, instruction.a));
          if (instruction.b.kind == Operand::Kind::number)
            out = instruction.number[instruction.b.index] * out;
          if (instruction.then != Op::constant) {
            const double c = get(instruction, instruction.c);
            out = instruction.swapped ? apply(instruction.then, c, out, 0)
                                      : apply(instruction.then, out, c, 0);
          }
        }
      } else {
        out = apply(instruction, get(instruction, instruction.a), get(instruction, instruction.b),
                    get(instruction, instruction.c));
      }
    }
    // Outputs that are arrays are read like everything else.
    for (int n = 0; n < output_count_; ++n)
      if (outputs_[n].kind == Operand::Kind::array) {
        work.copies[0][0] = inputs(Program::slot_fields + outputs_[n].index, 0);
        work.arrays[outputs_[n].index] = work.copies[0];
      }
  }

  // An operand's values, a number's in `room`.
  template <int W>
  KOKKOS_INLINE_FUNCTION static const double* values(const Instruction& instruction,
                                                     const Operand& operand, int lanes,
                                                     const Lanes<W>& work, double* room) {
    if (operand.kind == Operand::Kind::array) return work.arrays[operand.index];
    if (operand.kind == Operand::Kind::number) {
      detail::fill_lanes(lanes, room, instruction.number[operand.index]);
      return room;
    }
    return work.registers[operand.index];
  }

  // Calls `use` with the operand as a LaneArray or a LaneNumber.
  template <int W, class Use>
  KOKKOS_INLINE_FUNCTION static void with_operand(const Instruction& instruction,
                                                  const Operand& operand, const Lanes<W>& work,
                                                  const Use& use) {
    if (operand.kind == Operand::Kind::number)
      use(detail::LaneNumber{instruction.number[operand.index]});
    else if (operand.kind == Operand::Kind::array)
      use(detail::LaneArray{work.arrays[operand.index]});
    else
      use(detail::LaneArray{work.registers[operand.index]});
  }

  template <Op op, int W>
  KOKKOS_INLINE_FUNCTION static void pair(const Instruction& instruction, int lanes,
                                          Lanes<W>& work) {
    double* const out = work.registers[instruction.out];
    with_operand(instruction, instruction.a, work, [&](auto a) {
      with_operand(instruction, instruction.b, work,
                   [&](auto b) { detail::pair_lanes<op>(lanes, out, a, b); });
    });
  }

  template <Op op, Op then, bool swapped, int W>
  KOKKOS_INLINE_FUNCTION static void fused(const Instruction& instruction, int lanes,
                                           Lanes<W>& work) {
    double* const out = work.registers[instruction.out];
    with_operand(instruction, instruction.a, work, [&](auto a) {
      with_operand(instruction, instruction.b, work, [&](auto b) {
        with_operand(instruction, instruction.c, work, [&](auto c) {
          // Two numbers have been made one, and numbers come second where the order is free.
          using Number = detail::LaneNumber;
          constexpr bool a_is = std::is_same_v<decltype(a), Number>;
          constexpr bool b_is = std::is_same_v<decltype(b), Number>;
          if constexpr (!(a_is && (b_is || op != Op::subtract)))
            detail::fused_lanes<op, then, swapped>(lanes, out, a, b, c);
        });
      });
    });
  }

  template <Op op, int W>
  KOKKOS_INLINE_FUNCTION static void fused_with(const Instruction& instruction, int lanes,
                                                Lanes<W>& work) {
    if (instruction.then == Op::add)
      fused<op, Op::add, false>(instruction, lanes, work);
    else if (instruction.then == Op::multiply)
      fused<op, Op::multiply, false>(instruction, lanes, work);
    else if (instruction.swapped)
      fused<op, Op::subtract, true>(instruction, lanes, work);
    else
      fused<op, Op::subtract, false>(instruction, lanes, work);
  }

  template <int W, class Inputs>
  KOKKOS_INLINE_FUNCTION static void step(const Instruction& instruction, const Inputs& inputs,
                                          int lanes, Lanes<W>& work) {
    double* const out = work.registers[instruction.out];
    const bool is_fused = instruction.then != Op::constant;
    switch (instruction.op) {
      case Op::constant:
        return detail::fill_lanes(lanes, out, instruction.number[0]);
      case Op::input:
        return detail::read_lanes(lanes, out, inputs, instruction.slot);
      case Op::uniform:
      case Op::normal:
        if constexpr (requires { inputs.random(Op::uniform, 0, 0); })
          for (int lane = 0; lane < lanes; ++lane)
            out[lane] = inputs.random(instruction.op, instruction.slot, lane);
        return;
      case Op::stencil:
        if constexpr (requires { inputs.stencil(instruction, lanes, out, out, out); }) {
          double room[W];
          const double* const a = instruction.a.kind == Operand::Kind::array
                                      ? nullptr
                                      : values(instruction, instruction.a, lanes, work, room);
          const double* const value = instruction.a.kind == Operand::Kind::array &&
                                              Stencil::unpacked(instruction.slot).first_is_value()
                                          ? work.arrays[instruction.a.index]
                                          : a;
          double other[W];
          const double* const c =
              is_fused ? values(instruction, instruction.c, lanes, work, other) : nullptr;
          inputs.stencil(instruction, lanes, out, value, c);
        }
        return;
      case Op::reduction:
      case Op::definition:
        return;
      case Op::add:
        return is_fused ? fused_with<Op::add>(instruction, lanes, work)
                        : pair<Op::add>(instruction, lanes, work);
      case Op::subtract:
        return is_fused ? fused_with<Op::subtract>(instruction, lanes, work)
                        : pair<Op::subtract>(instruction, lanes, work);
      case Op::multiply:
        return is_fused ? fused_with<Op::multiply>(instruction, lanes, work)
                        : pair<Op::multiply>(instruction, lanes, work);
      case Op::divide:
        return pair<Op::divide>(instruction, lanes, work);
      default:
        return step_rarer(instruction, lanes, work);
    }
  }

  template <int W>
  KOKKOS_INLINE_FUNCTION static void step_rarer(const Instruction& instruction, int lanes,
                                                Lanes<W>& work) {
    double room[3][W];
    double* const out = work.registers[instruction.out];
    const double* const a = values(instruction, instruction.a, lanes, work, room[0]);
    const double* const b = values(instruction, instruction.b, lanes, work, room[1]);
    const double* const c = values(instruction, instruction.c, lanes, work, room[2]);
    switch (instruction.op) {
#define XP_LANES(name)                                     \
  case Op::name:                                           \
    detail::apply_lanes<Op::name, W>(lanes, out, a, b, c); \
    break;
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
      default:
        break;
    }
  }

  Code code_;
  int size_ = 0, array_count_ = 0, output_count_ = 0;
  LoneLaplacian laplacian_;
  std::uint8_t arrays_[Program::max_arrays] = {};
  Operand outputs_[max_outputs];
  double constants_[max_outputs] = {};
};

}  // namespace xp
