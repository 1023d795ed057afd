// Which function comes from where. exp, sin and cos are the polynomials of polynomials.hpp (0.89
// units in the last place), which are faster than both others. Of the rest the largest errors in
// units in the last place (libmvec of glibc 2.36 with 4 lanes, with 2 lanes, std::), measured
// against long double; tests hold the bounds:
//
//   log   1.59 1.59 0.52    acos  1.75 2.09 0.52    exp   2.89 3.00 0.51    asin  2.49 2.83 0.51
//   cbrt  2.38 2.38 3.31    sinh  1.89 2.13 1.80    sin   3.28 3.54 0.52    atan  2.25 2.40 0.52
//   cosh  1.52 1.53 1.53    hypot 1.19 2.09 0.57    cos   3.50 3.61 0.52    atan2 2.70 2.13 0.52
//   tanh  2.14 2.17 2.16    pow   1.00 1.00 0.51    tan   3.38 3.30 0.58    erf   2.41 2.35 1.10
//                                                   log10 2.06 2.08 1.60
//
// Taken from libmvec is what stays within two units, or within what std:: does (cbrt, tanh).
// pow of two integers is std::pow, so that 10^-4 is 0.0001: libmvec misses by one unit.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include <xp/expr/polynomials.hpp>
#include <xp/expr/vector_functions.hpp>

namespace xp::detail {

// CMake defines XP_LIBMVEC where libmvec has all that is called here (x86-64, glibc 2.35). Its
// names are those of the vector ABI: d and N4 with AVX2, b and N2 with SSE.
#ifdef XP_LIBMVEC
#ifdef __AVX2__
constexpr int block_lanes = 4;
#define XP_MVEC(arguments, name) _ZGVdN4##arguments##_##name
#else
constexpr int block_lanes = 2;
#define XP_MVEC(arguments, name) _ZGVbN2##arguments##_##name
#endif
// As __m256d and __m128d, without their header, which device compilers cannot always read.
typedef double Block __attribute__((vector_size(8 * block_lanes)));
extern "C" {
Block XP_MVEC(v, log)(Block);
Block XP_MVEC(v, cbrt)(Block);
Block XP_MVEC(v, acos)(Block);
Block XP_MVEC(v, sinh)(Block);
Block XP_MVEC(v, cosh)(Block);
Block XP_MVEC(v, tanh)(Block);
Block XP_MVEC(vv, hypot)(Block, Block);
Block XP_MVEC(vv, pow)(Block, Block);
}
#endif

namespace {

// f(a, b) of one value as Function<op>::value, of a block of them as Function<op>::block, or of all
// of them as Function<op>::loop.
template <Op op>
struct Function;

#define XP_STD(name)                                               \
  template <>                                                      \
  struct Function<Op::name> {                                      \
    static double value(double a, double) { return std::name(a); } \
  };
#define XP_STD_OF_TWO(name)                                             \
  template <>                                                           \
  struct Function<Op::name> {                                           \
    static double value(double a, double b) { return std::name(a, b); } \
  };

#ifdef XP_LIBMVEC
#define XP_VECTOR(name)                                                \
  template <>                                                          \
  struct Function<Op::name> {                                          \
    static Block block(Block a, Block) { return XP_MVEC(v, name)(a); } \
  };
#define XP_VECTOR_OF_TWO(name)                                               \
  template <>                                                                \
  struct Function<Op::name> {                                                \
    static Block block(Block a, Block b) { return XP_MVEC(vv, name)(a, b); } \
  };

Block load(const double* from) {
  Block block;
  std::memcpy(&block, from, sizeof block);
  return block;
}
void store(double* to, Block block, int lanes = block_lanes) {
  std::memcpy(to, &block, sizeof(double) * static_cast<std::size_t>(lanes));
}
// What is left of a chunk: its last value fills the block.
Block load_rest(const double* from, int lanes) {
  double values[block_lanes];
  for (int lane = 0; lane < block_lanes; ++lane) values[lane] = from[std::min(lane, lanes - 1)];
  return load(values);
}
#else
#define XP_VECTOR XP_STD
#define XP_VECTOR_OF_TWO XP_STD_OF_TWO
#endif

XP_VECTOR(log)
XP_VECTOR(cbrt)
XP_VECTOR(cosh)
XP_VECTOR(tanh)
#ifdef __AVX2__
XP_VECTOR(acos)
XP_VECTOR(sinh)
XP_VECTOR_OF_TWO(hypot)
#else
XP_STD(acos)
XP_STD(sinh)
XP_STD_OF_TWO(hypot)
#endif
XP_STD(log10)
XP_STD(tan)
XP_STD(asin)
XP_STD(atan)
XP_STD(erf)
XP_STD_OF_TWO(atan2)

template <>
struct Function<Op::exp> {
  static void loop(int lanes, double* out, const double* a) { exp_lanes(lanes, out, a); }
};
template <>
struct Function<Op::sin> {
  static void loop(int lanes, double* out, const double* a) { sine_lanes<0>(lanes, out, a); }
};
template <>
struct Function<Op::cos> {
  static void loop(int lanes, double* out, const double* a) { sine_lanes<1>(lanes, out, a); }
};

template <>
struct Function<Op::power> {
  static double value(double a, double b) { return is_product(b) ? product(a, b) : std::pow(a, b); }

#ifdef XP_LIBMVEC
  static Block block(Block a, Block b) {
    Block powers = XP_MVEC(vv, pow)(a, b);
    bool some_integers = false;
    for (int lane = 0; lane < block_lanes; ++lane) some_integers |= is_integer(b[lane]);
    if (!some_integers) return powers;
    for (int lane = 0; lane < block_lanes; ++lane)
      if (is_product(b[lane]) || (is_integer(a[lane]) && is_integer(b[lane])))
        powers[lane] = value(a[lane], b[lane]);
    return powers;
  }

