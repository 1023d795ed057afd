#include <xp/config/schema.hpp>

#include <algorithm>
#include <utility>

namespace xp {
namespace {

// The component that begins at `start`, and where the next one does.
std::string component(const std::string& path, std::size_t& start) {
  const std::size_t end = std::min(path.find('.', start), path.size());
  std::string result = path.substr(start, end - start);
  start = end + 1;
  return result;
}

bool is_index(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// Does a schema path describe a concrete one?
bool describes(const std::string& pattern, const std::string& path) {
  std::size_t p = 0, q = 0;
  while (p <= pattern.size() && q <= path.size()) {
    const std::string wanted = component(pattern, p), found = component(path, q);
    if (wanted == "#" ? !is_index(found) : wanted != "*" && wanted != found) return false;
  }
  return p > pattern.size() && q > path.size();
}

}  // namespace

std::string path_below(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

bool is_list(ValueType type) {
  return type == ValueType::integers || type == ValueType::numbers ||
         type == ValueType::choice_list || type == ValueType::list;
}

void Schema::add(SchemaEntry entry) {
  entries_.push_back(std::move(entry));
}

void Schema::add(const std::vector<SchemaEntry>& entries) {
  for (const SchemaEntry& entry : entries) add(entry);
}

const SchemaEntry* Schema::find(const std::string& path) const {
  for (const SchemaEntry& entry : entries_)
    if (entry.path == path) return &entry;
  for (const SchemaEntry& entry : entries_)
    if (describes(entry.path, path)) return &entry;
  return nullptr;
}

std::vector<std::string> Schema::keys_below(const std::string& path) const {
  const std::string prefix = path.empty() ? "" : path + ".";
  std::vector<std::string> result;
  for (const SchemaEntry& entry : entries_)
    if (entry.path.rfind(prefix, 0) == 0 && entry.path.size() > prefix.size() &&
        entry.path.find('.', prefix.size()) == std::string::npos)
      result.push_back(entry.path.substr(prefix.size()));
  return result;
}

}  // namespace xp
