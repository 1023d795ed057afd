#include <xp/io/snapshot.hpp>

#include <algorithm>
#include <optional>

#include <hdf5_hl.h>

#include <xp/io/files.hpp>
#include <xp/io/hdf5_image.hpp>
#include <xp/io/indices.hpp>
#include <xp/io/shared_file.hpp>
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

// What the root makes in memory while a snapshot is written.
class Contents {
 public:
  Contents(const Grid& grid, const Provenance& from, std::int64_t step, double time,
           double step_size);
  /// Adds a dataset with all that describes it; returns where its values belong in the file.
  std::int64_t add(const SnapshotField& field, const Grid& grid);
  const hdf5::Image& close();

 private:
  hdf5::Image image_{H5F_LIBVER_V18};
  hdf5::Handle cells_, meshes_;
};

Contents::Contents(const Grid& grid, const Provenance& from, std::int64_t step, double time,
                   double step_size) {
  const hid_t root = image_.root();

  // netCDF-like: dimension scales with the coordinates of cell centres, and the time.
  for (const Axis axis : slowest_first) {
    std::vector<double> centres;
    const auto first = static_cast<int>(grid.geometry().first[index(axis)]);
    for (int i = 0; i < grid.cells(axis); ++i)
      centres.push_back(grid.geometry().center(index(axis), i - first));
    const std::string name(1, letter(axis));
    const hdf5::Handle dataset = hdf5::write_dataset(root, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
                                                     {centres.size()}, centres.data())
                                     .first;
    hdf5::check(H5DSset_scale(dataset, name.c_str()), "make a dimension scale");
    hdf5::write_attribute(dataset, "long_name", name + " of cell centres");
    hdf5::write_attribute(dataset, "axis", std::string(1, "XYZ"[index(axis)]));
  }
  // A scalar coordinate (a dimension would need a scale): xarray joins snapshots along it.
  const hdf5::Handle when =
      hdf5::write_dataset(root, "time", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {}, &time).first;
  hdf5::write_attribute(when, "long_name", std::string("time"));
  hdf5::write_attribute(root, "title", from.title);

  // VTKHDF ImageData, one cell thick along absent axes.
  const hdf5::Handle vtk = hdf5::create_group(root, "VTKHDF");
  hdf5::write_attribute_integers(vtk, "Version", {2, 0});
  hdf5::write_attribute_ascii(vtk, "Type", "ImageData");
  hdf5::write_attribute_integers(
      vtk, "WholeExtent", {0, grid.cells(Axis::x), 0, grid.cells(Axis::y), 0, grid.cells(Axis::z)});
  hdf5::write_attribute(vtk, "Origin", per_axis(grid, &Grid::lower, false));
  hdf5::write_attribute(vtk, "Spacing", per_axis(grid, &Grid::spacing, false));
  hdf5::write_attribute(vtk, "Direction", std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1});
  cells_ = hdf5::create_group(vtk, "CellData");

  // openPMD 1.1, one iteration per file.
  hdf5::write_attribute(root, "openPMD", std::string("1.1.0"));
  hdf5::write_attribute_unsigned(root, "openPMDextension", 0);
  hdf5::write_attribute(root, "basePath", std::string("/data/%T/"));
  hdf5::write_attribute(root, "meshesPath", std::string("fields/"));
  hdf5::write_attribute(root, "iterationEncoding", std::string("fileBased"));
  hdf5::write_attribute(root, "iterationFormat", std::string("fields_%06T"));
  hdf5::write_attribute(root, "software", std::string("xpsim"));
  hdf5::write_attribute(root, "softwareVersion", from.version);
  hdf5::write_attribute(root, "date", date_now());
  const hdf5::Handle data = hdf5::create_group(root, "data");
  const hdf5::Handle iteration = hdf5::create_group(data, std::to_string(step));
  hdf5::write_attribute(iteration, "time", time);
  hdf5::write_attribute(iteration, "dt", step_size);
  hdf5::write_attribute(iteration, "timeUnitSI", 1.0);
  meshes_ = hdf5::create_group(iteration, "fields");

  const hdf5::Handle provenance = hdf5::create_group(root, "provenance");
  hdf5::write_attribute(provenance, "version", from.version);
  hdf5::write_attribute(provenance, "kokkos", from.kokkos);
  hdf5::write_attribute(provenance, "backend", from.backend);
  hdf5::write_attribute(provenance, "device", from.device);
  hdf5::write_attribute(provenance, "precision", from.precision);
  hdf5::write_attribute_integers(provenance, "ranks", {from.ranks});
  hdf5::write_attribute_integers(provenance, "threads", {from.threads});
  hdf5::write_attribute_integers(provenance, "step", {step});
  hdf5::write_text(provenance, "input", from.input);
}

