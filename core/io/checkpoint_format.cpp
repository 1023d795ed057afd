#include <xp/io/checkpoint_format.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <xp/io/files.hpp>
#include <xp/io/hash.hpp>

namespace xp {
namespace {

using Json = nlohmann::ordered_json;
using checkpoint_format::block_bytes;

constexpr const char* magic = "xpsim checkpoint\n";
constexpr int format_version = 1;

std::string hex(std::uint64_t word) {
  return fmt::format("{:016x}", word);
}

std::uint64_t from_hex(const std::string& text) {
  std::uint64_t word = 0;
  std::from_chars(text.data(), text.data() + text.size(), word, 16);
  return word;
}

// A checkpoint as the root reads it: what is asked for is there, or the file is damaged.
class Source {
 public:
  explicit Source(const std::string& path) : path_(path) {
    require_file(path);
    file_.open(path, std::ios::binary);
    std::error_code error;
    bytes_ = static_cast<std::int64_t>(std::filesystem::file_size(path, error));
    if (error) damaged(error.message());
  }
  std::int64_t bytes() const { return bytes_; }
  std::string text(std::int64_t offset, std::int64_t bytes) {
    if (offset < 0 || bytes < 0 || offset > bytes_ || bytes > bytes_ - offset)
      damaged("it ends too early");
    std::string result(static_cast<std::size_t>(bytes), '\0');
    file_.seekg(offset);
    file_.read(result.data(), bytes);
    if (!file_) damaged("it cannot be read");
    return result;
  }
  [[noreturn]] void damaged(const std::string& reason) const {
    throw DamagedCheckpoint(path_, reason);
  }

