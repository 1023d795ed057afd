#include <xp/simulation/settings_reader.hpp>

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace xp {

std::vector<SettingsReader::Bounded> SettingsReader::components(const std::string& name,
                                                                bool is_vector) const {
  if (!is_vector) return {{name, name, -1}};
  std::vector<Bounded> list;
  for (int axis = 0; axis < dimensions(); ++axis)
    list.push_back({name + "_" + letter(all_axes[axis]), name, axis});
  return list;
}

std::vector<SettingsReader::Bounded> SettingsReader::bounded_fields() const {
  std::vector<Bounded> list;
  for (const std::string& field : fields_) list.push_back({field, field, -1});
  for (const auto& [name, first] : vectors_)
    for (int axis = 0; axis < dimensions(); ++axis) {
      const auto n = static_cast<std::size_t>(first + axis);
      if (n < list.size()) list[n] = {fields_[n], name, axis};
    }
  return list;
}

void SettingsReader::boundaries() {
  bool all_known = true;
  for (const std::string& name : config_.keys("boundary_conditions")) {
    if (!settings_.model || name == "*") continue;
    if (std::find(fields_.begin(), fields_.end(), name) != fields_.end()) continue;
    if (vectors_.count(name) > 0 || symbols_.definitions.count(name) > 0) continue;
    all_known = false;
    const std::size_t end = name.rfind('_');
    const std::string owner = name.substr(0, end);
    diagnostics_.add(
        config_.key_position("boundary_conditions." + name),
        "unknown field or definition '" + name + "' in boundary_conditions",
        end != std::string::npos && symbols_.definitions.count(owner) > 0
            ? "conditions of a vector's components are given together, as those of " + owner
            : nearest_field(name, true));
  }
  if (!have_dimensions_ || !settings_.model) return;
  for (const std::string& name : config_.keys("boundary_conditions"))
    for (const std::string& side : config_.keys("boundary_conditions." + name))
      check_side(name, side);
  for (const Bounded& field : bounded_fields())
    settings_.boundaries.push_back(conditions_of(field, all_known));
  bounded_definitions(all_known);
}

void SettingsReader::bounded_definitions(bool all_known) {
  for (const auto& definition : symbols_.definitions) {
    if (!is_bounded_definition(definition.first)) continue;
    Symbols symbols = field_symbols();
    bool vector = false;
    check(definition.second, symbols, &vector);
    for (const Bounded& part : components(definition.first, vector))
      settings_.conditions[part.name] = conditions_of(part, all_known);
  }
}

void SettingsReader::unused_conditions() {
  // An expression that was refused may have been the one that they are for.
  if (!diagnostics_.empty()) return;
  for (const auto& definition : symbols_.definitions) {
    const std::string& name = definition.first;
    if (!is_bounded_definition(name)) continue;
    bool used = false;
    for (const bool vector : {false, true})
      for (const Bounded& part : components(name, vector))
        used = used || used_.count(part.name) > 0;
    if (!used)
      diagnostics_.add(config_.key_position("boundary_conditions." + name),
                       "'boundary_conditions." + name +
                           "' has no effect: nothing differentiates the definition '" + name + "'");
  }
}

BoundaryConditions SettingsReader::conditions_of(const Bounded& what, bool all_known) {
  BoundaryConditions conditions;
  std::string missing;
  for (const Axis axis : all_axes) {
    if (!bounded(axis)) continue;
    for (const bool upper : {false, true}) {
      const std::string path = condition_path(what, axis, upper);
      if (!path.empty()) {
        const bool whole =
            path.compare(0, 21 + what.owner.size(), "boundary_conditions." + what.owner + ".") == 0;
        conditions[place(axis)][upper ? 1 : 0] =
            read_condition(path, whole && what.component >= 0 ? what.component : -1);
      } else if (have_periodicity_ && all_known && !side_refused(what, axis, upper)) {
        missing += (missing.empty() ? "" : ", ") + side_name(axis, upper);
      }
    }
    if (missing.empty()) check_axis(what, axis, conditions[place(axis)]);
  }
  if (!missing.empty()) report_missing(what.owner, missing);
  return conditions;
}

std::string SettingsReader::nearest_field(const std::string& name, bool or_definition) const {
  std::string list;
  std::string last;
  for (const Bounded& field : bounded_fields()) {
    if (field.owner != last) list += (list.empty() ? "" : ", ") + field.owner;
    last = field.owner;
  }
  if (list.empty()) return {};
  list = "fields: " + list;
  std::set<std::string> known = field_names();
  if (or_definition && !symbols_.definitions.empty()) {
    std::string separator = "; definitions: ";
    for (const auto& definition : symbols_.definitions) {
      known.insert(definition.first);
      list += separator + definition.first;
      separator = ", ";
    }
  }
  // Every one-letter name is one change away from every other.
  const std::string nearest =
      name.size() > 1 || known.size() == 1 ? did_you_mean(name, {known.begin(), known.end()}) : "";
  return !nearest.empty() ? nearest : list;
}

std::set<std::string> SettingsReader::field_names() const {
  std::set<std::string> names(fields_.begin(), fields_.end());
  for (const auto& vector : vectors_) names.insert(vector.first);
  return names;
}

std::string SettingsReader::side_name(Axis axis, bool upper) {
  return std::string(1, letter(axis)) + (upper ? "+" : "-");
}

bool SettingsReader::bounded(Axis axis) const {
  return index(axis) < settings_.grid.dimensions && !settings_.grid.periodic[place(axis)];
}

void SettingsReader::report_missing(const std::string& field, const std::string& sides) {
  if (!seen_.insert("missing " + field + " " + sides).second) return;
  const std::string known = "boundary_conditions." + field;
  const std::string first = sides.substr(0, sides.find(','));
  diagnostics_.add(config_.given(known) ? config_.key_position(known)
                   : config_.given("boundary_conditions")
                       ? config_.key_position("boundary_conditions")
                       : config_.key_position("grid"),
                   "no boundary condition for '" + field + "' at " + sides,
                   "give " + known + "." + first + ", or all, or make the axis periodic");
}

void SettingsReader::check_side(const std::string& field, const std::string& side) {
  const std::string path = "boundary_conditions." + field + "." + side;
  const Position where = config_.key_position(path);
  const int own_axis = side == "all" ? -1 : side[0] - 'x';
  if (own_axis >= settings_.grid.dimensions)
    return diagnostics_.add(where, std::string("the grid has no axis ") + side[0]);
  if (own_axis >= 0 && settings_.grid.periodic[static_cast<std::size_t>(own_axis)])
    return diagnostics_.add(
        where,
        std::string("a boundary condition on a periodic axis: grid.periodic has ") + side[0]);
  std::vector<Bounded> all = bounded_fields();
  const auto is_of = [&](const Bounded& one) {
    return field == "*" || one.name == field || one.owner == field;
  };
  if (is_bounded_definition(field)) all.push_back({field, field, -1});
  if (std::none_of(all.begin(), all.end(), is_of) || !have_periodicity_) return;

  // A key that gives its condition to no side of any field was meant to do something.
  std::vector<std::string> others;
  bool some_periodic = false;
  for (const Bounded& one : all) {
    if (!is_of(one)) continue;
    for (const Axis axis : all_axes) {
      if (index(axis) >= settings_.grid.dimensions) continue;
      if (own_axis >= 0 && index(axis) != own_axis) continue;
      some_periodic = some_periodic || !bounded(axis);
      for (const bool upper : {false, true}) {
        if (!bounded(axis) || (side.size() == 2 && side != side_name(axis, upper))) continue;
        const std::string other = condition_path(one, axis, upper);
        if (other == path) return;
        if (std::find(others.begin(), others.end(), other) == others.end()) others.push_back(other);
      }
    }
  }
  std::string why = some_periodic      ? "each of its sides is periodic or has a more specific key"
                    : side.size() == 2 ? "its side has a more specific key"
                                       : "each of its sides has a more specific key";
  for (std::size_t n = 0; n < others.size(); ++n)
    why += (n ? ", " : ": ") + others[n].substr(others[n].find('.') + 1);
  if (others.empty()) why = "every axis is periodic";
  diagnostics_.add(where, "'" + path + "' has no effect: " + why);
}

std::vector<std::string> SettingsReader::side_paths(const Bounded& what, Axis axis, bool upper) {
  std::vector<std::string> blocks = {what.name};
  if (what.owner != what.name) blocks.push_back(what.owner);
  // "*" is for all fields; a definition has conditions because its name is there.
  blocks.emplace_back("*");
  std::vector<std::string> paths;
  for (const std::string& block : blocks)
    for (const std::string& key :
         {side_name(axis, upper), std::string(1, letter(axis)), std::string("all")})
      paths.push_back("boundary_conditions." + block + "." + key);
  return paths;
}

std::string SettingsReader::condition_path(const Bounded& what, Axis axis, bool upper) const {
  for (const std::string& path : side_paths(what, axis, upper))
    if (config_.given(path)) return path;
  return {};
}

bool SettingsReader::side_refused(const Bounded& what, Axis axis, bool upper) const {
  for (const std::string& path : side_paths(what, axis, upper))
    if (config_.refused(path)) return true;
  const Schema schema = core_schema();
  for (const std::string& block : {what.name, what.owner, std::string("*")})
    for (const std::string& key : config_.refused_keys("boundary_conditions." + block))
      if (!schema.find("boundary_conditions.*." + key)) return true;
  return false;
}

BoundaryCondition SettingsReader::read_condition(const std::string& path, int component) {
  BoundaryCondition result;
  if (config_.refused(path)) return result;
  const auto value = [&](const std::string& key) {
    return expression(path + "." + key, true, component);
  };
  if (config_.given(path + ".dirichlet")) {
    result.kind = BoundaryKind::dirichlet;
    result.value = value("dirichlet");
  } else if (config_.given(path + ".neumann")) {
    result.kind = BoundaryKind::neumann;
    result.value = value("neumann");
  } else if (config_.given(path + ".robin")) {
    result.kind = BoundaryKind::robin;
    result.alpha = expression(path + ".robin.alpha", true);
    result.beta = expression(path + ".robin.beta", true);
    result.value = value("robin.value");
  } else {
    const std::string kind = config_.text(path + ".kind");
    if (kind == "periodic" && seen_.insert(path).second)
      diagnostics_.add(config_.position(path + ".kind"),
                       "a periodic axis is named in grid.periodic, not here");
    result.kind = kind == "outflow"        ? BoundaryKind::outflow
                  : kind == "antiperiodic" ? BoundaryKind::antiperiodic
                                           : BoundaryKind::periodic;
  }
  return result;
}

void SettingsReader::check_axis(const Bounded& what, Axis axis,
                                const std::array<BoundaryCondition, 2>& ends) {
  const bool lower_anti = ends[0].kind == BoundaryKind::antiperiodic;
  if (lower_anti != (ends[1].kind == BoundaryKind::antiperiodic))
    diagnostics_.add(config_.position(condition_path(what, axis, !lower_anti)),
                     std::string("'") + what.name + "' is antiperiodic at one end of " +
                         letter(axis) + " only: each end follows the other",
                     "write " + std::string(1, letter(axis)) + ": antiperiodic");
  const double spacing = (settings_.grid.upper[place(axis)] - settings_.grid.lower[place(axis)]) /
                         static_cast<double>(settings_.grid.cells[place(axis)]);
  for (const bool upper : {false, true}) {
    const BoundaryCondition& end = ends[upper ? 1 : 0];
    if (end.kind != BoundaryKind::robin || !end.alpha.is_constant() || !end.beta.is_constant())
      continue;
    const std::string path = condition_path(what, axis, upper) + ".robin";
    if (config_.refused(path) || !(spacing > 0)) continue;
    const double alpha = end.alpha.constant_value(), beta = end.beta.constant_value();
    if (!has_solution(settings_.order, settings_.grid.ghosts, alpha, beta, spacing) &&
        seen_.insert(path).second)
      diagnostics_.add(
          config_.key_position(path),
          alpha == 0 && beta == 0
              ? "alpha and beta of a robin condition are both 0"
              : fmt::format("the robin condition has no solution at {} of this grid: "
                            "alpha {}, beta {} and spacing {} cancel",
                            side_name(axis, upper), alpha, beta, spacing),
          alpha == 0 && beta == 0 ? "" : "alpha and beta of the same sign always have one");
  }
}

void SettingsReader::resolution() {
  if (!have_dimensions_ || !have_periodicity_) return;
  for (const Axis axis : all_axes) {
    if (index(axis) >= settings_.grid.dimensions) continue;
    const auto needed_by_order = [&](Axis along) -> std::int64_t {
      const int ghosts = ghost_width(settings_.order);
      return bounded(along) ? wall_cells(settings_.order, ghosts) : ghosts;
    };
    const std::int64_t needed = bounded(axis) ? settings_.grid.wall_cells : settings_.grid.ghosts;
    const std::int64_t cells = settings_.grid.cells[place(axis)];
    if (cells < needed)
      diagnostics_.add(
          config_.position("grid.cells." + std::to_string(index(axis))),
          needed_by_order(axis) < needed
              ? fmt::format("these expressions with numerics.order {} and "
                            "numerics.advection {} need at least {} cells along {}, "
                            "not {}",
                            static_cast<int>(settings_.order), config_.text("numerics.advection"),
                            needed, letter(axis), cells)
              : fmt::format("numerics.order {} needs at least {} cells along {}, not {}",
                            static_cast<int>(settings_.order), needed, letter(axis), cells));
  }
}

}  // namespace xp
