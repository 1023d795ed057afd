# What every target of xpsim is compiled with.
#
# -fno-math-errno and -fno-trapping-math keep IEEE results and let sqrt and comparisons vectorise;
# -ffp-contract=off keeps a fused multiply-add from appearing in one instantiation of a kernel and not
# in another: fields agree bit for bit between backends, thread counts and vector tails.
set(xpsim_fp_flags -fno-math-errno -fno-trapping-math -ffp-contract=off)
set(xpsim_warnings -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC bug 105651: wrong warnings about "text" + std::string.
  list(APPEND xpsim_warnings -Wno-restrict)
endif()

if(Kokkos_ENABLE_CUDA)
  # fmt 9 turns constexpr off under nvcc but leaves consteval on: its own format strings do not compile.
  add_compile_definitions(FMT_USE_CONSTEXPR=1)
endif()

# Public headers are found as <xp/field/field.hpp> in the tree as after installation.
set(xpsim_include_dir ${CMAKE_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${xpsim_include_dir}/xp)
foreach(module runtime config expr mesh field operators time io simulation)
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/core/${module} ${xpsim_include_dir}/xp/${module} SYMBOLIC)
endforeach()
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/solvers ${xpsim_include_dir}/xp/solvers SYMBOLIC)

if(XPSIM_NATIVE AND NOT CMAKE_CXX_COMPILER_ID MATCHES "NVIDIA")
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag(-march=native xpsim_has_native)
  # Where there are 512-bit vectors they are used whole: compilers prefer halves, for processors that
  # lowered their clock (docs/performance.md has what it brings).
  check_cxx_compiler_flag(-mprefer-vector-width=512 xpsim_has_vector_width)
endif()

# xpsim_compile_options(target): warnings, floating-point rules, processor.
function(xpsim_compile_options target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${xpsim_warnings}> $<$<BOOL:${XPSIM_WERROR}>:-Werror>)
endfunction()
