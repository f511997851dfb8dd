/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of pages/ as they are, one behind the other, and a table of them: archive.h. */
    .macro  file label, name
    .section .rodata.archive, "a"
\label\()_name:
    .asciz  "\name"
\label\()_start:
    .incbin "pages/\name"
\label\()_end:
    .section .rodata.archive_files, "a"
    .balign 8
    .dword  \label\()_name, \label\()_start, \label\()_end - \label\()_start
    .endm

    .section .rodata.archive_files, "a"
    .balign 8
    .globl  archive_files
archive_files:
    file    index, "index.html"
    file    style, "style.css"
    file    about, "about.txt"
    .section .rodata.archive_files, "a"
    .globl  archive_end
archive_end:
