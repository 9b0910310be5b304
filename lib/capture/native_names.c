/* SPDX-License-Identifier: MIT
 * native_names: libdwfl's modules are reported anew only when the process has mapped other code; a lookup walks all
 * symbols of a module, so names are kept. */
#include "capture/native_names.h"

#include "base/array.h"
#include "base/hash_map.h"
#include "base/memory.h"
#include "capture/go_places.h"
#include "capture/perf_map.h"
#include "capture/process_files.h"

#ifdef HAVE_DWFL

#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define CACHE_MAX (1u << 20)		/* names kept; beyond that all are dropped */

struct known { uint64_t address; struct native_name name; };

/* What a module says of its functions beside its symbols. */
struct go_module {
	const Dwfl_Module *module;
	bool is_go;
	struct go_functions functions;
	struct go_memory memory;
	uint64_t moved;			/* what the addresses of the table are less than those of the process */
};

struct map_lines { char *at; size_t count, room; };

struct native_names {
	struct process process;
	Dwfl *dwfl;
	Dwfl_Callbacks callbacks;
	ARRAY(struct known) known;	/* of addresses that were met */
	struct hash_map index;
	ARRAY(struct go_module) go_modules;	/* that were looked at: libdwfl keeps them until another refresh */
	struct perf_map *compiled;	/* what it compiled while it runs, if it says so; NULL: not looked for yet */
	char function[NATIVE_NAME_MAX + 1];	/* the last one of these */
	struct native_name of_function;
	struct map_lines map;		/* the mappings when names were looked up */
	bool elsewhere;			/* paths mean other files to the process than to us */
};

/* --- files --- */

/* The mapped file itself: only root may open it so, but then also one that was replaced since, or that is in a
 * container. -1: it cannot be had. */
static int
open_mapped(const struct native_names *n, const char *name)
{
	size_t size = strlen(name);

	for (const char *at = n->map.at, *end = at + n->map.count; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at)), *line_end = newline != NULL ? newline : end;
		size_t range = strcspn(at, " ");	/* each line has some */
		char path[96];

		if ((size_t)(line_end - at) > size && line_end[-1 - (long)size] == ' ' &&
		    memcmp(line_end - size, name, size) == 0) {
			snprintf(path, sizeof path, "/proc/%ld/map_files/%.*s", (long)n->process.pid,
				 range < 40 ? (int)range : 40, at);
			return file_open_regular(path);
		}
		at = newline != NULL ? newline + 1 : end;
	}
	return -1;
}

/* libdwfl knows the process by number only. The process chose the path; libdwfl checks it too, but a pipe could be put
 * there before it opens the file. */
static int
find_file(Dwfl_Module *module, void **own, const char *name, Dwarf_Addr base, char **file, Elf **elf)
{
	const struct native_names *n = *own;
	int fd;

	if (*name != '/')
		return dwfl_linux_proc_find_elf(module, own, name, base, file, elf);
	fd = open_mapped(n, name);
	if (fd < 0)
		fd = n->elsewhere ? process_open_file(&n->process, name) : file_open_regular(name);
	if (fd >= 0)
		*file = mem_string(name);
	return fd;
}

static int
give_module(Dwfl_Module *module, void **own, const char *name, Dwarf_Addr base, void *n)
{
	(void)module, (void)name, (void)base;
	*own = n;
	return DWARF_CB_OK;
}

/* Whether it has other mounts. When it has ended, what was known before stays. */
static bool
is_elsewhere(const struct native_names *n)
{
	struct stat ours, theirs;
	char path[64];

	snprintf(path, sizeof path, "/proc/%ld/ns/mnt", (long)n->process.pid);
	if (stat("/proc/self/ns/mnt", &ours) < 0 || stat(path, &theirs) < 0)
		return n->elsewhere;
	return ours.st_ino != theirs.st_ino || ours.st_dev != theirs.st_dev;
}

/* --- names --- */

static void
release_name(struct native_name *name)
{
	for (size_t i = 0; i < name->inlined_count; i++) {
		free(name->inlined[i].symbol);
		free(name->inlined[i].source);
	}
	free(name->inlined);
	free(name->symbol);
	free(name->file);
	free(name->source);
}

static void
forget_known(struct native_names *n)
{
	for (size_t i = 0; i < n->known.count; i++)
		release_name(&n->known.at[i].name);
	n->known.count = 0;
	hash_map_clear(&n->index);
	n->go_modules.count = 0;
}

