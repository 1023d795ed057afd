#include <xp/expr/listing.hpp>

#include <fmt/format.h>

#include <xp/expr/names.hpp>

namespace xp {
namespace {

const char* sign_of(Op op) {
  switch (op) {
    case Op::add:
      return " + ";
    case Op::subtract:
      return " - ";
    case Op::multiply:
      return " * ";
    case Op::divide:
      return " / ";
    case Op::power:
      return "^";
    case Op::less:
      return " < ";
    case Op::less_equal:
      return " <= ";
    case Op::greater:
      return " > ";
    case Op::greater_equal:
      return " >= ";
    case Op::equal:
      return " == ";
    case Op::not_equal:
      return " != ";
    case Op::logical_and:
      return " and ";
    case Op::logical_or:
      return " or ";
    default:
      return nullptr;
  }
}

class Lister {
 public:
  explicit Lister(const std::vector<std::string>& arrays) : arrays_(arrays) {}

  std::string operand(const Instruction& instruction, const Operand& operand) const {
    switch (operand.kind) {
      case Operand::Kind::register_:
        return "r" + std::to_string(operand.index);
      case Operand::Kind::array:
        return array(operand.index);
      case Operand::Kind::number:
        return fmt::format("{}", instruction.number[operand.index]);
      default:
        return {};
    }
  }
  std::string array(int n) const { return arrays_[static_cast<std::size_t>(n)]; }

  std::string value(const Instruction& i) const {
    const std::string a = operand(i, i.a), b = operand(i, i.b), c = operand(i, i.c);
    std::string first;
    if (i.op == Op::constant) {
      first = fmt::format("{}", i.number[0]);
    } else if (i.op == Op::input) {
      const int array_end = Program::slot_fields + static_cast<int>(arrays_.size());
      first = i.slot < Program::slot_time    ? std::string(1, "xyz"[i.slot])
              : i.slot == Program::slot_time ? "t"
              : i.slot < array_end           ? array(i.slot - Program::slot_fields)
                                             : "number " + std::to_string(i.slot - array_end);
    } else if (i.op == Op::stencil) {
      const Stencil stencil = Stencil::unpacked(i.slot);
      first = name_of(stencil) + "(" + a + (stencil.operands() == 2 ? ", " + b : "") + ")";
      if (stencil.operands() == 1 && i.b.kind == Operand::Kind::number) first = b + " * " + first;
    } else if (i.op == Op::multiply && same(i.a, i.b)) {
      const bool cube = i.then == Op::multiply && same(i.a, i.c);
      first = a + (cube ? "^3" : "^2");
      if (cube) return first;
    } else if (const char* sign = sign_of(i.op)) {
      first = a + sign + b;
    } else if (i.op == Op::negate) {
      first = "-" + a;
    } else {
      for (const detail::Function& function : detail::functions())
        if (function.op == i.op) first = std::string(function.name) + "(" + a;
      if (first.empty()) first = i.op == Op::logical_not ? "not (" + a : "random(" + a;
      const bool three = i.op == Op::select || i.op == Op::clamp;
      if (i.b.kind != Operand::Kind::none) first += ", " + b;
      if (three) first += ", " + c;
      first += ")";
    }
    if (i.then == Op::constant) return first;
    const std::string sign = sign_of(i.then);
    const bool bracket = i.then == Op::multiply && i.op != Op::multiply;
    if (bracket) first = "(" + first + ")";
    return i.swapped ? c + sign + "(" + first + ")" : first + sign + c;
  }

 private:
  static bool same(const Operand& a, const Operand& b) {
    return a.kind == b.kind && a.index == b.index && a.kind != Operand::Kind::number;
  }

  const std::vector<std::string>& arrays_;
};

}  // namespace

std::string name_of(const Stencil& stencil) {
  const char axis = "xyz"[stencil.axis], other = "xyz"[stencil.other];
  switch (stencil.kind) {
    case StencilKind::first:
      return fmt::format("d{}", axis);
    case StencilKind::second:
      return fmt::format("d{0}{0}", axis);
    case StencilKind::mixed:
      return fmt::format("d{}{}", axis, other);
    case StencilKind::laplacian:
      return "laplacian";
    case StencilKind::diffusion:
      return fmt::format("diffusion_{}", axis);
    case StencilKind::flux:
      return fmt::format("flux_{}", axis);
    case StencilKind::upwind:
      return fmt::format("upwind_{}", axis);
  }
  return {};
}

std::vector<std::string> listing(const Program& program, const std::vector<std::string>& arrays,
                                 const std::vector<std::string>& outputs) {
  const Lister lister(arrays);
  std::vector<std::string> lines;
  for (const Instruction& instruction : program.code)
    lines.push_back(fmt::format("r{} = {}", instruction.out, lister.value(instruction)));
  for (std::size_t n = 0; n < outputs.size(); ++n) {
    const Operand& output = program.outputs[n];
    const std::string from = output.kind == Operand::Kind::number
                                 ? fmt::format("{}", program.constants[output.index])
                                 : lister.operand({}, output);
    lines.push_back(outputs[n] + " = " + from);
  }
  return lines;
}

}  // namespace xp
