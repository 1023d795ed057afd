#include <xp/io/hdf5_image.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include <xp/io/files.hpp>

// From 1.13 on the interface of file drivers has a header of its own.
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

namespace xp::hdf5 {

/// The bytes that HDF5 wrote; the others are 0. Arrays without values cost nothing.
struct Memory {
  static constexpr std::int64_t page_bytes = 4096;
  using Page = std::array<char, page_bytes>;
  std::map<std::int64_t, Page> pages;  ///< by their number
  haddr_t end = 0;                     ///< of the file

  /// Calls f(page, first byte in it, bytes, bytes before) for each page of a range.
  template <class F>
  static void over_pages(std::int64_t offset, std::int64_t bytes, F f) {
    for (std::int64_t done = 0, size = 0; done < bytes; done += size) {
      const std::int64_t at = offset + done;
      size = std::min(bytes - done, page_bytes - at % page_bytes);
      f(at / page_bytes, at % page_bytes, size, done);
    }
  }
};

namespace {

// What HDF5 holds of an open file: it begins with HDF5's own part. It keeps the memory, so that a
// file that HDF5 closes later than its owner does no harm.
struct OpenFile {
  H5FD_t base{};
  std::shared_ptr<Memory> memory;
};

Memory& memory_of(H5FD_t* file) {
  return *reinterpret_cast<OpenFile*>(file)->memory;
}

const Memory& memory_of(const H5FD_t* file) {
  return *reinterpret_cast<const OpenFile*>(file)->memory;
}

H5FD_t* open_memory(const char*, unsigned, hid_t access, haddr_t) {
  const void* memory = H5Pget_driver_info(access);
  auto* file = new (std::nothrow) OpenFile;
  if (file) file->memory = **static_cast<const std::shared_ptr<Memory>* const*>(memory);
  return file ? &file->base : nullptr;
}

herr_t close_memory(H5FD_t* file) {
  delete reinterpret_cast<OpenFile*>(file);
  return 0;
}

herr_t query_memory(const H5FD_t*, unsigned long* flags) {
  // As for files of one process on a disk: small pieces are gathered.
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

haddr_t end_of_memory(const H5FD_t* file, H5FD_mem_t) {
  return memory_of(file).end;
}

herr_t set_end_of_memory(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  memory_of(file).end = end;
  return 0;
}

herr_t read_memory(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t offset, size_t bytes, void* to) {
  const Memory& memory = memory_of(file);
  Memory::over_pages(
      static_cast<std::int64_t>(offset), static_cast<std::int64_t>(bytes),
      [&](std::int64_t number, std::int64_t first, std::int64_t size, std::int64_t before) {
        const auto page = memory.pages.find(number);
        char* target = static_cast<char*>(to) + before;
        if (page == memory.pages.end())
          std::memset(target, 0, static_cast<std::size_t>(size));
        else
          std::memcpy(target, page->second.data() + first, static_cast<std::size_t>(size));
      });
  return 0;
}

herr_t write_memory(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t offset, size_t bytes,
                    const void* from) {
  try {
    Memory& memory = memory_of(file);
    Memory::over_pages(
        static_cast<std::int64_t>(offset), static_cast<std::int64_t>(bytes),
        [&](std::int64_t number, std::int64_t first, std::int64_t size, std::int64_t before) {
          std::memcpy(memory.pages[number].data() + first, static_cast<const char*>(from) + before,
                      static_cast<std::size_t>(size));
        });
    return 0;
  } catch (const std::bad_alloc&) {
    return -1;
  }
}

// The driver, by which HDF5 reads and writes such files.
hid_t driver() {
  static const hid_t id = [] {
    static H5FD_class_t functions{};
#if H5_VERSION_GE(1, 13, 0)
    functions.version = H5FD_CLASS_VERSION;
    functions.value = static_cast<H5FD_class_value_t>(600);  // of those free for testing
#endif
    functions.name = "xpsim_memory";
    functions.maxaddr = (haddr_t{1} << 63) - 1;
    functions.fc_degree = H5F_CLOSE_SEMI;
    functions.fapl_size = sizeof(std::shared_ptr<Memory>*);
    functions.open = open_memory;
    functions.close = close_memory;
    functions.query = query_memory;
    functions.get_eoa = end_of_memory;
    functions.set_eoa = set_end_of_memory;
    functions.get_eof = end_of_memory;
    functions.read = read_memory;
    functions.write = write_memory;
    return H5FDregister(&functions);
  }();
  return check(id, "register the driver of files in memory");
}

}  // namespace

Image::Image(H5F_libver_t oldest, std::int64_t user_block) : memory_(std::make_shared<Memory>()) {
  // Failures become exceptions with a reason; HDF5 prints nothing by itself.
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const std::string what = "make a file in memory";
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, what);
  const std::shared_ptr<Memory>* memory = &memory_;
  check(H5Pset_driver(access, driver(), &memory), what);
  check(H5Pset_libver_bounds(access, oldest, H5F_LIBVER_V110), what);
  Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, what);
  check(H5Pset_userblock(creation, static_cast<hsize_t>(user_block)), what);
  check(H5Pset_obj_track_times(creation, false), what);
  file_ = {H5Fcreate("memory", H5F_ACC_TRUNC, creation, access), H5Fclose, what};
}

std::pair<Handle, Place> Image::create_array(hid_t parent, const std::string& name, hid_t type,
                                             const std::vector<hsize_t>& shape) {
  Handle dataset = create_dataset(parent, name, type, shape);
  const Place place = place_of(dataset);
  arrays_[place.offset] = place.bytes;
  return {std::move(dataset), place};
}

void Image::close() {
  file_.close("close a file in memory");
}

std::int64_t Image::bytes() const {
  return static_cast<std::int64_t>(memory_->end);
}

void Image::copy_to(int file, const std::string& path, const std::string& user_block) const {
  // All bytes between the arrays: those without a page are 0.
  static const Memory::Page zeros{};
  const auto copy = [&](std::int64_t from, std::int64_t to) {
    Memory::over_pages(
        from, to - from,
        [&](std::int64_t number, std::int64_t first, std::int64_t size, std::int64_t before) {
          const auto page = memory_->pages.find(number);
          const Memory::Page& bytes = page == memory_->pages.end() ? zeros : page->second;
          write_all(file, path, from + before, bytes.data() + first, size);
        });
  };
  std::int64_t done = 0;
  for (const auto& [offset, size] : arrays_) {
    copy(done, offset);
    done = offset + size;
  }
  copy(done, bytes());
  write_all(file, path, 0, user_block.data(), static_cast<std::int64_t>(user_block.size()));
}

}  // namespace xp::hdf5