 private:
  // Of less than 2^51; each of them is its own nearest integer.
  static bool is_integer(double x) {
    constexpr double ones_only = 6755399441055744;  // 1.5 * 2^52
    return (x + ones_only) - ones_only == x;
  }
#endif
};

// The exponent of a chunk is one constant nearly always.
bool is_product_everywhere(int lanes, const double* exponents) {
  if (lanes <= 0 || !is_product(exponents[0])) return false;
  bool same = true;
  for (int lane = 1; lane < lanes; ++lane) same &= exponents[lane] == exponents[0];
  return same;
}

}  // namespace

template <Op op>
void function_lanes(int lanes, double* out, const double* a, const double* b) {
  if constexpr (op == Op::power)
    if (is_product_everywhere(lanes, b)) {
      const double exponent = b[0];
      XP_VECTORISE
      for (int lane = 0; lane < lanes; ++lane) out[lane] = product(a[lane], exponent);
      return;
    }
  if constexpr (requires { &Function<op>::loop; }) {
    Function<op>::loop(lanes, out, a);
  } else if constexpr (requires { &Function<op>::block; }) {
#ifdef XP_LIBMVEC
    constexpr bool of_two = op == Op::power || op == Op::atan2 || op == Op::hypot;
    int lane = 0;
    for (; lane + block_lanes <= lanes; lane += block_lanes) {
      const Block first = load(a + lane);
      store(out + lane, Function<op>::block(first, of_two ? load(b + lane) : first));
    }
    if (const int rest = lanes - lane; rest > 0) {
      const Block first = load_rest(a + lane, rest);
      store(out + lane, Function<op>::block(first, of_two ? load_rest(b + lane, rest) : first),
            rest);
    }
#endif
  } else {
    for (int lane = 0; lane < lanes; ++lane) out[lane] = Function<op>::value(a[lane], b[lane]);
  }
}

template <Op op>
double function_value(double a, double b) {
  function_lanes<op>(1, &a, &a, &b);
  return a;
}

#define XP_INSTANTIATE(name)                                                      \
  template void function_lanes<Op::name>(int lanes, double* out, const double* a, \
                                         const double* b);                        \
  template double function_value<Op::name>(double a, double b);
XP_INSTANTIATE(power)
XP_INSTANTIATE(exp)
XP_INSTANTIATE(log)
XP_INSTANTIATE(log10)
XP_INSTANTIATE(cbrt)
XP_INSTANTIATE(sin)
XP_INSTANTIATE(cos)
XP_INSTANTIATE(tan)
XP_INSTANTIATE(asin)
XP_INSTANTIATE(acos)
XP_INSTANTIATE(atan)
XP_INSTANTIATE(atan2)
XP_INSTANTIATE(sinh)
XP_INSTANTIATE(cosh)
XP_INSTANTIATE(tanh)
XP_INSTANTIATE(erf)
XP_INSTANTIATE(hypot)

}  // namespace xp::detail
