/* SPDX-License-Identifier: MIT
 * vm_list: --list: the Java VMs of this machine. */
#ifndef STKCAP_VM_LIST_H
#define STKCAP_VM_LIST_H

/* Prints them (format: text, tsv or ndjson; NULL is text), and is main's return value. */
int show_vms(const char *format);

#endif
