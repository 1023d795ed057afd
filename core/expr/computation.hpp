// Expressions with differential operators and reductions: what has to be computed, and in which
// order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <xp/expr/expr.hpp>

namespace xp {

/// An array over the grid that is made on the way: something that is differentiated, or costly and
/// the same in every step. Array number: Computation::fields + its place in `temporaries`.
struct Temporary {
  std::string text;             ///< what it holds
  bool is_static = false;       ///< depends on the place alone: computed once
  bool is_read_around = false;  ///< by stencils: its ghost cells are needed
  /// Its value in a ghost cell follows from that of the arrays there, by the same program.
  bool is_pointwise = false;
  /// The definition whose boundary conditions fill its ghost cells at walls; "" where none do.
  std::string conditions;
  std::uint32_t needed_by = 0;  ///< bit n: the n-th value asked for needs it
};

/// One thing that is computed: arrays (cell by cell), a reduction of an expression over the grid,
/// or a single number from others.
struct Step {
  enum class Kind { arrays, reduction, number } kind = Kind::arrays;
  Program program;
  std::vector<int> targets;  ///< arrays: which arrays the outputs go to
  int number = -1;           ///< reduction and number: which number it becomes
  Reduction::Kind reduction = Reduction::Kind::integral;
  bool is_static = false;       ///< to be taken once
  std::uint32_t needed_by = 0;  ///< numbers: as Temporary::needed_by
  std::string text;
};

struct Computation {
  int fields = 0;  ///< arrays 0 .. fields-1 are the names of Symbols::fields
  int numbers = 0;
  std::vector<Temporary> temporaries;
  std::vector<Step> steps;      ///< in the order in which they are taken
  Program last;                 ///< after all steps: its outputs are the values asked for
  std::vector<bool> is_number;  ///< of each output: is it one number for the whole grid?

  int arrays() const { return fields + static_cast<int>(temporaries.size()); }
  bool reads_around() const;  ///< are there stencils?
  bool uses_time() const;
  /// Every stencil that occurs, each once.
  std::vector<Stencil> stencils() const;
};

/// A text to be compiled, and what it has to be.
struct Request {
  std::string text;
  bool is_vector = false;
  int component = -1;  ///< of the vector: this one alone
  std::string what;    ///< "field 'u'": named where the rank is wrong; may be empty
  std::string place;
};

struct CompiledComputation {
  std::optional<Computation> computation;
  int failed = 0;  ///< which request the mistake is in
  ExprError error;
  explicit operator bool() const { return computation.has_value(); }
};

struct CompileOptions {
  bool walls = true;      ///< some axis has walls: what is differentiated twice needs conditions
  bool repeated = false;  ///< computed many times: what is costly and static is worth an array
  bool optimise = true;   ///< share, fold and fuse
};

/// Compiles expressions together: what they have in common is computed once. One output per scalar,
/// one per component of a vector.
CompiledComputation compile_all(const std::vector<Request>& requests, const Symbols& symbols,
                                const CompileOptions& options);

}  // namespace xp
