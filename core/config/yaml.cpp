#include <algorithm>
#include <sstream>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <xp/config/node.hpp>

namespace xp {
namespace {

constexpr int deepest = 32;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text)
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  return lines;
}

// Builds the tree from yaml-cpp's events: its own node type drops duplicate keys and positions.
class Builder final : public YAML::EventHandler {
 public:
  Builder(const std::vector<std::string>& lines, const std::string& file, Diagnostics& diagnostics)
      : lines_(lines), file_(file), diagnostics_(diagnostics) {}

  ConfigNode take() { return std::move(root_); }

  Position place(const YAML::Mark& mark, std::size_t length = 1) const {
    Position where;
    where.file = file_;
    where.line = std::clamp(mark.line + 1, 1, static_cast<int>(lines_.size()));
    where.column = mark.column + 1;
    where.length = static_cast<int>(std::max<std::size_t>(1, length));
    where.source_line = lines_[static_cast<std::size_t>(where.line - 1)];
    return where;
  }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    ConfigNode node;
    node.where = place(mark);
    add(std::move(node));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    diagnostics_.add(place(mark), "aliases (*name) are not supported", "write the value out");
    add({});
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    ConfigNode node;
    node.kind = ConfigNode::Kind::scalar;
    node.text = value;
    node.where = place(mark, value.size());
    const std::string& line = node.where.source_line;
    const std::size_t column = static_cast<std::size_t>(node.where.column - 1);
    const char first = column < line.size() ? line[column] : ' ';
    node.quoted = tag == "!" && (first == '"' || first == '\'');
    node.block = tag == "!" && !node.quoted;
    if (node.quoted) {
      node.where.column += 1;
    } else if (!node.block && (value.empty() || value == "~" || value == "null")) {
      node.kind = ConfigNode::Kind::null;
    }
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    start(mark, tag, anchor, ConfigNode::Kind::list);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    start(mark, tag, anchor, ConfigNode::Kind::mapping);
  }
  void OnMapEnd() override { end(); }

 private:
  // A list or mapping being read; a mapping waits for a key and for its value in turn.
  struct Frame {
    ConfigNode node;
    bool have_key = false;
    std::string key;
    Position key_where;
  };

  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0)
      diagnostics_.add(place(mark), "anchors (&name) are not supported", "write the value out");
  }
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!")
      diagnostics_.add(place(mark), "tags (!name) are not supported");
  }

  void start(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
             ConfigNode::Kind kind) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (stack_.size() >= deepest)
      throw YAML::ParserException(mark, "nested more than " + std::to_string(deepest) + " deep");
    Frame frame;
    frame.node.kind = kind;
    frame.node.where = place(mark);
    stack_.push_back(std::move(frame));
  }

  void end() {
    ConfigNode node = std::move(stack_.back().node);
    stack_.pop_back();
    add(std::move(node));
  }

  void add(ConfigNode node) {
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& frame = stack_.back();
    if (frame.node.kind == ConfigNode::Kind::list) {
      frame.node.items.push_back({{}, node.where, std::move(node)});
      return;
    }
    if (!frame.have_key) {
      frame.have_key = true;
      frame.key = node.kind == ConfigNode::Kind::scalar ? node.text : std::string();
      frame.key_where = node.where;
      if (node.kind != ConfigNode::Kind::scalar)
        diagnostics_.add(node.where, "a key is a plain word");
      return;
    }
    frame.have_key = false;
    if (const ConfigItem* first = frame.node.find(frame.key)) {
      diagnostics_.add(frame.key_where, "duplicate key '" + frame.key + "', first given in line " +
                                            std::to_string(first->key_where.line));
      return;
    }
    frame.node.items.push_back({frame.key, frame.key_where, std::move(node)});
  }

  const std::vector<std::string>& lines_;
  const std::string& file_;
  Diagnostics& diagnostics_;
  ConfigNode root_;
  std::vector<Frame> stack_;
};

// Tabs and over-deep nesting are found before yaml-cpp reads: it would say less about the first and
// recurse without bound in the second.
bool acceptable(const std::vector<std::string>& lines, const Builder& builder,
                Diagnostics& diagnostics) {
  bool result = true;
  int depth = 0;
  for (std::size_t n = 0; n < lines.size(); ++n) {
    const std::string& line = lines[n];
    const std::size_t text = line.find_first_not_of(" \t");
    const std::size_t tab = line.find('\t');
    const auto mark = [&](std::size_t column) {
      YAML::Mark m;
      m.line = static_cast<int>(n);
      m.column = static_cast<int>(column);
      return m;
    };
    if (text != std::string::npos && tab < text && line[text] != '#') {
      diagnostics.add(builder.place(mark(tab)), "a tab in the indentation", "use spaces");
      result = false;
    }
    char quote = 0;
    for (std::size_t c = 0; c < line.size(); ++c) {
      const char ch = line[c];
      if (quote) {
        if (ch == quote) quote = 0;
      } else if (ch == '#' && (c == 0 || line[c - 1] == ' ')) {
        break;
      } else if (ch == '"' || ch == '\'') {
        if (c == 0 || std::string(" [{,:").find(line[c - 1]) != std::string::npos) quote = ch;
      } else if (ch == '[' || ch == '{') {
        if (++depth == deepest + 1) {
          diagnostics.add(builder.place(mark(c)), "lists and mappings are nested more than " +
                                                      std::to_string(deepest) + " deep");
          return false;
        }
      } else if ((ch == ']' || ch == '}') && depth > 0) {
        --depth;
      }
    }
  }
  return result;
}

std::string in_our_words(const std::string& message) {
  if (message.find("illegal map value") != std::string::npos)
    return "a ':' where no value can begin (a text that contains ': ' needs quotes)";
  if (message.find("end of map") != std::string::npos ||
      message.find("end of sequence") != std::string::npos)
    return "this line does not fit the indentation or brackets around it";
  return message;
}

}  // namespace

const ConfigItem* ConfigNode::find(const std::string& key) const {
  for (const ConfigItem& item : items)
    if (item.key == key) return &item;
  return nullptr;
}

ConfigItem* ConfigNode::find(const std::string& key) {
  return const_cast<ConfigItem*>(std::as_const(*this).find(key));
}

ConfigNode parse_yaml(const std::string& given, const std::string& file, Diagnostics& diagnostics) {
  std::string text = given.rfind("\xEF\xBB\xBF", 0) == 0 ? given.substr(3) : given;
  text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
  const std::vector<std::string> lines = lines_of(text);
  Builder builder(lines, file, diagnostics);
  for (std::size_t n = 0; n < lines.size(); ++n)
    if (lines[n].find('\0') != std::string::npos) {
      YAML::Mark mark;
      mark.line = static_cast<int>(n);
      mark.column = static_cast<int>(lines[n].find('\0'));
      diagnostics.add(builder.place(mark), "a zero byte: this is not a text file");
      return {};
    }
  if (!acceptable(lines, builder, diagnostics)) return {};
  std::istringstream stream(text);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) return {};
    ConfigNode root = builder.take();
    Builder second(lines, file, diagnostics);
    if (parser.HandleNextDocument(second)) {
      const ConfigNode more = second.take();
      diagnostics.add(more.where, "a second document begins here; an input is one",
                      "remove the '---' before it");
    }
    return root;
  } catch (const YAML::Exception& error) {
    diagnostics.add(builder.place(error.mark), in_our_words(error.msg));
  }
  return {};
}

}  // namespace xp