/* A program may map a part of its file once more, far from the first one, as Node does: to libdwfl all between the two
 * is of that file, also code that is in no file. */
static bool
is_mapped(const struct native_names *n, uint64_t address)
{
	for (const char *at = n->map.at, *end = at + n->map.count; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		char *dash;
		uint64_t from = strtoull(at, &dash, 16);	/* something else follows in each line */

		if (address >= from && address < strtoull(dash + 1, NULL, 16))
			return true;
		at = newline != NULL ? newline + 1 : end;
	}
	return false;
}

/* --- names in programs of Go --- */

/* The table of functions of a program that has none of the symbols; its address in the file, 0: it has no such table.
 * Where its code begins, for tables that do not say it. */
static uint64_t
find_go_table(Elf *elf, struct stk_text *table, uint64_t *code)
{
	size_t names;
	uint64_t found = 0;

	*code = 0;
	if (elf == NULL || elf_getshdrstrndx(elf, &names) < 0)
		return 0;
	for (Elf_Scn *section = elf_nextscn(elf, NULL); section != NULL; section = elf_nextscn(elf, section)) {
		GElf_Shdr head;
		const char *name = gelf_getshdr(section, &head) != NULL ? elf_strptr(elf, names, head.sh_name) : NULL;
		Elf_Data *data;

		if (name != NULL && strcmp(name, ".text") == 0)
			*code = head.sh_addr;
		if (name == NULL || (strcmp(name, ".gopclntab") != 0 && strcmp(name, ".data.rel.ro.gopclntab") != 0))
			continue;
		data = elf_getdata(section, NULL);
		if (data == NULL || data->d_buf == NULL)
			continue;
		*table = text_of(data->d_buf, data->d_size);
		found = head.sh_addr;
	}
	return found;
}

static bool
read_memory(void *of, uint64_t address, void *to, size_t size)
{
	const struct native_names *n = of;
	struct iovec into = { to, size }, from = { (void *)(uintptr_t)address, size };

	return process_vm_readv(n->process.pid, &into, 1, &from, 1, 0) == (ssize_t)size;
}

/* The program's description of itself is in one of these; the first one has nothing else, since Go 1.26. */
static void
seek_go_module(Elf *elf, GElf_Addr bias, struct go_module *go)
{
	static const char *const sections[] = { ".go.module", ".noptrdata", ".data" };
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return;
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
		for (Elf_Scn *section = elf_nextscn(elf, NULL); section != NULL; section = elf_nextscn(elf, section)) {
			GElf_Shdr head;
			const char *name =
				gelf_getshdr(section, &head) != NULL ? elf_strptr(elf, names, head.sh_name) : NULL;

			if (name != NULL && strcmp(name, sections[i]) == 0 &&
			    go_places_seek(&go->functions, &go->memory, head.sh_addr + bias, head.sh_size))
				return;
		}
}

/* Where it is in memory, the loader has made the place of the code an absolute address. */
static void
look_at_go(struct native_names *n, Dwfl_Module *module, struct go_module *go)
{
	struct stk_text table = { 0 };
	GElf_Addr bias = 0;
	Elf *elf = dwfl_module_getelf(module, &bias);
	uint64_t code, at = find_go_table(elf, &table, &code), absolute = 0;
	size_t text_at;

	*go = (struct go_module){ .module = module };
	go->is_go = at != 0 && go_functions_read(&go->functions, table);
	if (!go->is_go)
		return;
	go->memory = (struct go_memory){ .read = read_memory, .context = n, .table = at + bias };
	text_at = go_functions_text_at(&go->functions);
	if (text_at != 0 && !read_memory(n, at + bias + text_at, &absolute, sizeof absolute))
		absolute = 0;
	if (absolute != 0)
		go->functions.text = absolute;
	if (text_at != 0)
		seek_go_module(elf, bias, go);
	if (absolute == 0 && go->memory.data == 0) {
		go->moved = bias;
		if (text_at != 0 && go->functions.text == 0)
			go->functions.text = code;
	}
}

static const struct go_module *
go_module_of(struct native_names *n, Dwfl_Module *module)
{
	for (size_t i = 0; i < n->go_modules.count; i++)
		if (n->go_modules.at[i].module == module)
			return &n->go_modules.at[i];
	look_at_go(n, module, array_push(&n->go_modules));
	return &n->go_modules.at[n->go_modules.count - 1];
}

