// The input's schema: one table of keys from which the checker, `xpsim schema`, the input reference
// page and the resolved input all come.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace xp {

enum class ValueType {
  boolean,     ///< true or false
  integer,     ///< a number that is exactly an integer
  number,      ///< a finite number, or a constant expression that gives one
  text,        ///< any scalar, kept as written
  choice,      ///< one of `choices`
  expression,  ///< text of an expression; compiled by whoever uses it
  schedule,  ///< simulation time, "50 steps", "30 s" | "10 min" | "2 h" of wall time, or a list of
             ///< times
  duration,  ///< wall time: seconds, or "30 s" | "10 min" | "2 h"
  integers,  ///< a list of integers
  numbers,   ///< a list of numbers
  choice_list,  ///< a list of `choices`
  block,        ///< keys with names of their own, listed in the schema as `path.key`
  map,          ///< keys that the user names, described by `path.*`
  list,         ///< items described by `path.#`
};

/// One key of the input.
struct SchemaEntry {
  std::string
      path;  ///< "grid.cells"; `*` stands for a name that the user gives, `#` for a list item
  ValueType type = ValueType::text;
  std::string help;      ///< one sentence
  std::string fallback;  ///< default as YAML text; empty: none
  bool required = false;
  std::string units;  ///< "", or for example "simulation time"
  std::vector<std::string>
      choices;  ///< for choice(s); on a number, integer, schedule: words also taken
  std::vector<std::string> reserved_choices;  ///< of the contract, not supported by this version
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  bool above_minimum = false;  ///< the minimum itself is excluded
  int least_items = 0;         ///< of lists
  int most_items = 1 << 20;    ///< of lists
  std::string shorthand;       ///< block: the key that a plain scalar given in its place sets
  bool exactly_one = false;    ///< block: takes exactly one of its keys
  /// Of a block: is it filled in with its defaults in a run of this model and time scheme? Null:
  /// always.
  std::function<bool(const std::string& model, const std::string& scheme)> applies = {};
  bool of_model = false;  ///< a block that exists only in a run of the model of its name
  bool in_time = false;   ///< of an expression: may it depend on t?
  bool random = false;    ///< of an expression: may it have random numbers?
};

/// The table, with the look-ups that everything else is made of. Order is that of adding.
class Schema {
 public:
  void add(SchemaEntry entry);
  void add(const std::vector<SchemaEntry>& entries);
  const std::vector<SchemaEntry>& entries() const { return entries_; }

  /// The entry that describes a concrete path such as "parameters.D.value" or "verify.0.at", or
  /// null.
  const SchemaEntry* find(const std::string& path) const;

  /// Names of the keys right below a schema path ("" for the top level).
  std::vector<std::string> keys_below(const std::string& path) const;

 private:
  std::vector<SchemaEntry> entries_;
};

/// "grid" and "cells" as "grid.cells"; a key at the top level is a path already.
std::string path_below(const std::string& path, const std::string& key);

/// Does YAML write a value of this type as a list?
bool is_list(ValueType type);

/// Everything but the models' own blocks, which each model adds.
Schema core_schema(const std::vector<std::string>& steady_models = {});

/// JSON Schema (draft 2020-12) of the input.
std::string json_schema(const Schema& schema);

/// The input reference page of the manual, in Markdown.
std::string reference_page(const Schema& schema);

}  // namespace xp
