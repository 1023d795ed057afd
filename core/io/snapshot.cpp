#include <xp/io/snapshot.hpp>

#include <array>
#include <ctime>
#include <filesystem>

#include <hdf5_hl.h>

#include <xp/io/files.hpp>
#include <xp/io/hdf5.hpp>
#include <xp/io/indices.hpp>
#include <xp/runtime/error.hpp>

namespace xp {
namespace {

constexpr Axis slowest_first[3] = {Axis::z, Axis::y, Axis::x};

std::string snapshot_name(std::int64_t step) {
  char text[48];
  std::snprintf(text, sizeof text, "fields_%06lld.vtkhdf", static_cast<long long>(step));
  return text;
}

std::vector<double> per_axis(const Grid& grid, double (Grid::*get)(Axis) const, bool z_first) {
  std::vector<double> result;
  for (int n = 0; n < 3; ++n)
    result.push_back((grid.*get)(z_first ? slowest_first[n] : all_axes[n]));
  return result;
}

// Creates a dataset without filling it first, and writes all of it. An empty shape is a scalar.
hdf5::Handle write_dataset(hid_t parent, const std::string& name, hid_t file_type,
                           hid_t memory_type, const std::vector<hsize_t>& shape, const void* data) {
  const std::string what = "write the dataset '" + name + "'";
  hdf5::Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                     H5Sclose, what);
  hdf5::Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, what);
  hdf5::check(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER), what);
  hdf5::check(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY), what);
  hdf5::Handle dataset(
      H5Dcreate2(parent, name.c_str(), file_type, space, H5P_DEFAULT, creation, H5P_DEFAULT),
      H5Dclose, what);
  hdf5::Handle transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose, what);
  hdf5::check(H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE), what);
  hdf5::check(H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, transfer, data), what);
  return dataset;
}

}  // namespace

struct SnapshotWriter::File {
  std::string name;
  std::int64_t step = 0;
  double time = 0;
  hdf5::Handle file, cells, meshes;
};

SnapshotWriter::SnapshotWriter(const Communicator& communicator, std::string folder,
                               const Grid& grid, Provenance provenance)
    : communicator_(communicator),
      folder_(std::move(folder)),
      grid_(grid),
      provenance_(std::move(provenance)) {
  // Failures become exceptions with a reason; HDF5 prints nothing by itself.
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

SnapshotWriter::~SnapshotWriter() {
  if (!file_) return;
  const std::string partial = partial_name(folder_ + "/" + file_->name);
  delete file_;
  std::error_code ignored;
  std::filesystem::remove(partial, ignored);
}

void SnapshotWriter::begin(std::int64_t step, double time, double step_size) {
  delete file_;
  file_ = new File;
  file_->name = snapshot_name(step);
  file_->step = step;
  file_->time = time;
  names_.clear();
  file_->file = hdf5::create_file(partial_name(folder_ + "/" + file_->name), communicator_.get());
  const hid_t root = file_->file;

  // netCDF-like: dimension scales with the coordinates of cell centres, and the time.
  for (const Axis axis : slowest_first) {
    std::vector<double> centres;
    for (int i = 0; i < grid_.cells(axis); ++i)
      centres.push_back(grid_.geometry().center(index(axis), i + grid_.ghosts(axis)));
    const std::string name(1, letter(axis));
    const hdf5::Handle dataset = write_dataset(root, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
                                               {centres.size()}, centres.data());
    hdf5::check(H5DSset_scale(dataset, name.c_str()), "make a dimension scale");
    hdf5::write_attribute(dataset, "long_name", name + " of cell centres");
    hdf5::write_attribute(dataset, "axis", std::string(1, "XYZ"[index(axis)]));
  }
  // A scalar coordinate (a dimension would need a scale): xarray joins snapshots along it.
  const hdf5::Handle when =
      write_dataset(root, "time", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {}, &time);
  hdf5::write_attribute(when, "long_name", std::string("time"));
  hdf5::write_attribute(root, "title", provenance_.title);

  // VTKHDF ImageData, one cell thick along absent axes.
  const hdf5::Handle vtk = hdf5::create_group(root, "VTKHDF");
  hdf5::write_attribute_integers(vtk, "Version", {2, 0});
  hdf5::write_attribute(vtk, "Type", std::string("ImageData"));
  hdf5::write_attribute_integers(
      vtk, "WholeExtent",
      {0, grid_.cells(Axis::x), 0, grid_.cells(Axis::y), 0, grid_.cells(Axis::z)});
  hdf5::write_attribute(vtk, "Origin", per_axis(grid_, &Grid::lower, false));
  hdf5::write_attribute(vtk, "Spacing", per_axis(grid_, &Grid::spacing, false));
  hdf5::write_attribute(vtk, "Direction", std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1});
  file_->cells = hdf5::create_group(vtk, "CellData");

  // openPMD 1.1, one iteration per file.
  hdf5::write_attribute(root, "openPMD", std::string("1.1.0"));
  hdf5::write_attribute_unsigned(root, "openPMDextension", 0);
  hdf5::write_attribute(root, "basePath", std::string("/data/%T/"));
  hdf5::write_attribute(root, "meshesPath", std::string("fields/"));
  hdf5::write_attribute(root, "iterationEncoding", std::string("fileBased"));
  hdf5::write_attribute(root, "iterationFormat", std::string("fields_%06T"));
  hdf5::write_attribute(root, "software", std::string("xpsim"));
  hdf5::write_attribute(root, "softwareVersion", provenance_.version);
  char date[40];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S +0000", std::gmtime(&now));
  hdf5::write_attribute(root, "date", std::string(date));
  const hdf5::Handle data = hdf5::create_group(root, "data");
  const hdf5::Handle iteration = hdf5::create_group(data, std::to_string(step));
  hdf5::write_attribute(iteration, "time", time);
  hdf5::write_attribute(iteration, "dt", step_size);
  hdf5::write_attribute(iteration, "timeUnitSI", 1.0);
  file_->meshes = hdf5::create_group(iteration, "fields");

  const hdf5::Handle provenance = hdf5::create_group(root, "provenance");
  hdf5::write_attribute(provenance, "version", provenance_.version);
  hdf5::write_attribute(provenance, "kokkos", provenance_.kokkos);
  hdf5::write_attribute(provenance, "backend", provenance_.backend);
  hdf5::write_attribute(provenance, "device", provenance_.device);
  hdf5::write_attribute(provenance, "precision", provenance_.precision);
  hdf5::write_attribute_integers(provenance, "ranks", {provenance_.ranks});
  hdf5::write_attribute_integers(provenance, "threads", {provenance_.threads});
  hdf5::write_attribute_integers(provenance, "step", {step});
  // One text in a dataset: attributes are limited to 64 kB, and an input may be longer.
  const hdf5::Handle text(H5Tcopy(H5T_C_S1), H5Tclose, "create a text type");
  hdf5::check(H5Tset_size(text, provenance_.input.size() + 1), "set the length of a text type");
  hdf5::check(H5Tset_cset(text, H5T_CSET_UTF8), "set the characters of a text type");
  write_dataset(provenance, "input", text, text, {}, provenance_.input.c_str());
}

