// Numbers, integers, durations and schedules from scalars of the input.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <xp/config/config.hpp>
#include <xp/config/node.hpp>

namespace xp {

/// Gives scalars their values; what is wrong with one goes into the diagnostics, and the result is
/// empty. `shown` is the path that messages name.
class ScalarReader {
 public:
  /// `failed` are names of parameters without a value: nothing is said about what is made of them.
  ScalarReader(const Evaluator& evaluator, const std::set<std::string>& failed,
               Diagnostics& diagnostics)
      : evaluator_(evaluator), failed_(failed), diagnostics_(diagnostics) {}

  std::optional<double> real(const ConfigNode& node, const SchemaEntry& entry,
                             const std::string& shown) const;
  std::optional<double> integer(const ConfigNode& node, const SchemaEntry& entry,
                                const std::string& shown) const;
  /// In seconds.
  std::optional<double> duration(const ConfigNode& node, const SchemaEntry& entry,
                                 const std::string& shown) const;
  /// The choice that is the number which the text gives.
  std::optional<std::string> choice(const ConfigNode& node, const SchemaEntry& entry,
                                    const std::string& shown) const;
  std::optional<ScheduleSpec> schedule(const ConfigNode& node, const std::string& shown) const;

 private:
  // `text` is the node's own or the beginning of it.
  std::optional<double> number(const ConfigNode& node, const std::string& shown,
                               std::string_view text, const char* what) const;
  bool in_range(const ConfigNode& node, const SchemaEntry& entry, const std::string& shown,
                double value) const;
  std::nullopt_t unknown_unit(const ConfigNode& node, const std::string& shown,
                              const std::string& unit, const char* known) const;
  bool mentions_failed(std::string_view text) const;

  const Evaluator& evaluator_;
  const std::set<std::string>& failed_;
  Diagnostics& diagnostics_;
};

}  // namespace xp
