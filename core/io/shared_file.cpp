#include <xp/io/shared_file.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <xp/io/files.hpp>
#include <xp/runtime/error.hpp>

namespace xp {
namespace {

std::string reason_of(int mpi_error) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(mpi_error, text, &length);
  return text;
}

// A box of a rank's own cells, in indices that begin at 0.
struct Part {
  std::array<int, 3> first, cells;
  std::int64_t count() const { return std::int64_t{cells[0]} * cells[1] * cells[2]; }
};

// Divides a box, along its slowest axis first, into parts of at most `most` cells: the number of
// bytes in one call of MPI-IO is an int inside more than one implementation.
void divide(const Part& part, std::int64_t most, std::vector<Part>& parts) {
  int a = 2;
  while (a > 0 && part.cells[a] == 1) --a;
  if (part.count() <= most || part.cells[a] == 1) {
    parts.push_back(part);
    return;
  }
  Part lower = part, upper = part;
  lower.cells[a] /= 2;
  upper.first[a] += lower.cells[a];
  upper.cells[a] -= lower.cells[a];
  divide(lower, most, parts);
  divide(upper, most, parts);
}

// The type of a box within a larger one, C order.
MPI_Datatype box_type(std::array<int, 3> all, std::array<int, 3> cells, std::array<int, 3> first,
                      MPI_Datatype value) {
  for (auto* of : {&all, &cells, &first}) std::swap((*of)[0], (*of)[2]);
  MPI_Datatype type;
  MPI_Type_create_subarray(3, all.data(), cells.data(), first.data(), MPI_ORDER_C, value, &type);
  MPI_Type_commit(&type);
  return type;
}

}  // namespace

SharedFile::SharedFile(const Communicator& communicator, std::string path, Mode mode)
    : communicator_(communicator), path_(std::move(path)), mode_(mode) {
  name_ = mode == Mode::create ? partial_name(path_) : path_;
  try {
    open();
  } catch (const Error&) {
    remove();
    throw;
  }
}

SharedFile::~SharedFile() {
  if (file_ != MPI_FILE_NULL) MPI_File_close(&file_);
  remove();
}

void SharedFile::open() {
  // MPI's errors do not tell what the system said, and a file that opens on some ranks only cannot
  // be closed: the system is asked first, on the root and then on all.
  const bool create = mode_ == Mode::create;
  const std::string verb = create ? "write" : "open";
  const auto try_open = [&](int flags) {
    const int file = ::open(name_.c_str(), flags, 0666);
    if (file < 0) fail(verb, std::strerror(errno));
    ::close(file);
  };
  if (create) on_root(communicator_, [&] { try_open(O_RDWR | O_CREAT | O_TRUNC); });
  everywhere(communicator_, [&] { try_open(create ? O_RDWR : O_RDONLY); });
  const int error = MPI_File_open(communicator_.get(), name_.c_str(),
                                  create ? MPI_MODE_RDWR : MPI_MODE_RDONLY, MPI_INFO_NULL, &file_);
  everywhere(communicator_, [&] {
    if (error != MPI_SUCCESS) fail(verb, reason_of(error));
  });
}

// After commit() there is nothing of that name.
void SharedFile::remove() const {
  if (mode_ == Mode::create && communicator_.is_root()) ::unlink(name_.c_str());
}

void SharedFile::write(std::int64_t offset, const Grid& grid, const HostArray& values) {
  const int size = values.precision == Precision::double_ ? 8 : 4;
  reserve(offset, grid.cell_count() * size);
  // MPI reads only, but the function is shared with read().
  transfer(offset, grid, values.precision, const_cast<void*>(values.data));
}

void SharedFile::read(std::int64_t offset, const Grid& grid, Precision precision, void* values) {
  transfer(offset, grid, precision, values);
}

void SharedFile::commit(const std::function<void(int file)>& complete) {
  const int error = MPI_File_close(&file_);
  everywhere(communicator_, [&] {
    if (error != MPI_SUCCESS) fail("write", reason_of(error));
  });
  on_root(communicator_, [&] {
    const int file = ::open(name_.c_str(), O_WRONLY);
    if (file < 0) fail("write", std::strerror(errno));
    try {
      complete(file);
    } catch (...) {
      ::close(file);
      throw;
    }
    if (::close(file) != 0) fail("write", std::strerror(errno));
  });
  commit_file(communicator_, path_);
}

void SharedFile::transfer(std::int64_t offset, const Grid& grid, Precision precision,
                          void* values) {
  const bool is_double = precision == Precision::double_;
  const MPI_Datatype value = is_double ? MPI_DOUBLE : MPI_FLOAT;
  const Block& block = grid.blocks()[0];
  std::array<int, 3> all{};
  for (const Axis axis : all_axes) all[index(axis)] = static_cast<int>(grid.cells(axis));

  std::vector<Part> parts;
  divide({{0, 0, 0}, block.cells}, (std::int64_t{1} << 30) / (is_double ? 8 : 4), parts);
  int calls = static_cast<int>(parts.size());
  MPI_Allreduce(MPI_IN_PLACE, &calls, 1, MPI_INT, MPI_MAX, communicator_.get());
  for (int n = 0; n < calls; ++n) {
    // A rank that has no part left takes part with nothing.
    const bool some = n < static_cast<int>(parts.size());
    MPI_Datatype in_file = value, in_memory = value;
    if (some) {
      const Part& part = parts[static_cast<std::size_t>(n)];
      std::array<int, 3> first{};
      for (int a = 0; a < 3; ++a) first[a] = static_cast<int>(block.first[a]) + part.first[a];
      in_file = box_type(all, part.cells, first, value);
      in_memory = box_type(block.cells, part.cells, part.first, value);
    }
    int error = MPI_File_set_view(file_, offset, value, in_file, "native", MPI_INFO_NULL);
    everywhere(communicator_, [&] {
      if (error != MPI_SUCCESS) fail("use", reason_of(error));
    });
    error = mode_ == Mode::create
                ? MPI_File_write_at_all(file_, 0, values, some, in_memory, MPI_STATUS_IGNORE)
                : MPI_File_read_at_all(file_, 0, values, some, in_memory, MPI_STATUS_IGNORE);
    if (some) {
      MPI_Type_free(&in_file);
      MPI_Type_free(&in_memory);
    }
    everywhere(communicator_, [&] {
      if (error != MPI_SUCCESS) fail(mode_ == Mode::create ? "write" : "read", reason_of(error));
    });
  }
}

// A disk that is full says so here, with the system's words, and not inside a collective write,
// where MPI implementations have been seen to lose the reason.
void SharedFile::reserve(std::int64_t offset, std::int64_t bytes) const {
  on_root(communicator_, [&] {
    const int file = ::open(name_.c_str(), O_WRONLY);
    if (file < 0) fail("write", std::strerror(errno));
    int result = 0;
    do {
      result = ::fallocate(file, 0, offset, bytes);
    } while (result != 0 && errno == EINTR);
    const int error = result == 0 ? 0 : errno;
    ::close(file);
    // Not every file system can reserve.
    if (error != 0 && error != EOPNOTSUPP && error != ENOSYS) fail("write", std::strerror(error));
  });
}

void SharedFile::fail(const std::string& verb, const std::string& reason) const {
  throw Error(ErrorKind::failure, "cannot " + verb + " '" + path_ + "': " + reason);
}

}  // namespace xp