 private:
  std::string path_;
  std::ifstream file_;
  std::int64_t bytes_ = 0;
};

// A text with its own hash as its last line.
std::string sealed(const std::string& text) {
  return text + hex(hash_text(text)) + "\n";
}

// The place of a text in the file with its hash, as a table lists it.
Json entry(const hdf5::Place& place, const std::string& text) {
  return {{"offset", place.offset}, {"bytes", place.bytes}, {"hash", hex(hash_text(text))}};
}

std::string text_of(Source& source, const Json& entry, const std::string& what) {
  std::string text = source.text(entry.at("offset"), entry.at("bytes"));
  if (hash_text(text) != from_hex(entry.at("hash"))) source.damaged(what + " has another checksum");
  return text;
}

// What the first bytes say, which a hash at their end vouches for.
Json read_block(Source& source) {
  const std::string block = source.text(0, std::min(block_bytes, source.bytes()));
  const std::size_t second = block.find('\n'), third = block.find('\n', second + 1);
  if (third == std::string::npos || third + 17 > block.size() ||
      block.substr(0, third + 18) != sealed(block.substr(0, third + 1)))
    source.damaged("its first bytes are not those of a checkpoint");
  return Json::parse(block.substr(second + 1, third - second - 1));
}

template <class Word, class Place>
std::uint64_t hash_cells(const void* values, const Block& block, Place place) {
  const char* next = static_cast<const char*>(values);
  std::uint64_t sum = 0;
  for (int k = 0; k < block.cells[2]; ++k)
    for (int j = 0; j < block.cells[1]; ++j) {
      const std::uint64_t row = place(j, k);
      for (int i = 0; i < block.cells[0]; ++i) {
        Word bits;
        std::memcpy(&bits, next + sizeof(Word) * static_cast<std::size_t>(i), sizeof(Word));
        sum += hash_at(bits, row + static_cast<std::uint64_t>(i));
      }
      next += sizeof(Word) * static_cast<std::size_t>(block.cells[0]);
    }
  return sum;
}

}  // namespace

namespace checkpoint_format {

std::string table_text(const CheckpointContents& contents, const hdf5::Place& state) {
  Json arrays = Json::array();
  for (const CheckpointContents::Array& array : contents.arrays)
    arrays.push_back({{"name", array.name},
                      {"precision", name(array.precision)},
                      {"shape", array.shape},
                      {"offset", array.offset},
                      {"hash", hex(array.hash)}});
  const Json table = {{"version", contents.version},
                      {"date", contents.date},
                      {"ranks", contents.ranks},
                      {"step", contents.step},
                      {"arrays", arrays},
                      {"state", entry(state, contents.state)}};
  return table.dump(1);
}

std::string block_text(std::int64_t file_bytes, const std::string& table,
                       const hdf5::Place& place) {
  const Json block = {
      {"format", format_version}, {"bytes", file_bytes}, {"contents", entry(place, table)}};
  std::string text = sealed(magic + block.dump() + "\n");
  text.resize(static_cast<std::size_t>(block_bytes), '\0');
  return text;
}

Texts read_texts(const std::string& path) {
  Source source(path);
  if (!is_checkpoint(path))
    throw Error(ErrorKind::input, "'" + path + "' is no checkpoint of xpsim");
  const Json block = read_block(source);
  if (block.at("format") != format_version)
    throw Error(ErrorKind::input, "'" + path + "' is a checkpoint of a newer xpsim");
  if (block.at("bytes") != source.bytes())
    source.damaged(fmt::format("it has {} bytes instead of {}", source.bytes(),
                               block.at("bytes").get<std::int64_t>()));
  std::string table = text_of(source, block.at("contents"), "its table of contents");
  std::string state = text_of(source, Json::parse(table).at("state"), "its state");
  return {std::move(table), std::move(state)};
}

CheckpointContents parsed(const Texts& texts) {
  const Json table = Json::parse(texts.table);
  CheckpointContents contents{
      table.at("version"), table.at("date"), table.at("step"), table.at("ranks"), {}, texts.state};
  for (const Json& array : table.at("arrays"))
    contents.arrays.push_back(
        {array.at("name"),
         array.at("precision") == name(Precision::float_) ? Precision::float_ : Precision::double_,
         array.at("shape"), array.at("offset"), from_hex(array.at("hash"))});
  return contents;
}

std::string file_name(std::int64_t step) {
  return fmt::format("checkpoint_{:09}.h5", step);
}

std::int64_t step_of(const std::string& name) {
  std::int64_t step = -1;
  const std::string front = "checkpoint_";
  if (name.compare(0, front.size(), front) == 0)
    std::from_chars(name.data() + front.size(), name.data() + name.size(), step);
  return step >= 0 && name == file_name(step) ? step : -1;
}

std::uint64_t hash_block(const Grid& grid, Precision precision, const void* values) {
  const Block& block = grid.blocks()[0];
  const auto place = [&](int j, int k) {
    return static_cast<std::uint64_t>(
        ((block.first[2] + k) * grid.cells(Axis::y) + block.first[1] + j) * grid.cells(Axis::x) +
        block.first[0]);
  };
  return precision == Precision::double_ ? hash_cells<std::uint64_t>(values, block, place)
                                         : hash_cells<std::uint32_t>(values, block, place);
}

}  // namespace checkpoint_format

DamagedCheckpoint::DamagedCheckpoint(const std::string& path, const std::string& reason)
    : Error(ErrorKind::failure, "the checkpoint '" + path + "' is damaged: " + reason),
      reason_(reason) {
  // What reads a checkpoint is collective: all ranks see the same.
  thrown_everywhere();
}

bool is_checkpoint(const std::string& path) {
  if (checkpoint_format::step_of(std::filesystem::path(path).filename().string()) >= 0) return true;
  std::string start(std::strlen(magic), '\0');
  std::ifstream(path, std::ios::binary).read(start.data(), static_cast<long>(start.size()));
  return start == magic;
}

CheckpointContents read_checkpoint_contents(const std::string& path) {
  return checkpoint_format::parsed(checkpoint_format::read_texts(path));
}

}  // namespace xp
