#include <algorithm>
#include <cstdio>
#include <optional>
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

// Bytes of the UTF-8 character at a place, 0 where there is none.
std::size_t utf8_size(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t n) {
    return at + n < text.size() ? static_cast<unsigned char>(text[at + n]) : 0u;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  for (std::size_t n = 1; n < size; ++n)
    if ((byte(n) & 0xc0) != 0x80) return 0;
  // Overlong forms, surrogates, and what lies beyond the last code point.
  if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f) ||
      (lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) > 0x8f))
    return 0;
  return size;
}

// Does a character that is no text, such as ESC, begin at a place? Terminals would obey it.
bool is_control(const std::string& text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  const auto next = at + 1 < text.size() ? static_cast<unsigned char>(text[at + 1]) : 0u;
  return byte < 32 || byte == 127 || (byte == 0xc2 && next < 0xa0);
}

// Builds the tree from yaml-cpp's events: its own node type drops duplicate keys and positions.
class Builder final : public YAML::EventHandler {
 public:
  Builder(const std::vector<std::string>& lines, const std::string& file, Diagnostics& diagnostics)
      : lines_(lines),
        shared_lines_(lines.begin(), lines.end()),
        file_(file),
        diagnostics_(diagnostics) {}

  ConfigNode take() { return std::move(root_); }

  Position place(const YAML::Mark& mark, std::size_t length = 1) const {
    Position where;
    where.file = file_;
    where.line = std::clamp(mark.line + 1, 1, static_cast<int>(lines_.size()));
    where.column = mark.column + 1;
    where.length = static_cast<int>(std::max<std::size_t>(1, length));
    where.source_line = shared_lines_[static_cast<std::size_t>(where.line - 1)];
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
    diagnostics_.add(place(mark, word_at(mark)), "aliases (*name) are not supported",
                     "write the value out");
    ConfigNode node;
    node.where = place(mark);
    node.refused = true;
    add(std::move(node));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    ConfigNode node;
    node.kind = ConfigNode::Kind::scalar;
    node.text = value;
    node.where = place(mark, value.size());
    // What no byte of the file may be, an escape like "\x1b" can still make.
    for (std::size_t at = 0; at < value.size() && !node.refused; ++at)
      node.refused = value[at] != '\n' && value[at] != '\t' && is_control(value, at);
    const std::string& line = node.where.source_line.text();
    const std::size_t column = static_cast<std::size_t>(node.where.column - 1);
    const char first = column < line.size() ? line[column] : ' ';
    node.quoted = tag == "!" && (first == '"' || first == '\'');
    // yaml-cpp takes the end of the text for the end of a quote.
    if (node.quoted && !is_closed(node.where.line - 1, column, first))
      throw YAML::ParserException(mark, "this quote is never closed");
    if (node.quoted) node.where.column += 1;
    node.block =
        node.where.column > 0 && line.compare(std::min(line.size(), column + (node.quoted ? 1 : 0)),
                                              value.size(), value) != 0;
    if (node.block) {
      node.where.column = static_cast<int>(column) + 1;
      node.where.length = 1;
      node.pieces = pieces_of(node, value.size());
    }
    if (node.refused)
      diagnostics_.add(place(mark), "a control character in a text",
                       "such as ESC or NUL: a terminal would obey it");
    if (!node.quoted && !node.block && (value.empty() || value == "~" || value == "null"))
      node.kind = ConfigNode::Kind::null;
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
    bool bad_key = false;
  };

  // The lines of a text that has more than one. But for blanks its characters follow each other in
  // the source, unless there are escapes.
  std::vector<ConfigPiece> pieces_of(const ConfigNode& node, std::size_t size) const {
    auto line = static_cast<std::size_t>(node.where.line - 1);
    auto column = static_cast<std::size_t>(node.where.column - 1) + (node.quoted ? 1 : 0);
    const char first = column < lines_[line].size() ? lines_[line][column] : ' ';
    if (!node.quoted && (first == '|' || first == '>')) {
      ++line;
      column = 0;
    }
    std::vector<ConfigPiece> pieces;
    for (std::size_t offset = 0; offset < size; ++offset) {
      if (node.text[offset] == ' ' || node.text[offset] == '\n') continue;
      while (line < lines_.size() &&
             lines_[line].find_first_not_of(' ', column) == std::string::npos) {
        ++line;
        column = 0;
      }
      if (line == lines_.size()) return {};
      column = lines_[line].find_first_not_of(' ', column);
      if (lines_[line][column] != node.text[offset]) return {};
      if (pieces.empty() || pieces.back().where.line != static_cast<int>(line) + 1) {
        YAML::Mark mark;
        mark.line = static_cast<int>(line);
        mark.column = static_cast<int>(column);
        pieces.push_back({offset, place(mark)});
      }
      ++column;
    }
    return pieces;
  }

