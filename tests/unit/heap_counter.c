/* Counts every allocation of the test program: operator new and delete by their mangled names. In C,
   because nvcc would take a replaced operator new for device code, too. */
#include <stdatomic.h>
#include <stdlib.h>

static atomic_long allocations;

long heap_allocations(void) {
  return atomic_load(&allocations);
}

void* _Znwm(size_t size) {
  void* memory = malloc(size > 0 ? size : 1);
  atomic_fetch_add(&allocations, 1);
  if (!memory) abort();
  return memory;
}

void* _ZnwmRKSt9nothrow_t(size_t size, const void* nothrow) {
  (void)nothrow;
  atomic_fetch_add(&allocations, 1);
  return malloc(size > 0 ? size : 1);
}

void _ZdlPv(void* memory) {
  free(memory);
}

void _ZdlPvm(void* memory, size_t size) {
  (void)size;
  free(memory);
}