static char *
kept(struct stk_text text)
{
	return text.size == 0 ? NULL : strndup(text.data, text.size < NATIVE_NAME_MAX ? text.size : NATIVE_NAME_MAX);
}

static void
take_places(struct native_name *name, const struct go_place *places, size_t count)
{
	const struct go_place *own = &places[count - 1];

	name->source = kept(own->file);
	name->line = own->line;
	name->inlined_count = count - 1;
	name->inlined = count > 1 ? mem_new(count - 1, sizeof *name->inlined) : NULL;
	for (size_t i = 0; i + 1 < count; i++)
		name->inlined[i] = (struct native_place){ kept(places[i].function), kept(places[i].file),
							  places[i].line };
}

/* A symbol is kept, also one that says more of a generic function than the table. What else has one nearby is only near
 * it. */
static void
look_up_in_go(struct native_names *n, Dwfl_Module *module, uint64_t address, bool is_symbol, struct native_name *name)
{
	const struct go_module *go = go_module_of(n, module);
	struct go_place places[GO_PLACES_MAX];
	struct go_function found;
	size_t count;

	if (!go->is_go || !go_functions_find(&go->functions, address - go->moved, &found))
		return;
	if (!is_symbol) {
		free(name->symbol);
		name->symbol = kept(found.name);
		name->offset = address - go->moved - found.from;
	}
	count = go_places_find(&go->functions, &go->memory, address - go->moved, places);
	if (count > 0)
		take_places(name, places, count);
}

bool
native_names_go_frame(struct native_names *n, struct Dwfl_Module *module, uint64_t address, struct go_frame *frame)
{
	const struct go_module *go = go_module_of(n, module);

	return go->is_go && go_functions_frame(&go->functions, address - go->moved, frame);
}

/* --- names of addresses --- */

/* Go's linker adds this to the symbols of functions with the older calling convention; the program's own names lack
 * it. */
static void
cut_go_suffix(char *symbol)
{
	static const char suffix[] = ".abi0";
	size_t size = strlen(symbol), least = sizeof suffix - 1;

	if (size > least && strcmp(symbol + size - least, suffix) == 0)
		symbol[size - least] = '\0';
}

static struct native_name
look_up(struct native_names *n, uint64_t address)
{
	struct native_name name;

	Dwfl_Module *module = dwfl_addrmodule(n->dwfl, address);
	const char *file = NULL, *symbol = NULL;
	GElf_Off offset = 0;
	GElf_Sym at = { 0 };

	if (module != NULL)
		file = dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
	if (file != NULL && *file == '/' && !is_mapped(n, address))
		return (struct native_name){ 0 };
	if (module != NULL)
		symbol = dwfl_module_addrinfo(module, address, &offset, &at, NULL, NULL, NULL);
	name = (struct native_name){ .symbol = symbol != NULL ? strndup(symbol, NATIVE_NAME_MAX) : NULL,
				     .file = file != NULL ? strndup(file, NATIVE_NAME_MAX) : NULL,
				     .offset = offset };
	if (name.symbol != NULL)
		cut_go_suffix(name.symbol);
	if (module != NULL)
		look_up_in_go(n, module, address, symbol != NULL && offset < at.st_size, &name);
	return name;
}

static const struct native_name *
name_in_files(struct native_names *n, uint64_t address)
{
	uint64_t hash = address * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t at = hash_map_start(&n->index, hash), id;

	while ((id = hash_map_next(&n->index, hash, &at)) != 0)
		if (n->known.at[id - 1].address == address)
			return &n->known.at[id - 1].name;
	if (n->known.count >= CACHE_MAX)
		forget_known(n);
	*array_push(&n->known) = (struct known){ address, look_up(n, address) };
	hash_map_put(&n->index, hash, (uint32_t)n->known.count);
	return &n->known.at[n->known.count - 1].name;
}

/* What is in no file is not kept: a program may compile something else into the same place. */
const struct native_name *
native_names_of(struct native_names *n, uint64_t address)
{
	static char map[] = NATIVE_NAME_COMPILED;
	const struct native_name *name = name_in_files(n, address);
	const char *function;

	if (name->symbol != NULL)
		return name;
	if (n->compiled == NULL) {
		perf_map_own(&n->compiled, &n->process);
		perf_map_follow(n->compiled);
	}
	function = perf_map_name(n->compiled, address);
	if (function == NULL)
		return name;
	snprintf(n->function, sizeof n->function, "%s", function);
	n->of_function = (struct native_name){ .symbol = n->function, .file = map };
	return &n->of_function;
}