  // Does the quote that begins at a place end?
  bool is_closed(int line, std::size_t column, char quote) const {
    for (auto n = static_cast<std::size_t>(line); n < lines_.size(); ++n)
      for (std::size_t c = n == static_cast<std::size_t>(line) ? column + 1 : 0;
           c < lines_[n].size(); ++c) {
        const bool doubled = quote == '\'' && lines_[n].compare(c, 2, "''") == 0;
        if (doubled || (quote == '"' && lines_[n][c] == '\\'))
          ++c;
        else if (lines_[n][c] == quote)
          return true;
      }
    return false;
  }

  // Length of the word that begins at a place.
  std::size_t word_at(const YAML::Mark& mark) const {
    const Position where = place(mark);
    const std::string& line = where.source_line.text();
    const std::size_t column = std::min(line.size(), static_cast<std::size_t>(where.column - 1));
    return std::min(line.find_first_of(" ,]}", column), line.size()) - column;
  }

  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0)
      diagnostics_.add(place(mark, word_at(mark)), "anchors (&name) are not supported",
                       "write the value out");
  }
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!")
      diagnostics_.add(place(mark, word_at(mark)), "tags (!name) are not supported",
                       "leave it out");
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
      frame.bad_key = node.kind != ConfigNode::Kind::scalar || node.refused ||
                      node.text.find('\n') != std::string::npos;
      if (frame.bad_key && !node.refused)
        diagnostics_.add(node.where, "a key is a plain word",
                         node.kind == ConfigNode::Kind::null
                             ? "null and ~ mean that there is nothing"
                         : node.kind == ConfigNode::Kind::scalar
                             ? "it has no line breaks"
                             : "a text that begins with '[', '{' or '?' needs quotes");
      return;
    }
    frame.have_key = false;
    if (frame.bad_key) return;
    if (const ConfigItem* first = frame.node.find(frame.key)) {
      diagnostics_.add(frame.key_where, "duplicate key '" + frame.key + "', first given in line " +
                                            std::to_string(first->key_where.line));
      return;
    }
    frame.node.items.push_back({frame.key, frame.key_where, std::move(node)});
  }

  const std::vector<std::string>& lines_;
  std::vector<SourceLine> shared_lines_;
  const std::string& file_;
  Diagnostics& diagnostics_;
  ConfigNode root_;
  std::vector<Frame> stack_;
};

// What is found before yaml-cpp reads: it would say less about tabs and brackets, and recurse
// without bound where nesting is too deep.
struct FirstLook {
  bool acceptable = true;
  std::optional<Position> unclosed;  // the last bracket without its end
};

// May a value begin at a place? Elsewhere a bracket is a letter of a text, as in `range [0, 1)`.
bool begins_value(const std::string& line, std::size_t at) {
  const std::size_t before = at == 0 ? std::string::npos : line.find_last_not_of(' ', at - 1);
  return before == std::string::npos || std::string(":-?").find(line[before]) != std::string::npos;
}

FirstLook look_first(const std::vector<std::string>& lines, const Builder& builder,
                     Diagnostics& diagnostics) {
  FirstLook result;
  std::vector<Position> open;
  for (std::size_t n = 0; n < lines.size(); ++n) {
    const std::string& line = lines[n];
    const auto place = [&](std::size_t column) {
      YAML::Mark mark;
      mark.line = static_cast<int>(n);
      mark.column = static_cast<int>(column);
      return builder.place(mark);
    };
    char quote = 0;
    bool tab_seen = false;
    for (std::size_t c = 0; c < line.size(); ++c) {
      const char ch = line[c];
      const char before = c == 0 ? ' ' : line[c - 1];
      if (quote) {
        if (ch == '\\' && quote == '"')
          ++c;
        else if (ch == quote)
          quote = 0;
      } else if (ch == '#' && (before == ' ' || before == '\t')) {
        break;
      } else if (ch == '\t' && !tab_seen) {
        tab_seen = true;
        diagnostics.add(place(c),
                        line.find_first_not_of(" \t") > c ? "a tab in the indentation" : "a tab",
                        "use spaces");
        result.acceptable = false;
      } else if (ch == '"' || ch == '\'') {
        if (std::string(" [{,:").find(before) != std::string::npos) quote = ch;
      } else if ((ch == '[' || ch == '{') && (!open.empty() || begins_value(line, c))) {
        open.push_back(place(c));
        if (open.size() > deepest) {
          diagnostics.add(open.back(), "lists and mappings are nested more than " +
                                           std::to_string(deepest) + " deep");
          result.acceptable = false;
          return result;
        }
      } else if ((ch == ']' || ch == '}') && !open.empty()) {
        open.pop_back();
      }
    }
  }
  if (!open.empty()) result.unclosed = open.back();
  return result;
}