std::int64_t Contents::add(const SnapshotField& field, const Grid& grid) {
  const bool is_double = field.values.precision == Precision::double_;
  std::vector<hsize_t> shape;
  for (const Axis axis : slowest_first) shape.push_back(static_cast<hsize_t>(grid.cells(axis)));
  const hid_t root = image_.root();
  const auto [dataset, place] =
      image_.create_array(root, field.name, is_double ? H5T_IEEE_F64LE : H5T_IEEE_F32LE, shape);
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
  hdf5::write_attribute(dataset, "gridSpacing", per_axis(grid, &Grid::spacing, true));
  hdf5::write_attribute(dataset, "gridGlobalOffset", per_axis(grid, &Grid::lower, true));
  hdf5::write_attribute(dataset, "gridUnitSI", 1.0);
  hdf5::write_attribute(dataset, "unitSI", 1.0);
  hdf5::write_attribute(dataset, "unitDimension", std::vector<double>(7, 0.0));
  hdf5::write_attribute(dataset, "timeOffset", 0.0);
  hdf5::write_attribute(dataset, "position", std::vector<double>{0.5, 0.5, 0.5});
  for (const hid_t group : {static_cast<hid_t>(cells_), static_cast<hid_t>(meshes_)})
    hdf5::check(H5Lcreate_hard(root, field.name.c_str(), group, field.name.c_str(), H5P_DEFAULT,
                               H5P_DEFAULT),
                "link the dataset '" + field.name + "'");
  return place.offset;
}

const hdf5::Image& Contents::close() {
  cells_.close("close a group");
  meshes_.close("close a group");
  image_.close();
  return image_;
}

}  // namespace

struct SnapshotWriter::File {
  std::string name;
  double time = 0;
  std::optional<Contents> contents;  ///< on the root
  SharedFile file;
};

SnapshotWriter::SnapshotWriter(const Communicator& communicator, std::string folder,
                               const Grid& grid, Provenance provenance)
    : communicator_(communicator),
      folder_(std::move(folder)),
      grid_(grid),
      provenance_(std::move(provenance)) {}

SnapshotWriter::~SnapshotWriter() = default;

void SnapshotWriter::begin(std::int64_t step, double time, double step_size) {
  file_.reset();
  names_.clear();
  const std::string name = snapshot_name(step);
  file_.reset(
      new File{name, time, {}, {communicator_, folder_ + "/" + name, SharedFile::Mode::create}});
  on_root(communicator_,
          [&] { file_->contents.emplace(grid_, provenance_, step, time, step_size); });
}

void SnapshotWriter::write(const SnapshotField& field) {
  std::int64_t offset = 0;
  on_root(communicator_, [&] { offset = file_->contents->add(field, grid_); });
  MPI_Bcast(&offset, 1, MPI_INT64_T, 0, communicator_.get());
  file_->file.write(offset, grid_, field.values);
  names_.push_back(field.name);
  bytes_per_value_ = bytes_of(field.values.precision);
}

void SnapshotWriter::finish() {
  const std::string path = folder_ + "/" + file_->name;
  file_->file.commit([&](int file) { file_->contents->close().copy_to(file, path); });
  SnapshotEntry entry{file_->name, file_->time, names_, bytes_per_value_};
  const auto same = std::find_if(written_.begin(), written_.end(),
                                 [&](const auto& other) { return other.file == entry.file; });
  if (same == written_.end())
    written_.push_back(std::move(entry));
  else
    *same = std::move(entry);
  file_.reset();
  on_root(communicator_, [&] { write_indices(); });
}

void SnapshotWriter::write_indices() const {
  write_file(folder_ + "/fields.xdmf", xdmf_index(grid_, written_));
  write_file(folder_ + "/fields.vtkhdf.series", series_index(written_));
}

const std::vector<std::string>& snapshot_names() {
  static const std::vector<std::string> names = {"x",    "y",      "z",         "time",
                                                 "data", "VTKHDF", "provenance"};
  return names;
}

}  // namespace xp