/* The lines of /proc/PID/maps that are code of files. VMs map and unmap other memory all the time. */
static int
read_code_maps(const struct native_names *n, struct map_lines *map, struct stk_error *err)
{
	char path[64], line[4096];
	FILE *maps;

	snprintf(path, sizeof path, "/proc/%ld/maps", (long)n->process.pid);
	maps = fopen(path, "re");
	if (maps == NULL)
		return stk_fail_errno(err, "what it has mapped cannot be read");
	while (fgets(line, sizeof line, maps) != NULL) {
		const char *permissions = strchr(line, ' ');
		size_t size = strlen(line);

		if (permissions == NULL || permissions[3] != 'x' || strchr(line, '/') == NULL)
			continue;
		array_reserve(map, size);
		memcpy(map->at + map->count, line, size);
		map->count += size;
	}
	(void)fclose(maps);
	return 0;
}

const char *
native_names_reason(int result)
{
	int own = dwfl_errno();		/* which forgets it */

	return result > 0 ? strerror(result) : own != 0 ? dwfl_errmsg(own) : "it is ending, or maps no file";
}

int
native_names_refresh(struct native_names *n, struct stk_error *err)
{
	struct map_lines map = { 0 };
	bool same;
	int result;

	if (n->compiled != NULL)
		perf_map_follow(n->compiled);
	if (n->dwfl == NULL)
		n->dwfl = dwfl_begin(&n->callbacks);
	if (n->dwfl == NULL)
		return stk_fail(err, STK_ESYSTEM, "libdwfl: %s", dwfl_errmsg(-1));
	if (read_code_maps(n, &map, err) < 0)
		return -1;
	same = map.count == n->map.count && map.count > 0 && memcmp(map.at, n->map.at, map.count) == 0;
	array_release(&n->map);
	n->map = map;
	if (same)
		return 0;
	forget_known(n);
	n->elsewhere = is_elsewhere(n);
	dwfl_report_begin(n->dwfl);
	result = dwfl_linux_proc_report(n->dwfl, n->process.pid);
	if (result == 0)
		result = dwfl_report_end(n->dwfl, NULL, NULL);
	if (result == 0)
		(void)dwfl_getmodules(n->dwfl, give_module, n, 0);
	return result == 0 ? 0 : stk_fail(err, STK_EDATA, "its modules cannot be read: %s",
					  native_names_reason(result));
}

void
native_names_forget(struct native_names *n)
{
	dwfl_end(n->dwfl);
	n->dwfl = NULL;
	n->map.count = 0;
	forget_known(n);
}

struct Dwfl *
native_names_dwfl(struct native_names *n)
{
	return n->dwfl;
}

void
native_names_open(struct native_names **out, const struct process *process)
{
	struct native_names *n = *out = mem_new(1, sizeof *n);

	n->process = *process;
	/* only the system's debug files, by build id: a file's .gnu_debuglink, or a file of its name with .debug, may
	 * be a pipe, on which libdwfl would wait for ever */
	n->callbacks = (Dwfl_Callbacks){ .find_elf = find_file, .find_debuginfo = dwfl_build_id_find_debuginfo };
}

void
native_names_close(struct native_names *n)
{
	if (n == NULL)
		return;
	native_names_forget(n);
	perf_map_close(n->compiled);
	array_release(&n->known);
	array_release(&n->go_modules);
	array_release(&n->map);
	hash_map_release(&n->index);
	free(n);
}

#else

void
native_names_open(struct native_names **out, const struct process *process)
{
	(void)process;
	*out = NULL;
}

int
native_names_refresh(struct native_names *names, struct stk_error *err)
{
	(void)names;
	return stk_fail(err, STK_EDATA, "names of native code need libdw: install libdw-dev and build again");
}

const struct native_name *
native_names_of(struct native_names *names, uint64_t address)
{
	static const struct native_name nothing;

	(void)names, (void)address;
	return &nothing;
}

void
native_names_close(struct native_names *names)
{
	(void)names;
}

#endif
