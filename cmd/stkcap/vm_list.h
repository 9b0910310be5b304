/* SPDX-License-Identifier: MIT
 * vm_list: --list: the Java VMs and Python programs of this machine, and others that are asked for. */
#ifndef STKCAP_VM_LIST_H
#define STKCAP_VM_LIST_H

/* Prints them (format: text, tsv or ndjson; NULL is text), and is main's return value. natives: a list as that of
 * --native, or NULL. */
int show_vms(const char *format, const char *natives);

#endif
