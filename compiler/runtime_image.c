// runtime_image.c: that library's bytes, in libSinterCompiler.so. The build says where the file is.

__asm__(".section .rodata\n"
        ".balign 64\n"
        ".globl sn_runtime_image, sn_runtime_image_end\n"
        ".hidden sn_runtime_image, sn_runtime_image_end\n"
        "sn_runtime_image:\n"
        ".incbin \"" SINTER_RUNTIME_IMAGE "\"\n"
        "sn_runtime_image_end:\n"
        ".previous\n");
