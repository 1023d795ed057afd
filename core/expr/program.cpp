// The entry points of the module, and programs on the host.
#include <algorithm>
#include <array>
#include <utility>

#include <xp/expr/apply.hpp>
#include <xp/expr/computation.hpp>
#include <xp/expr/expr.hpp>
#include <xp/expr/generate.hpp>
#include <xp/expr/parser.hpp>
#include <xp/expr/plan.hpp>

namespace xp {
namespace {

Program generate(const detail::Parse& parse, std::string_view text, int root, bool optimise) {
  const Symbols& symbols = parse.scope.symbols();
  detail::Available available;
  available.fields = available.array_count = static_cast<int>(symbols.fields.size());
  Program program = detail::generate(parse.tree, {root}, available, optimise);
  if (program.empty())
    throw detail::Mistake(0, std::max<std::size_t>(1, text.size()),
                          "the expression is too complicated" + parse.scope.in_place());
  return program;
}

}  // namespace

Compiled compile(std::string_view text, const Symbols& symbols, bool optimise) {
  Compiled result;
  try {
    detail::Parse parse(symbols, optimise);
    const detail::Value value = detail::Parser(text, parse).parse(false, {});
    result.program = generate(parse, text, value.node, optimise);
  } catch (const detail::Mistake& mistake) {
    result.error = mistake.error;
  }
  return result;
}

CompiledVector compile_vector(std::string_view text, const Symbols& symbols) {
  CompiledVector result;
  try {
    detail::Parse parse(symbols, true);
    const detail::Value value = detail::Parser(text, parse).parse(true, {});
    for (int axis = 0; axis < symbols.dimensions; ++axis)
      result.programs.push_back(generate(parse, text, parse.calculus.component(value, axis), true));
  } catch (const detail::Mistake& mistake) {
    result.programs.clear();
    result.error = mistake.error;
  }
  return result;
}

std::optional<ExprError> check(std::string_view text, const Symbols& symbols, bool* is_vector) {
  try {
    detail::Parse parse(symbols, true);
    const detail::Value value = detail::Parser(text, parse).parse();
    if (is_vector != nullptr) *is_vector = value.is_vector();
  } catch (const detail::Mistake& mistake) {
    return mistake.error;
  }
  return std::nullopt;
}

bool is_condition(std::string_view text, const Symbols& symbols) {
  try {
    // Nothing is folded: 1 < 2 is a condition, 1 is none.
    detail::Parse parse(symbols, false);
    const int root = detail::Parser(text, parse).parse(false, {}).node;
    const auto& nodes = parse.tree.nodes();
    std::vector<int> open{root};
    while (!open.empty()) {
      const detail::Node& node = nodes[static_cast<std::size_t>(open.back())];
      open.pop_back();
      if (node.op == Op::select) {
        open.insert(open.end(), {node.children[1], node.children[2]});
      } else if (node.op == Op::definition) {
        open.push_back(node.children[0]);
      } else if (node.op < Op::less || node.op > Op::logical_not) {
        // In an `if`, 1 and 0 stand for true and false.
        const bool is_word = node.op == Op::constant && (node.value == 0 || node.value == 1);
        if (!is_word || nodes[static_cast<std::size_t>(root)].op != Op::select) return false;
      }
    }
  } catch (const detail::Mistake&) {
  }
  return true;
}

CompiledComputation compile_all(const std::vector<Request>& requests, const Symbols& symbols,
                                const CompileOptions& options) {
  CompiledComputation result;
  Symbols here = symbols;
  detail::Parse parse(here, options.optimise);
  try {
    std::vector<int> roots;
    for (std::size_t n = 0; n < requests.size(); ++n) {
      const Request& request = requests[n];
      result.failed = static_cast<int>(n);
      here.place = request.place;
      const detail::Value value =
          detail::Parser(request.text, parse).parse(request.is_vector, request.what);
      if (request.is_vector && request.component >= 0)
        roots.push_back(parse.calculus.component(value, request.component));
      else if (request.is_vector)
        for (int axis = 0; axis < symbols.dimensions; ++axis)
          roots.push_back(parse.calculus.component(value, axis));
      else
        roots.push_back(value.node);
    }
    result.computation = detail::plan(parse.tree, roots, here, options);
  } catch (const detail::Mistake& mistake) {
    result.error = mistake.error;
    // Of the whole: all of the text is meant.
    if (mistake.whole && result.error.offset == 0 && result.error.length == 1)
      result.error.length =
          std::max<std::size_t>(1, requests[static_cast<std::size_t>(result.failed)].text.size());
  }
  return result;
}

bool Computation::reads_around() const {
  return !stencils().empty();
}

bool Computation::uses_time() const {
  return last.uses_time || std::any_of(steps.begin(), steps.end(),
                                       [](const Step& step) { return step.program.uses_time; });
}

std::vector<Stencil> Computation::stencils() const {
  std::vector<Stencil> all = last.stencils;
  for (const Step& step : steps)
    for (const Stencil& stencil : step.program.stencils)
      if (std::none_of(all.begin(), all.end(),
                       [&](const Stencil& other) { return other.packed() == stencil.packed(); }))
        all.push_back(stencil);
  return all;
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
  result.value = compiled.program->constant_value();
  return result;
}

Program Program::of(double value) {
  Program program;
  program.outputs = {{Operand::Kind::number, 0}};
  program.constants = {value};
  return program;
}

bool Program::is_constant() const {
  return fields.empty() && std::none_of(code.begin(), code.end(), [](const Instruction& i) {
           return i.op == Op::input || i.op == Op::uniform || i.op == Op::normal ||
                  i.op == Op::stencil;
         });
}

double Program::constant_value() const {
  return (*this)({});
}

double Program::operator()(const std::vector<double>& slots) const {
  std::array<double, 256> values{};
  const auto get = [&](const Instruction& instruction, const Operand& operand) {
    switch (operand.kind) {
      case Operand::Kind::register_:
        return values[operand.index];
      case Operand::Kind::array:
        return slots.at(static_cast<std::size_t>(slot_fields) + operand.index);
      case Operand::Kind::number:
        return instruction.number[operand.index];
      default:
        return 0.0;
    }
  };
  for (const Instruction& instruction : code) {
    double& out = values[instruction.out];
    if (instruction.op == Op::input) {
      out = slots.at(static_cast<std::size_t>(instruction.slot));
      continue;
    }
    out = apply(instruction, get(instruction, instruction.a), get(instruction, instruction.b),
                get(instruction, instruction.c));
  }
  const Operand& output = outputs.at(0);
  if (output.kind == Operand::Kind::number) return constants.at(output.index);
  return get({}, output);
}

}  // namespace xp
