// Linked into counting programs (scripts/build-release --counting). Ours end by `_exit`, which skips the code
// that writes the counts.
_Noreturn void __real__exit(int code);
// Functions of compiler-rt. The first reads LLVM_PROFILE_FILE.
void __llvm_profile_initialize_file(void);
int __llvm_profile_write_file(void);

_Noreturn void __wrap__exit(int code) {
    __llvm_profile_initialize_file();
    __llvm_profile_write_file();
    __real__exit(code);
}
