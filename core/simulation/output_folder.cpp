#include <xp/simulation/output_folder.hpp>

#include <filesystem>
#include <regex>
#include <vector>

#include <xp/io/files.hpp>
#include <xp/runtime/error.hpp>
#include <xp/runtime/log.hpp>

namespace xp {
namespace {

namespace fs = std::filesystem;

// Files that a run writes, by their names. Files of the user's own are left alone.
std::vector<fs::path> files_of_runs(const std::string& folder) {
  static const std::regex names(
      R"((fields(_\d+)?\.(vtkhdf|xdmf|vtkhdf\.series)|series\.csv|report\.json|input\.resolved\.yaml|run\.log)(\.part)?)");
  static const std::regex checkpoints(R"(checkpoint_\d+\.h5(\.part)?)");
  std::vector<fs::path> files;
  std::error_code error;
  const auto collect = [&](const std::string& from, const std::regex& pattern) {
    for (const fs::directory_entry& entry : fs::directory_iterator(from, error))
      if (std::regex_match(entry.path().filename().string(), pattern))
        files.push_back(entry.path());
  };
  collect(folder, names);
  collect(checkpoint_folder(folder), checkpoints);
  return files;
}

// One that was put there before the run is not meant for it.
void remove_stop_file(const std::string& folder) {
  std::error_code error;
  if (fs::remove(folder + "/stop", error))
    log_warning("removed the file '" + folder + "/stop', which was there before the run");
}

}  // namespace

std::string checkpoint_folder(const std::string& folder) {
  return folder + "/checkpoint";
}

void open_output_folder(const std::string& folder, bool overwrite) {
  const std::vector<fs::path> old = files_of_runs(folder);
  if (!old.empty() && !overwrite)
    throw Error(ErrorKind::input,
                "the output folder '" + folder + "' holds the files of another run",
                "give --restart latest to go on with it, --overwrite to replace them, or another "
                "folder with --output");
  make_directory(folder);
  std::error_code error;
  for (const fs::path& path : old) fs::remove(path, error);
  fs::remove(checkpoint_folder(folder), error);  // if it is empty
  remove_stop_file(folder);
}

void reopen_output_folder(const std::string& folder, std::int64_t step) {
  static const std::regex numbered(R"((?:fields|checkpoint)_(\d+)\.(?:vtkhdf|h5))");
  std::error_code error;
  for (const fs::path& path : files_of_runs(folder)) {
    const std::string name = path.filename().string();
    std::smatch match;
    const bool later = std::regex_match(name, match, numbered) && std::stoll(match[1].str()) > step;
    if (later || path.extension() == ".part") fs::remove(path, error);
  }
  remove_stop_file(folder);
}

}  // namespace xp
