#include <xp/runtime/communicator.hpp>

#include <exception>
#include <new>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include <xp/runtime/error.hpp>

namespace xp {

Communicator::Communicator(MPI_Comm given) {
  MPI_Comm_dup(given, &comm_);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
  if (size_ == 1) return;
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &node_rank_);
  MPI_Comm_size(node, &node_size_);
  MPI_Comm_free(&node);
}

Communicator::~Communicator() {
  // Freeing is collective: when this rank alone is struck the others will not come.
  if (size_ > 1 && std::uncaught_exceptions() > 0) return;
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized) MPI_Comm_free(&comm_);
}

namespace {

std::string packed(const Error& error) {
  auto list = nlohmann::json::array();
  for (const Diagnostic& d : error.diagnostics())
    list.push_back({d.where.file, d.where.line, d.where.column, d.where.length,
                    d.where.source_line.text(), d.message, d.hint});
  return nlohmann::json{static_cast<int>(error.kind()), list}.dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Error unpacked(const std::string& text) {
  const auto json = nlohmann::json::parse(text);
  std::vector<Diagnostic> diagnostics;
  for (const auto& d : json[1])
    diagnostics.push_back({{d[0], d[1], d[2], d[3], d[4].get<std::string>()}, d[5], d[6]});
  return {static_cast<ErrorKind>(json[0].get<int>()), std::move(diagnostics)};
}

// What `f` throws, as one of the library's errors.
std::optional<Error> error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error(ErrorKind::failure, "out of memory");
  } catch (const std::exception& error) {
    return Error(ErrorKind::failure, error.what());
  }
  return {};
}

std::string broadcast_from(const Communicator& communicator, int root, std::string text) {
  long long size = static_cast<long long>(text.size());
  MPI_Bcast(&size, 1, MPI_LONG_LONG, root, communicator.get());
  text.resize(static_cast<std::size_t>(size));
  MPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, root, communicator.get());
  return text;
}

}  // namespace

void everywhere(const Communicator& communicator, const std::function<void()>& f) {
  if (communicator.size() == 1) return f();
  const std::optional<Error> error = error_of(f);
  int failed = error ? communicator.rank() : communicator.size(), first = 0;
  MPI_Allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, communicator.get());
  if (first == communicator.size()) return;
  Error agreed =
      unpacked(broadcast_from(communicator, first, error ? packed(*error) : std::string()));
  throw agreed.thrown_everywhere();
}

void on_root(const Communicator& communicator, const std::function<void()>& f) {
  everywhere(communicator, [&] {
    if (communicator.is_root()) f();
  });
}

std::string broadcast(const Communicator& communicator, std::string text) {
  return communicator.size() == 1 ? text : broadcast_from(communicator, 0, std::move(text));
}

std::vector<std::string> broadcast(const Communicator& communicator,
                                   std::vector<std::string> texts) {
  if (communicator.size() == 1) return texts;
  texts.resize(std::stoul(broadcast(communicator, std::to_string(texts.size()))));
  for (std::string& text : texts) text = broadcast(communicator, std::move(text));
  return texts;
}

std::vector<std::string> gather(const Communicator& communicator, const std::string& text) {
  const int ranks = communicator.size();
  const int size = static_cast<int>(text.size());
  std::vector<int> sizes(static_cast<std::size_t>(ranks)), places(sizes.size());
  MPI_Gather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, communicator.get());
  int total = 0;
  if (communicator.is_root())
    for (std::size_t r = 0; r < sizes.size(); ++r)
      places[r] = std::exchange(total, total + sizes[r]);
  std::string all(static_cast<std::size_t>(total), '\0');
  MPI_Gatherv(text.data(), size, MPI_CHAR, all.data(), sizes.data(), places.data(), MPI_CHAR, 0,
              communicator.get());
  std::vector<std::string> result;
  if (communicator.is_root())
    for (std::size_t r = 0; r < sizes.size(); ++r)
      result.push_back(
          all.substr(static_cast<std::size_t>(places[r]), static_cast<std::size_t>(sizes[r])));
  return result;
}

}  // namespace xp