void SnapshotWriter::write(const SnapshotField& field) {
  const bool is_double = field.values.precision == Precision::double_;
  bytes_per_value_ = is_double ? 8 : 4;
  std::vector<hsize_t> shape;
  for (const Axis axis : slowest_first) shape.push_back(static_cast<hsize_t>(grid_.cells(axis)));
  const hid_t root = file_->file;
  hdf5::Handle dataset =
      write_dataset(root, field.name, is_double ? H5T_IEEE_F64LE : H5T_IEEE_F32LE,
                    is_double ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT, shape, field.values.data);
  for (int n = 0; n < 3; ++n) {
    const std::string name(1, letter(slowest_first[n]));
    hdf5::Handle scale(H5Dopen2(root, name.c_str(), H5P_DEFAULT), H5Dclose, "open a scale");
    hdf5::check(H5DSattach_scale(dataset, scale, static_cast<unsigned>(n)), "attach a scale");
  }
  hdf5::write_attribute(dataset, "units", field.units);
  hdf5::write_attribute(dataset, "long_name", field.description);
  hdf5::write_attribute(dataset, "coordinates", std::string("time"));
  hdf5::write_attribute(dataset, "geometry", std::string("cartesian"));
  hdf5::write_attribute(dataset, "dataOrder", std::string("C"));
  hdf5::write_attribute(dataset, "axisLabels", std::vector<std::string>{"z", "y", "x"});
  hdf5::write_attribute(dataset, "gridSpacing", per_axis(grid_, &Grid::spacing, true));
  hdf5::write_attribute(dataset, "gridGlobalOffset", per_axis(grid_, &Grid::lower, true));
  hdf5::write_attribute(dataset, "gridUnitSI", 1.0);
  hdf5::write_attribute(dataset, "unitSI", 1.0);
  hdf5::write_attribute(dataset, "unitDimension", std::vector<double>(7, 0.0));
  hdf5::write_attribute(dataset, "timeOffset", 0.0);
  hdf5::write_attribute(dataset, "position", std::vector<double>{0.5, 0.5, 0.5});
  for (const hid_t group : {static_cast<hid_t>(file_->cells), static_cast<hid_t>(file_->meshes)})
    hdf5::check(H5Lcreate_hard(root, field.name.c_str(), group, field.name.c_str(), H5P_DEFAULT,
                               H5P_DEFAULT),
                "link the dataset '" + field.name + "'");
  names_.push_back(field.name);
}

