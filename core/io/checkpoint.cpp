#include <xp/io/checkpoint.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include <xp/io/checkpoint_format.hpp>
#include <xp/io/files.hpp>
#include <xp/io/hdf5_image.hpp>
#include <xp/io/shared_file.hpp>
#include <xp/runtime/version.hpp>

namespace xp {
namespace {

// Names in a folder for which `wanted` holds; none when there is no such folder.
template <class Wanted>
std::vector<std::string> names_in(const std::string& folder, Wanted wanted) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& item : std::filesystem::directory_iterator(folder, error))
    if (std::string name = item.path().filename().string(); wanted(name)) names.push_back(name);
  return names;
}

bool is_partial(const std::string& name) {
  const std::string whole = std::filesystem::path(name).stem().string();
  return checkpoint_format::step_of(whole) >= 0 && name == partial_name(whole);
}

// Removes what is left of dead runs, and checkpoints but `keep`, of which `newest` is one.
void remove_others(const std::string& folder, const std::string& newest, int keep) {
  std::vector<std::string> condemned;
  for (const std::string& name : names_in(folder, is_partial))
    condemned.push_back(folder + "/" + name);
  int kept = 1;
  for (const std::string& path : list_checkpoints(folder))
    if (path != newest && ++kept > keep) condemned.push_back(path);
  // One that stays does no harm; the next checkpoint tries again.
  std::error_code ignored;
  for (const std::string& path : condemned) std::filesystem::remove(path, ignored);
}

std::uint64_t summed(const Communicator& communicator, std::uint64_t part) {
  MPI_Allreduce(MPI_IN_PLACE, &part, 1, MPI_UINT64_T, MPI_SUM, communicator.get());
  return part;
}

std::array<std::int64_t, 3> shape_of(const Grid& grid) {
  return {grid.cells(Axis::z), grid.cells(Axis::y), grid.cells(Axis::x)};
}

}  // namespace

struct CheckpointWriter::File {
  std::string path;
  SharedFile file;
  CheckpointContents contents;
  std::optional<hdf5::Image> image;  ///< on the root
};

CheckpointWriter::CheckpointWriter(const Communicator& communicator, std::string folder,
                                   const Grid& grid)
    : communicator_(communicator), folder_(std::move(folder)), grid_(grid) {}

CheckpointWriter::~CheckpointWriter() = default;

void CheckpointWriter::begin(std::int64_t step) {
  file_.reset();
  on_root(communicator_, [&] { make_directory(folder_); });
  const std::string path = folder_ + "/" + checkpoint_format::file_name(step);
  file_.reset(new File{path, {communicator_, path, SharedFile::Mode::create}, {}, {}});
  file_->contents.version = build_info().version;
  file_->contents.date = date_now();
  file_->contents.step = step;
  file_->contents.ranks = communicator_.size();
  on_root(communicator_, [&] {
    file_->image.emplace(H5F_LIBVER_V110, checkpoint_format::block_bytes);
    hdf5::create_group(file_->image->root(), "arrays");
  });
}

void CheckpointWriter::write(const std::string& name, const HostArray& values) {
  CheckpointContents::Array array{name, values.precision, shape_of(grid_), 0, 0};
  on_root(communicator_, [&] {
    const hid_t type = values.precision == Precision::double_ ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
    array.offset = file_->image
                       ->create_array(file_->image->root(), "arrays/" + name, type,
                                      {array.shape.begin(), array.shape.end()})
                       .second.offset;
  });
  MPI_Bcast(&array.offset, 1, MPI_INT64_T, 0, communicator_.get());
  array.hash =
      summed(communicator_, checkpoint_format::hash_block(grid_, values.precision, values.data));
  file_->file.write(array.offset, grid_, values);
  file_->contents.arrays.push_back(array);
}

void CheckpointWriter::finish(const std::string& state, int keep) {
  file_->contents.state = state;
  file_->file.commit([&](int file) {
    hdf5::Image& image = *file_->image;
    const hdf5::Place state_place = hdf5::write_text(image.root(), "state", state);
    const std::string table = checkpoint_format::table_text(file_->contents, state_place);
    const hdf5::Place table_place = hdf5::write_text(image.root(), "contents", table);
    image.close();
    image.copy_to(file, file_->path,
                  checkpoint_format::block_text(image.bytes(), table, table_place));
  });
  const std::string path = file_->path;
  file_.reset();
  on_root(communicator_, [&] { remove_others(folder_, path, keep); });
}

CheckpointReader::CheckpointReader(const Communicator& communicator, std::string path)
    : communicator_(communicator), path_(std::move(path)) {
  checkpoint_format::Texts texts;
  std::string damage;
  on_root(communicator, [&] {
    try {
      texts = checkpoint_format::read_texts(path_);
    } catch (const DamagedCheckpoint& error) {
      damage = error.reason();
    }
  });
  damage = broadcast(communicator, damage);
  if (!damage.empty()) throw DamagedCheckpoint(path_, damage);
  texts.table = broadcast(communicator, std::move(texts.table));
  texts.state = broadcast(communicator, std::move(texts.state));
  contents_ = checkpoint_format::parsed(texts);
  file_ = std::make_unique<SharedFile>(communicator, path_, SharedFile::Mode::read);
}

CheckpointReader::~CheckpointReader() = default;

bool CheckpointReader::has(const std::string& name) const {
  return std::any_of(contents_.arrays.begin(), contents_.arrays.end(),
                     [&](const auto& array) { return array.name == name; });
}

std::array<std::int64_t, 3> CheckpointReader::shape(const std::string& name) const {
  return find(name).shape;
}

Precision CheckpointReader::precision(const std::string& name) const {
  return find(name).precision;
}

const CheckpointContents::Array& CheckpointReader::find(const std::string& name) const {
  for (const CheckpointContents::Array& array : contents_.arrays)
    if (array.name == name) return array;
  throw Error(ErrorKind::input, "the checkpoint '" + path_ + "' has no '" + name + "'");
}

void CheckpointReader::read(const std::string& name, const Grid& grid,
                            std::vector<std::byte>& values) const {
  const CheckpointContents::Array& array = find(name);
  if (array.shape != shape_of(grid))
    throw Error(ErrorKind::input,
                fmt::format("'{}' of the checkpoint '{}' has {} x {} x {} cells along z, y, x",
                            name, path_, array.shape[0], array.shape[1], array.shape[2]));
  const std::array<int, 3>& cells = grid.blocks()[0].cells;
  const auto bytes = static_cast<std::size_t>(bytes_of(array.precision));
  everywhere(communicator_, [&] {
    values.assign(static_cast<std::size_t>(cells[0]) * static_cast<std::size_t>(cells[1]) *
                      static_cast<std::size_t>(cells[2]) * bytes,
                  std::byte{0});
  });
  try {
    file_->read(array.offset, grid, array.precision, values.data());
  } catch (const Error& error) {
    throw DamagedCheckpoint(path_, error.diagnostics()[0].message);
  }
  if (summed(communicator_, checkpoint_format::hash_block(grid, array.precision, values.data())) !=
      array.hash)
    throw DamagedCheckpoint(path_, "the values of '" + name + "' have another checksum");
}

std::vector<std::string> list_checkpoints(const std::string& folder) {
  std::vector<std::string> names = names_in(
      folder, [](const std::string& name) { return checkpoint_format::step_of(name) >= 0; });
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return checkpoint_format::step_of(a) > checkpoint_format::step_of(b);
  });
  for (std::string& name : names) name = folder + "/" + name;
  return names;
}

}  // namespace xp