// A syntax error in words that speak of the text rather than of YAML's grammar.
Diagnostic in_our_words(const YAML::Exception& error, const Builder& builder,
                        const std::optional<Position>& unclosed) {
  Diagnostic result{builder.place(error.mark), error.msg, {}};
  const auto says = [&](const char* words) { return error.msg.find(words) != std::string::npos; };
  const std::string& line = result.where.source_line.text();
  const std::size_t column = static_cast<std::size_t>(result.where.column - 1);
  const std::string rest = column < line.size() ? line.substr(column) : std::string();
  if (says("illegal map value")) {
    result.message = "a ':' where no value can begin";
    result.hint = "a text that contains ': ' needs quotes";
  } else if (unclosed && (says("end of map flow") || says("end of sequence flow"))) {
    result.where = *unclosed;
    const char bracket =
        unclosed->source_line.text()[static_cast<std::size_t>(unclosed->column - 1)];
    result.message = std::string("'") + bracket + "' is never closed";
  } else if (says("end of map") || says("end of sequence")) {
    const std::size_t last = column == 0 ? column : line.find_last_not_of(' ', column - 1);
    const char before = last < line.size() ? line[last] : ' ';
    result.message = "this line does not fit the indentation or brackets around it";
    if (column > 0 && last < column && (before == '"' || before == '\'' || before == ']')) {
      result.message = std::string("text after the closing ") + before;
      result.hint = before == ']' ? "a text that begins with '[' needs quotes"
                                  : "the quotes have to be around the whole text";
    } else if (before == ':' && rest[0] == ',') {
      result.message = "a text that begins with ',' needs quotes";
    }
  } else if (says("block scalar")) {
    result.message = "a text that begins with '|' or '>' needs quotes";
  } else if (says("illegal block entry")) {
    result.message = "a text that begins with '- ' needs quotes";
  } else if (says("illegal map key")) {
    result.message = "a text that begins with '? ' needs quotes";
  } else if (says("anchor is not defined")) {
    const bool star = rest.rfind("*:", 0) == 0;
    result.message = star ? "'*' needs quotes" : "aliases (*name) are not supported";
    result.hint = star ? "write \"*\":" : "write the value out";
  } else if (says("unknown token") && !rest.empty()) {
    result.message = "a text that begins with '" + rest.substr(0, 1) + "' needs quotes";
  }
  return result;
}

// Bytes of the character at a place, 0 where there is none that a text has.
std::size_t text_size(const std::string& text, std::size_t at) {
  return text[at] != '\t' && is_control(text, at) ? 0 : utf8_size(text, at);
}

// Is it a text? The first byte that says no is reported.
bool is_text(const std::vector<std::string>& lines, const std::string& file,
             Diagnostics& diagnostics) {
  for (std::size_t n = 0; n < lines.size(); ++n) {
    const std::string& line = lines[n];
    for (std::size_t c = 0; c < line.size();) {
      const auto byte = static_cast<unsigned char>(line[c]);
      const std::size_t size = text_size(line, c);
      c += size;
      if (size > 0) continue;
      Position where;
      where.file = file;
      where.line = static_cast<int>(n) + 1;
      where.column = static_cast<int>(c) + 1;
      // Shown with what a terminal can show; for bytes below 32 a message has spaces.
      std::string shown = line;
      for (std::size_t k = 0; k < line.size();) {
        const std::size_t good = text_size(line, k);
        if (good == 0 && static_cast<unsigned char>(line[k]) >= 127) shown[k] = '?';
        k += std::max<std::size_t>(1, good);
      }
      where.source_line = std::move(shown);
      char code[8];
      std::snprintf(code, sizeof code, "0x%02x", byte);
      diagnostics.add(where,
                      std::string("byte ") + code +
                          (utf8_size(line, c) == 0 ? " is not UTF-8" : " is not text"),
                      "an input is a text file in UTF-8");
      return false;
    }
  }
  return true;
}

}  // namespace

Position ConfigNode::position(std::size_t offset, std::size_t length) const {
  Position result = where;
  if (block) {
    const auto behind = std::find_if(pieces.begin(), pieces.end(), [&](const ConfigPiece& piece) {
      return piece.offset > offset;
    });
    if (behind == pieces.begin()) return where;
    result = std::prev(behind)->where;
    offset -= std::prev(behind)->offset;
    const auto begin = static_cast<std::size_t>(result.column - 1) + offset;
    const std::size_t end = result.source_line.text().size();
    length = std::min(length, end - std::min(begin, end));
  }
  result.column += static_cast<int>(offset);
  result.length = static_cast<int>(std::max<std::size_t>(1, length));
  return result;
}

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
  if (!is_text(lines, file, diagnostics)) return {};
  Builder builder(lines, file, diagnostics);
  const FirstLook first = look_first(lines, builder, diagnostics);
  if (!first.acceptable) return {};
  std::istringstream stream(text);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) return {};
    ConfigNode root = builder.take();
    Diagnostics of_the_second;
    Builder second(lines, file, of_the_second);
    if (parser.HandleNextDocument(second)) {
      const ConfigNode more = second.take();
      diagnostics.add(more.where, "a second document begins here; an input is one",
                      "remove the '---' before it");
    }
    return root;
  } catch (const YAML::Exception& error) {
    diagnostics.add(in_our_words(error, builder, first.unclosed));
  }
  return {};
}

}  // namespace xp
