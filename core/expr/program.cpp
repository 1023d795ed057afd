// The entry points of the module, and programs on the host.
#include <algorithm>
#include <cmath>
#include <utility>

#include <xp/expr/apply.hpp>
#include <xp/expr/expr.hpp>
#include <xp/expr/parser.hpp>

namespace xp {

Compiled compile(std::string_view text, const Symbols& symbols, bool optimise) {
  Compiled result;
  try {
    detail::Parse parse(symbols, optimise);
    const int root = detail::Parser(text, parse).parse();
    Program program = detail::generate(parse.tree, root, static_cast<int>(symbols.fields.size()));
    if (program.code.empty())
      throw detail::Mistake(0, std::max<std::size_t>(1, text.size()),
                            "the expression is too complicated" + parse.scope.in_place());
    program.reductions = std::move(parse.reductions);
    result.program = std::move(program);
  } catch (const detail::Mistake& mistake) {
    result.error = mistake.error;
  }
  return result;
}

ConstantResult evaluate_constant(std::string_view text,
                                 const std::map<std::string, double>& parameters) {
  Symbols symbols;
  symbols.coordinates = false;
  symbols.time = false;
  symbols.parameters = parameters;
  symbols.place = "a constant";
  ConstantResult result;
  Compiled compiled = compile(text, symbols);
  if (!compiled) {
    result.error = std::move(compiled.error);
    return result;
  }
  const double value = compiled.program->constant_value();
  if (std::isfinite(value)) {
    result.value = value;
    return result;
  }
  const char* const shown = std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  result.error = {
      0, text.size(), std::string("the value is ") + shown + ", not a finite number", {}};
  return result;
}

bool Program::is_constant() const {
  return std::none_of(code.begin(), code.end(),
                      [](const Instruction& instruction) { return instruction.op == Op::input; });
}

double Program::constant_value() const {
  return (*this)({});
}

double Program::operator()(const std::vector<double>& slots) const {
  double values[max_registers] = {};
  for (const Instruction& instruction : code) {
    double& out = values[instruction.out];
    switch (instruction.op) {
      case Op::constant:
        out = instruction.value;
        break;
      case Op::input:
        out = slots.at(static_cast<std::size_t>(instruction.slot));
        break;
      default:
        out = apply(instruction.op, values[instruction.a], values[instruction.b],
                    values[instruction.c]);
    }
  }
  return values[0];
}

}  // namespace xp
