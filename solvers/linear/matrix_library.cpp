#include <xp/runtime/backend.hpp>
#include <xp/solvers/linear/matrix_kernels.hpp>

#ifdef XP_KOKKOS_KERNELS
#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_spiluk.hpp>
#include <KokkosSparse_sptrsv.hpp>
#endif

namespace xp::detail {
#ifdef XP_KOKKOS_KERNELS
namespace {

#if KOKKOS_VERSION >= 40600
namespace sparse = KokkosSparse;
#else
namespace sparse = KokkosSparse::Experimental;
#endif

template <class Space, class Real>
using Handle = KokkosKernels::Experimental::KokkosKernelsHandle<
    int, int, Real, Space, typename Space::memory_space, typename Space::memory_space>;

template <class Space, class Real>
auto vector_of(const FieldView<Space, Real>& view, int size) {
  return Kokkos::View<Real*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
      view.data(), static_cast<std::size_t>(size));
}

// A triangular factor with the levels of its rows.
template <class Space, class Real>
struct Triangle {
  typename CrsMatrix<Space, Real>::Numbers offsets, columns;
  typename CrsMatrix<Space, Real>::Values values;
  Handle<Space, Real> handle;

  void allocate(int rows, int entries) {
    offsets = decltype(offsets)("ilu: offsets", static_cast<std::size_t>(rows) + 1);
    columns = decltype(columns)("ilu: columns", static_cast<std::size_t>(entries));
    values = decltype(values)("ilu: values", static_cast<std::size_t>(entries));
  }
  void prepare(int rows, bool lower) {
    handle.create_sptrsv_handle(KokkosSparse::Experimental::SPTRSVAlgorithm::SEQLVLSCHD_TP1, rows,
                                lower);
    sparse::sptrsv_symbolic(&handle, offsets, columns);
  }
  template <class From, class To>
  void solve(const From& from, const To& to) {
    sparse::sptrsv_solve(&handle, offsets, columns, values, from, to);
  }
};

template <class Space, class Real>
class LibraryIlu final : public Ilu<Space, Real> {
 public:
  LibraryIlu(const CrsMatrix<Space, Real>& matrix, int fill)
      : rows_(matrix.rows()), middle_("ilu: middle", static_cast<std::size_t>(rows_)) {
    // The library asks for the numbers of entries before it knows them.
    const int guess = 6 * (fill + 1) * matrix.entries() + rows_;
    Handle<Space, Real> handle;
    handle.create_spiluk_handle(KokkosSparse::Experimental::SPILUKAlgorithm::SEQLVLSCHD_TP1, rows_,
                                guess, guess);
    lower_.allocate(rows_, guess);
    upper_.allocate(rows_, guess);
    auto offsets = matrix.offsets();
    auto columns = matrix.columns();
    auto values = matrix.values();
    sparse::spiluk_symbolic(&handle, fill, offsets, columns, lower_.offsets, lower_.columns,
                            upper_.offsets, upper_.columns);
    fit(lower_, static_cast<std::size_t>(handle.get_spiluk_handle()->get_nnzL()));
    fit(upper_, static_cast<std::size_t>(handle.get_spiluk_handle()->get_nnzU()));
    sparse::spiluk_numeric(&handle, fill, offsets, columns, values, lower_.offsets, lower_.columns,
                           lower_.values, upper_.offsets, upper_.columns, upper_.values);
    handle.destroy_spiluk_handle();
    lower_.prepare(rows_, true);
    upper_.prepare(rows_, false);
  }
  ~LibraryIlu() override {
    lower_.handle.destroy_sptrsv_handle();
    upper_.handle.destroy_sptrsv_handle();
  }

  void apply(const FieldView<Space, Real>& x, const FieldView<Space, Real>& y) override {
    lower_.solve(vector_of(x, rows_), middle_);
    upper_.solve(middle_, vector_of(y, rows_));
  }

 private:
  static void fit(Triangle<Space, Real>& triangle, std::size_t entries) {
    Kokkos::resize(triangle.columns, entries);
    Kokkos::resize(triangle.values, entries);
  }

  int rows_;
  Kokkos::View<Real*, Space> middle_;
  Triangle<Space, Real> lower_, upper_;
};

}  // namespace
#endif

template <class Space, class Real>
std::unique_ptr<Ilu<Space, Real>> make_ilu([[maybe_unused]] const Space& space,
                                           [[maybe_unused]] const CrsMatrix<Space, Real>& matrix,
                                           [[maybe_unused]] int fill) {
#ifdef XP_KOKKOS_KERNELS
  space.fence();
  return std::make_unique<LibraryIlu<Space, Real>>(matrix, fill);
#else
  return nullptr;
#endif
}

#define XP_ILU(Space, Real)                                                                        \
  template std::unique_ptr<Ilu<Space, Real>> make_ilu(const Space&, const CrsMatrix<Space, Real>&, \
                                                      int);
XP_INSTANTIATE(XP_ILU)
#undef XP_ILU

}  // namespace xp::detail