void SnapshotWriter::finish() {
  const std::string path = folder_ + "/" + file_->name;
  file_->cells.close("close a group");
  file_->meshes.close("close a group");
  file_->file.close("close '" + path + "'");
  if (communicator_.is_root()) commit_file(path);
  written_.emplace_back(file_->name, file_->time);
  delete file_;
  file_ = nullptr;
  if (communicator_.is_root()) write_indices();
}

void SnapshotWriter::write_indices() const {
  write_file(folder_ + "/fields.xdmf", xdmf_index(grid_, names_, bytes_per_value_, written_));
  write_file(folder_ + "/fields.vtkhdf.series", series_index(written_));
}

const std::vector<std::string>& snapshot_names() {
  static const std::vector<std::string> names = {"x",    "y",      "z",         "time",
                                                 "data", "VTKHDF", "provenance"};
  return names;
}

std::string describe_snapshot(const std::string& path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  read_file(path);  // a missing file is the user's mistake, said in the system's words
  if (H5Fis_hdf5(path.c_str()) <= 0)
    throw Error(ErrorKind::input, "'" + path + "' is not an HDF5 file",
                "a snapshot of xpsim ends in .vtkhdf");
  const hdf5::Handle file = hdf5::open_file(path);
  if (H5Lexists(file, "provenance", H5P_DEFAULT) <= 0)
    throw Error(ErrorKind::input, "'" + path + "' is an HDF5 file, but not a snapshot of xpsim");
  const hdf5::Handle provenance(H5Gopen2(file, "provenance", H5P_DEFAULT), H5Gclose,
                                "open a group");
  const std::string step = hdf5::attribute_text(provenance, "step");
  const hdf5::Handle iteration(H5Gopen2(file, ("data/" + step).c_str(), H5P_DEFAULT), H5Gclose,
                               "open the iteration");
  std::string text =
      path + ": snapshot of xpsim " + hdf5::attribute_text(provenance, "version") + "\n";
  const auto line = [&](const std::string& name, const std::string& value) {
    if (!value.empty())
      text += "  " + name + std::string(12 - std::min<std::size_t>(11, name.size()), ' ') + value +
              "\n";
  };
  line("title", hdf5::attribute_text(file, "title"));
  line("step", step);
  line("time", hdf5::attribute_text(iteration, "time"));
  line("date", hdf5::attribute_text(file, "date"));
  for (const char* name : {"backend", "device", "precision", "ranks", "threads", "kokkos"})
    line(name, hdf5::attribute_text(provenance, name));

  const hdf5::Handle cells(H5Gopen2(file, "VTKHDF/CellData", H5P_DEFAULT), H5Gclose,
                           "open CellData");
  H5G_info_t info;
  hdf5::check(H5Gget_info(cells, &info), "list the fields");
  for (hsize_t n = 0; n < info.nlinks; ++n) {
    char name[256] = "";
    hdf5::check(H5Lget_name_by_idx(cells, ".", H5_INDEX_NAME, H5_ITER_INC, n, name, sizeof name,
                                   H5P_DEFAULT),
                "list the fields");
    const hdf5::Handle dataset(H5Dopen2(cells, name, H5P_DEFAULT), H5Dclose, "open a field");
    const hdf5::Handle space(H5Dget_space(dataset), H5Sclose, "read a field's shape");
    hsize_t shape[3] = {0, 0, 0};
    hdf5::check(H5Sget_simple_extent_dims(space, shape, nullptr), "read a field's shape");
    std::vector<double> values(shape[0] * shape[1] * shape[2]);
    hdf5::check(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
                "read a field");
    double low = values.empty() ? 0 : values[0], high = low;
    for (const double value : values) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
    char range[160];
    std::snprintf(range, sizeof range, "(%llu, %llu, %llu) from %.8g to %.8g",
                  static_cast<unsigned long long>(shape[0]),
                  static_cast<unsigned long long>(shape[1]),
                  static_cast<unsigned long long>(shape[2]), low, high);
    const std::string units = hdf5::attribute_text(dataset, "units");
    line(std::string("field ") + name, range + (units.empty() ? "" : " " + units));
  }
  return text;
}

}  // namespace xp
