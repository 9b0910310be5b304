# stkpipe. `make` builds build/bin/*; `make help` names the other targets. Sources are found, not listed: a file in the
# right folder is built. Elsewhere `make -f DIR/Makefile` builds into ./build, as `make B=FOLDER` does from here.
HERE := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
ifneq ($(HERE),$(CURDIR))
$(or $(MAKECMDGOALS),all): elsewhere ;
elsewhere:
	@$(MAKE) --no-print-directory -C $(HERE) $(if $(B),B=$(abspath $(B)),OUT=$(CURDIR)/) $(MAKECMDGOALS)
.PHONY: $(or $(MAKECMDGOALS),all) elsewhere
else

PREFIX   ?= /usr/local
LIBDIR   ?= $(PREFIX)/lib
CC       ?= cc
CFLAGS   ?= -O3 -g
WARN      = -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wfloat-conversion -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -Wpointer-arith -Wno-missing-field-initializers
CPPFLAGS += -Iinclude -Ilib -D_GNU_SOURCE
LDFLAGS  += -Wl,--as-needed	# each program loads only the libraries that it calls
LDLIBS   += -lzstd -lz -lxxhash -lyaml -lm -lpthread
-include config.mk

# Asked of git when something needs it, once.
RELEASE  := $(shell sed -n 's/^\#define STK_VERSION "\(.*\)"/\1/p' include/stkpipe/version.h)
ABI      := $(shell sed -n 's/^\#define STK_ABI //p' include/stkpipe/version.h)
VERSION   = $(eval VERSION := $(shell git describe --tags --dirty 2>/dev/null || cat VERSION 2>/dev/null || echo $(RELEASE)))$(VERSION)

# What only one feature needs is used where it is: expat, for stkgroup --import of .stacktags; libical, for stktrend --holidays of
# calendars; libdw, for stkcap --native, and what a VM does that does not answer; gmp, for the ids of stkpath, which are numbers
# of any size: without it stkpath is not built; libsqlite3, for stkcat -f sqlite; libarchive, for archives and rarer compressions;
# libiberty, for --demangle of C++ and Rust.
# The compiler is asked once, and not by goals that compile nothing.
has    = '__has_include(<$(1)>)'
PROBE := '\043if %s\n%s\n\043endif\n' $(call has,expat.h) EXPAT $(call has,libical/ical.h) ICAL $(call has,elfutils/libdwfl.h) DWFL $(call has,gmp.h) GMP \
	$(call has,sqlite3.h) SQLITE $(call has,archive.h) ARCHIVE $(call has,libiberty/demangle.h) IBERTY __x86_64__ X86 __aarch64__ ARM
ifneq ($(filter-out help clean dist demo mutate,$(or $(MAKECMDGOALS),all)),)
FOUND := $(shell printf $(PROBE) | $(CC) $(CPPFLAGS) -E -P -x c -)
endif
MUSL  := $(findstring musl,$(CC))
# STATIC=1, for `make static`: what libdw, libarchive and libical need in turn is too much for one file, or must be loaded later.
ifeq ($(STATIC),1)
override FOUND := $(filter-out DWFL ARCHIVE ICAL,$(FOUND))
PIE     := -static
endif
CPPFLAGS += $(patsubst %,-DHAVE_%,$(filter EXPAT ICAL DWFL SQLITE ARCHIVE IBERTY,$(FOUND)))
LDLIBS   += $(if $(filter EXPAT,$(FOUND)),-lexpat) $(if $(filter ICAL,$(FOUND)),-lical) $(if $(filter DWFL,$(FOUND)),-ldw -lelf) $(if $(filter GMP,$(FOUND)),-lgmp) $(if $(filter SQLITE,$(FOUND)),-lsqlite3) $(if $(filter IBERTY,$(FOUND)),-liberty)
ifeq ($(STATIC),1)
LDLIBS   += -lm		# of libsqlite3.a, too
endif
WITHOUT  := $(if $(filter GMP,$(FOUND)),,path probe)

# What makes mistakes of memory harder to use: a check of each frame's end and of sizes that the C library can know, jumps only
# to where jumps may go, programs at places that change, tables that cannot be written. HARDEN= leaves it out.
HARDEN   ?= -fPIE -fstack-protector-strong -fstack-clash-protection $(if $(filter X86,$(FOUND)),-fcf-protection)$(if $(filter ARM,$(FOUND)),-mbranch-protection=standard) \
	$(if $(filter -O1 -O2 -O3 -Os,$(CFLAGS)),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)

# V=1 shows the commands.
ifneq ($(V),1)
Q = @
endif

# SAN=1 builds apart, with the address and undefined-behaviour sanitizers, in one folder a compiler. WERROR=1 makes warnings errors, which they
# are where changes are tested: a compiler or a header newer than we are is no reason not to build.
comma := ,
space := $(subst ,, )
ifeq ($(SAN),1)
SANITIZE = address,undefined
endif
compiler := $(filter-out cc gcc,$(notdir $(CC)))
B := $(OUT)build$(if $(SANITIZE),-$(subst $(comma),-,$(SANITIZE))$(if $(compiler),-$(subst $(space),-,$(compiler))))
ifneq ($(HARDEN),)
LDFLAGS += -Wl,-z,relro,-z,now,-z,noexecstack
PIE     := $(if $(filter 1,$(STATIC)),$(if $(MUSL),-static -Wl$(comma)-z$(comma)stack-size=8388608,-static-pie),-pie)	# musl: threads have the stack that programs ask for
endif
ifdef SANITIZE
override HARDEN :=
PIE     :=
WARN    += -Wno-nonnull -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer -DARENA_DEBUG
LDFLAGS += -fsanitize=$(SANITIZE)
endif
ifeq ($(WERROR),1)
WARN    += -Werror
endif

CMDS  := $(filter-out $(WITHOUT:%=stk%),$(notdir $(patsubst %/,%,$(wildcard cmd/*/))))
LIBC  := $(sort $(filter-out $(WITHOUT:%=lib/%/%.c),$(wildcard lib/*/*.c)))
UNIT  := $(sort $(filter-out $(WITHOUT:%=t/unit/%_%.c),$(wildcard t/unit/*.c)))
TOOLS := $(sort $(wildcard t/tools/*.c))
FUZZ  := $(sort $(filter-out $(WITHOUT:%=t/fuzz/%_%.c),$(wildcard t/fuzz/*.c)))
PAGES := $(patsubst lib/plot/page/%.list,$(B)/lib/plot/%_page_parts.c,$(wildcard lib/plot/page/*.list))
OBJ    = $(patsubst %.c,$(B)/%.o,$(LIBC) $(wildcard cmd/*/*.c) $(UNIT) $(TOOLS) $(FUZZ))

# The agent of stkcap --agent runs in Java VMs; it is built where a JDK's headers are.
JDK_HEADERS ?= $(firstword $(patsubst %/jvmti.h,%,$(wildcard $(JAVA_HOME)/include/jvmti.h /usr/lib/jvm/*/include/jvmti.h)))
AGENT       := $(if $(JDK_HEADERS),$(B)/lib/stkpipe/libstkagent.so)

# What programs that stkpath instrumented are linked with.
OBJCOPY ?= objcopy
RUNTIME := $(if $(filter stkpath,$(CMDS)),$(B)/lib/stkpipe/libstkpath.a)

# What other people's filters are linked with: those parts of base, stream and model that the public calls need.
PUBLIC  := $(filter lib/base/% lib/stream/% lib/model/%,$(LIBC))
LIBRARY := $(B)/lib/libstkpipe.a $(B)/lib/libstkpipe.so.$(ABI)
PIC     := -fPIC -fvisibility=hidden -fno-semantic-interposition
NM      ?= nm

all: $(CMDS:%=$(B)/bin/%) $(AGENT) $(RUNTIME) $(LIBRARY)

# Without sanitizers: it lives in somebody else's process.
$(B)/lib/stkpipe/libstkagent.so: lib/capture/agent/stkagent.c $(B)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) -D_GNU_SOURCE $(filter-out -fsanitize=% -fno-sanitize%,$(WARN)) $(CFLAGS) -fPIC -shared -isystem $(JDK_HEADERS) -isystem $(JDK_HEADERS)/linux -o $@ $<

# Programs may have names like ours: those that are no interface are kept inside.
$(B)/lib/stkpipe/libstkpath.a: $(patsubst lib/path/runtime/%.c,$(B)/lib/path/runtime/%.o,$(wildcard lib/path/runtime/*.c))
	@mkdir -p $(@D); rm -f $@
	$(Q)$(LD) -r -o $(@:.a=.o) $^ && $(OBJCOPY) -w -G 'stkpath_*' $(@:.a=.o) && $(AR) rcs $@ $(@:.a=.o) && rm $(@:.a=.o)
$(B)/lib/path/runtime/%.o: lib/path/runtime/%.c $(wildcard lib/path/runtime/*.h include/stkpipe/*.h) $(B)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(filter-out -fsanitize=% -fno-sanitize%,$(WARN)) $(CFLAGS) -fPIC -c -o $@ $<

# One object, in which only stk_* can be seen: the public calls, and of the rest what these need.
$(B)/lib/libstkpipe.o: $(PUBLIC:%.c=$(B)/%.o)
	@rm -f $(@:.o=-parts.a); $(AR) rcs $(@:.o=-parts.a) $^
	$(Q)$(LD) -r -o $@ $$($(NM) -g --defined-only $^ | sed -n 's/.* T \(stk_[a-z0-9_]*\)$$/-u \1/p') $(@:.o=-parts.a)
	$(Q)$(OBJCOPY) -w -G 'stk_*' $@ && rm $(@:.o=-parts.a)
$(B)/lib/libstkpipe.a: $(B)/lib/libstkpipe.o
	@rm -f $@
	$(Q)$(AR) rcs $@ $<
$(B)/lib/libstkpipe.so.$(ABI): $(B)/lib/libstkpipe.o
	$(Q)$(CC) $(LDFLAGS) $(if $(SANITIZE),,-Wl,-z,defs) -shared -Wl,-soname,$(@F) -o $@ $< -lzstd -lz -lpthread

# What our own filters are linked with: everything, and those parts of the runtime that make records of counts; with sanitizers, if
# there are any, which programs with probes are built without.
RECORDING := $(addprefix $(B)/lib/path/$(if $(SANITIZE),recording,runtime)/,counted_ids.o counted_stream.o counts_image.o function_rows.o own_counts.o packed_block.o plain_stream.o runtime_memory.o)
$(B)/lib/path/recording/%.o: lib/path/runtime/%.c $(wildcard lib/path/runtime/*.h include/stkpipe/*.h) $(B)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(WARN) $(CFLAGS) -c -o $@ $<
$(B)/libstkhouse.a: $(LIBC:%.c=$(B)/%.o) $(PAGES:.c=.o) $(RECORDING)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

define CMD
$(B)/bin/$(1): $$(patsubst %.c,$$(B)/%.o,$$(wildcard cmd/$(1)/*.c)) $(B)/libstkhouse.a
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(LDFLAGS) $$(PIE) -o $$@ $$^ $$(LDLIBS)
endef
$(foreach c,$(CMDS),$(eval $(call CMD,$(c))))

$(B)/t/%.t: $(B)/t/unit/%.o $(B)/libstkhouse.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $(PIE) -o $@ $^ $(LDLIBS)

$(B)/t/tools/%: $(B)/t/tools/%.o $(B)/libstkhouse.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $(PIE) -o $@ $^ $(LDLIBS)

# A filter inside of a program that runs it over streams that lie.
define FILTER_FUZZER
$(B)/t/fuzz/$(1): $(B)/t/lib/fuzz_filter-$(1).o $$(patsubst %.c,$$(B)/%.o,$$(wildcard cmd/$(1)/*.c)) $(B)/libstkhouse.a
	@mkdir -p $$(@D)
	$$(Q)$$(OBJCOPY) --redefine-sym main=filter_main $(B)/cmd/$(1)/main.o $(B)/cmd/$(1)/main.inside
	$$(Q)$$(CC) $$(LDFLAGS) $$(PIE) -o $$@ $$(subst cmd/$(1)/main.o,cmd/$(1)/main.inside,$$^) $$(LDLIBS)
$(B)/t/lib/fuzz_filter-$(1).o: t/lib/fuzz_filter.c $(B)/flags
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(CPPFLAGS) -DFILTER='"$(1)"' $$(WARN) $$(CFLAGS) -MMD -MP -c -o $$@ $$<
endef
$(foreach c,$(CMDS),$(eval $(call FILTER_FUZZER,$(c))))

# All fuzz targets in one program that runs them over their seeds, with any compiler.
$(B)/t/fuzz/%.target.o: $(B)/t/fuzz/%.o
	$(Q)$(OBJCOPY) --redefine-sym LLVMFuzzerTestOneInput=fuzz_$* $< $@
$(B)/t/fuzz/fuzz_targets.h: $(FUZZ) Makefile
	@mkdir -p $(@D)
	$(Q)printf 'TARGET(%s)\n' $(FUZZ:t/fuzz/%.c=%) >$@
$(B)/t/lib/replay_seeds.o: private OWN = -I$(B)/t/fuzz
$(B)/t/lib/replay_seeds.o: $(B)/t/fuzz/fuzz_targets.h
$(B)/t/fuzz/replay_seeds: $(B)/t/lib/replay_seeds.o $(FUZZ:%.c=$(B)/%.target.o) $(B)/libstkhouse.a
	$(Q)$(CC) $(LDFLAGS) $(PIE) -o $@ $^ $(LDLIBS)

# The scripts, the style and the body of HTML pages, as arrays.
$(B)/lib/plot/%_page_parts.c: lib/plot/page/%.list $(wildcard lib/plot/page/*) scripts/embed-page scripts/strip-script.awk scripts/shorten-names.awk
	@mkdir -p $(@D)
	$(Q)scripts/embed-page lib/plot/page $* >$@.new && mv $@.new $@
$(PAGES:.c=.o): %.o: %.c $(B)/flags
	$(Q)$(CC) $(CPPFLAGS) $(WARN) $(CFLAGS) -c -o $@ $<

$(PUBLIC:%.c=$(B)/%.o): private OWN = $(PIC)
$(B)/lib/base/version.o: private OWN = $(PIC) -DBUILT_OF='"$(VERSION)"'
$(B)/lib/base/version.o: $(B)/version
# Loaded when a run needs it, by the name that programs find it by.
$(B)/lib/base/unpack.o: private OWN = -DARCHIVE_FILE="\"$$(readelf -d "$$($(CC) -print-file-name=libarchive.so)" 2>/dev/null | sed -n 's/.*SONAME.*\[\(.*\)\].*/\1/p' | grep . || echo libarchive.so.13)\""
$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(WARN) $(CFLAGS) $(HARDEN) $(OWN) -MMD -MP -c -o $@ $<

# Everything is built again when the flags change, and one object when the version does.
FLAGS = $(CC) $(CPPFLAGS) $(WARN) $(CFLAGS) $(HARDEN) $(LDFLAGS) $(PIC)
$(B)/version: FORCE
	@mkdir -p $(@D); echo '$(VERSION)' | cmp -s - $@ || echo '$(VERSION)' >$@
$(B)/flags: FORCE
	@mkdir -p $(@D); printf '%s\n' "$(subst ",\",$(FLAGS))" | cmp -s - $@ || printf '%s\n' "$(subst ",\",$(FLAGS))" >$@

# --- targets; a line with ## is shown by `make help` ---
FUZZ_SECONDS ?= 60
FUZZ_CC      ?= clang
PROVEFLAGS   ?= -j2
MAN          := $(wildcard cmd/*.[157] cmd/*/*.[157] scripts/*.[157])
HELPERS      := $(patsubst scripts/bench/%.c,$(B)/bench/%,$(wildcard scripts/bench/*.c))
TO            = $(DESTDIR)$(PREFIX)
COMPLETIONS   = $(TO)/share/bash-completion/completions
FISH          = $(TO)/share/fish/vendor_completions.d
DIST          = stkpipe-$(patsubst v%,%,$(shell git describe --tags 2>/dev/null || echo $(VERSION)))

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

demo: ## builds, and reads the embedded sample
	@scripts/demo

shots: $(B)/bin/stkcap $(B)/bin/stkplot ## makes the pictures of the README
	$(Q)STKBIN=$(B)/bin scripts/shots

# T names tests: numbers or names of shell tests, names of unit tests; what these mention is built.
ifdef T
TEST_FILES := $(foreach t,$(T),$(or $(wildcard $(t) t/$(t)-*.t t/$(t).t),$(patsubst t/unit/%.c,$(B)/t/%.t,$(wildcard t/unit/$(t).c)),$(error no test is called $(t): it is neither t/$(t)-*.t nor t/unit/$(t).c)))
TEST_SHELL := $(filter t/%,$(TEST_FILES))
TEST_WORDS := $(if $(TEST_SHELL),$(shell cat $(TEST_SHELL) t/lib/*.sh | tr -cs 'a-z0-9_' '\n' | sort -u))
TEST_NEEDS := $(filter-out t/%,$(TEST_FILES)) $(if $(TEST_SHELL),all) $(patsubst %,$(B)/t/tools/%,$(filter $(TEST_WORDS),$(TOOLS:t/tools/%.c=%))) \
	$(if $(filter fuzz,$(TEST_WORDS)),$(CMDS:%=$(B)/t/fuzz/%)) $(if $(filter replay_seeds,$(TEST_WORDS)),$(B)/t/fuzz/replay_seeds) $(if $(filter bench,$(TEST_WORDS)),$(HELPERS))
else
TEST_FILES := $(B)/t t
TEST_NEEDS := all $(UNIT:t/unit/%.c=$(B)/t/%.t) $(TOOLS:%.c=$(B)/%) $(CMDS:%=$(B)/t/fuzz/%) $(B)/t/fuzz/replay_seeds $(HELPERS)
endif
tests: $(TEST_NEEDS) ## builds what check needs, or only what the tests of T need
# Which tests may run beside which: those of live programs one after another, because those that measure wait for each other, and
# first; beside them the others, by the first two digits of their names. prove takes unit tests, which have no such rule, before all.
digits := 0 1 2 3 4 5 6 7 8 9
RULES  := --rules='seq=t/3{3,4}*' $(foreach a,$(digits),$(foreach b,$(digits),--rules='seq=t/$(a)$(b)*')) --rules='par=**'
check: $(TEST_NEEDS) ## runs every test under prove, or those of T: T=5100, T="5100 id_table"; SAN=1: with sanitizers; PROVEFLAGS=-v: shows each
	@mkdir -p $(B)/t
	@PATH='$(abspath $(B))/bin':"$$(t/lib/real_python)$$PATH" BUILD='$(abspath $(B))' prove $(RULES) $(PROVEFLAGS) $(TEST_FILES)

format: all ## writes the tables of kinds into lib/stream/FORMAT.md, from the schema table
	@awk -v tables='$(B)/bin/stkcat --kinds -f md' '/^<!-- end of kinds -->/ { skip = 0 } !skip { print } /^<!-- kinds -->/ { skip = 1; print ""; while ((tables | getline line) > 0) print line; print "" }' \
		lib/stream/FORMAT.md >$(B)/FORMAT.md && cat $(B)/FORMAT.md >lib/stream/FORMAT.md

headers: $(patsubst %,$(B)/%.ok,$(wildcard include/stkpipe/*.h lib/*/*.h)) ## compiles each header alone, the public ones as C++ too
# A stranger's compiler has only include/, and asks for no extensions.
STRICT := -Iinclude -Wall -Wextra -Wpedantic -Werror -fsyntax-only
$(B)/include/%.h.ok: include/%.h $(wildcard include/stkpipe/*.h) $(B)/flags
	@mkdir -p $(@D)
	$(Q)printf '#include "%s"\ntypedef int not_empty;\n' $*.h | $(CC) -std=c11 $(STRICT) -x c -
	$(Q)if ! command -v $(CXX) >/dev/null; then echo "headers: no C++ compiler ($(CXX)): $< is checked as C only"; \
	else printf '#include "%s"\n' $*.h | $(CXX) -std=c++11 $(STRICT) -x c++ -; fi && touch $@
$(B)/%.h.ok: %.h $(B)/flags
	@mkdir -p $(@D)
	$(Q)printf '#include "%s"\ntypedef int not_empty;\n' $< | $(CC) -I. $(CPPFLAGS) $(WARN) -fsyntax-only -x c - && touch $@

lint: ## looks at manual pages, scripts and commas: mandoc, sh -n, shellcheck and clang -Wcomma where they are installed
	$(if $(MAN),mandoc -T lint -W warning $(MAN))
	$(Q)! command -v clang >/dev/null || clang -std=c11 $(CPPFLAGS) -Wno-everything -Werror=comma -fsyntax-only \
		$(LIBC) $(wildcard lib/path/runtime/*.c)
	$(Q)! command -v clang >/dev/null || for c in cmd/*/*.c; do clang -std=c11 $(CPPFLAGS) -I$${c%/*} -Wno-everything \
		-Werror=comma -fsyntax-only $$c || exit 1; done
	@for s in $$(grep -rl '^#!/bin/sh' scripts .ci t); do sh -n "$$s" || exit 1; done
	@! command -v shellcheck >/dev/null || shellcheck -s sh -S warning $$(grep -rl '^#!/bin/sh' scripts .ci)

# Fused multiply-add would round otherwise, and the inputs must be the same bytes everywhere.
$(B)/bench/%: scripts/bench/%.c scripts/bench/generate.h $(B)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(WARN) $(CFLAGS) -ffp-contract=off $(LDFLAGS) -o $@ $(filter %.c %.a,$^) $(LDLIBS)
$(B)/bench/reading_pass $(B)/bench/heap_pass $(B)/bench/share_pass $(B)/bench/level_figures $(B)/bench/make_samples $(B)/bench/make_intensities $(B)/bench/make_counts $(B)/bench/trend_pass $(B)/bench/json_pass $(B)/bench/make_days: $(B)/libstkhouse.a

bench: all $(HELPERS) ## measures speed and size; PEERS=FOLDER compares, BENCH_SLOW=1 adds zstd -19 (see scripts/bench/README.md)
	@BENCH_TOOLS=$(B)/bench STKBIN=$(B)/bin scripts/bench/run
	@case " $${BENCH_ONLY:-formats} " in *" formats "*) BENCH_TOOLS=$(B)/bench scripts/bench/formats $(B)/bin $(B)/bench/formats ;; esac
	@case " $${BENCH_ONLY:-recognition} " in *" recognition "*) scripts/bench/recognition $(B)/bin $(B)/bench/recognition ;; esac

bench-whole: all $(HELPERS) ## measures a month of dumps through every filter: BENCH_DAYS=30, PEERS=FOLDER (see scripts/bench/whole)
	@BENCH_TOOLS=$(B)/bench STKBIN=$(B)/bin scripts/bench/whole

bench-path: all ## measures the cost of counting paths, compared with the profiles of clang and gcc; needs clang
	@STKBIN=$(B)/bin scripts/bench/paths

bench-live: all ## measures the cost of live capture, compared with jstack, jattach and eu-stack; needs a JDK
	@STKBIN=$(B)/bin scripts/bench/live

soak: all ## captures for an hour while VMs come and go, then kills 1,000 captures; needs a JDK
	@STKBIN=$(abspath $(B))/bin scripts/soak

torture: all $(TOOLS:%.c=$(B)/%) ## makes calls of every filter fail, and kills them: TORTURE_MOST, TORTURE_PART, TORTURE_KILLS, TORTURE_FILTER, TORTURE_JOBS (see scripts/torture)
	@STKBIN=$(abspath $(B))/bin scripts/torture

path-experiment: all ## measures psp0 to psp3 against spp, prepp and pap, as their source did, draws its figures, and sets what auto chooses by; needs clang
	@STKBIN=$(B)/bin scripts/path-experiment

real-programs: all ## builds lua5.4, jq, sqlite3 and python3.11 of Debian with probes, runs their tests, and compares coverage with gcc's and clang's; PROGRAMS: only these
	@STKBIN=$(B)/bin scripts/real-programs $(PROGRAMS)

exactness: all ## checks that programs with probes count exactly; PATH_PROGRAMS: other programs (see scripts/path-exactness); needs clang
	@STKBIN=$(B)/bin scripts/path-exactness

accuracy: all $(B)/bench/make_counts $(B)/bench/heap_pass $(B)/bench/share_pass ## measures how well stktrend predicts and finds changes; SERIES, NAB, M4, CHANGEPOINTS name folders with data (see scripts/accuracy)
	@STKBIN=$(B)/bin scripts/accuracy
	@STKBIN=$(B)/bin scripts/change-accuracy "$(CHANGEPOINTS)"
	@STKBIN=$(B)/bin scripts/rollout-accuracy
	@STKBIN=$(B)/bin scripts/heap-accuracy
	@$(B)/bench/heap_pass
	@STKBIN=$(B)/bin scripts/capacity-accuracy
	@STKBIN=$(B)/bin scripts/forecast-accuracy
	@STKBIN=$(B)/bin scripts/count-accuracy
	@$(B)/bench/share_pass

# The library with clang's flags for fuzzing, once for all targets.
ifneq ($(B),build-fuzz/library)
build-fuzz/library/libstkhouse.a: FORCE
	$(Q)$(MAKE) SANITIZE=fuzzer-no-link,address,undefined CC='$(FUZZ_CC)' CFLAGS='-O1 -g' B=build-fuzz/library $@
endif
build-fuzz/%: t/fuzz/%.c build-fuzz/library/libstkhouse.a $(wildcard lib/*/*.h include/stkpipe/*.h t/fuzz/*.h)
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) $(CPPFLAGS) $(filter-out -fsanitize=%,$(WARN)) -DARENA_DEBUG -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
		-o $@ $< build-fuzz/library/libstkhouse.a $(LDLIBS)

fuzz: $(FUZZ:t/fuzz/%.c=build-fuzz/%) ## fuzzes each target for FUZZ_SECONDS (60); needs clang
	@for f in $(FUZZ:t/fuzz/%.c=%); do \
		echo "fuzz: $$f, $(FUZZ_SECONDS) s"; seeds=; test ! -d t/fuzz/seed/$$f || seeds=t/fuzz/seed/$$f; mkdir -p build-fuzz/corpus/$$f; \
		build-fuzz/$$f -max_total_time=$(FUZZ_SECONDS) -timeout=20 -rss_limit_mb=2048 -print_final_stats=0 -artifact_prefix=build-fuzz/$$f- \
			build-fuzz/corpus/$$f $$seeds >build-fuzz/$$f.log 2>&1 || { tail -40 build-fuzz/$$f.log; exit 1; }; \
	done

mutate: ## changes N (20) lines of lib and cmd, one at a time, and lists changes that no test notices; SEED (1), FROM (1), FILES, LIMIT (see scripts/mutate)
	@scripts/mutate $(or $(N),20) $(or $(SEED),1)

# The filters whole, over streams that lie; a run that is not to begin with known cases wants another FUZZ_SEED.
FUZZ_SEED    ?= 1
FUZZ_FILTERS ?= $(CMDS)
fuzz-filters: ## runs each filter over corrupted streams for FUZZ_SECONDS (60), with sanitizers; needs clang
	$(Q)$(MAKE) SAN=1 CC='$(FUZZ_CC)' CFLAGS='-O1 -g' B=build-fuzz/filters all $(TOOLS:%.c=build-fuzz/filters/%) $(CMDS:%=build-fuzz/filters/t/fuzz/%)
	@rm -rf build-fuzz/good && mkdir -p build-fuzz/good build-fuzz/found
	@PATH='$(CURDIR)/build-fuzz/filters/bin':"$$PATH" BUILD='$(CURDIR)/build-fuzz/filters' sh t/lib/good_streams.sh build-fuzz/good
	@found=0; for f in $(FUZZ_FILTERS); do \
		build-fuzz/filters/t/fuzz/$$f --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED) --keep build-fuzz/found build-fuzz/good || found=1; \
	done; exit $$found

install: $(if $(BUILT),,all) ## DESTDIR, PREFIX (/usr/local), LIBDIR (PREFIX/lib): commands, pages, completion, schemes; headers, library, stkpipe.pc; FORMAT.md, examples; BUILT=1: without building
	install -d $(TO)/bin $(DESTDIR)$(LIBDIR)/pkgconfig $(TO)/include/stkpipe $(TO)/share/stkpipe/schemes/rules $(TO)/share/doc/stkpipe/examples $(COMPLETIONS)
	install $(CMDS:%=$(B)/bin/%) scripts/stk-nightly $(TO)/bin
	$(if $(RUNTIME),install scripts/stkpath-cc $(TO)/bin && ln -sf stkpath-cc $(TO)/bin/stkpath-c++)
	install -m 644 $(LIBRARY) $(DESTDIR)$(LIBDIR) && ln -sf libstkpipe.so.$(ABI) $(DESTDIR)$(LIBDIR)/libstkpipe.so
	sed 's#@PREFIX@#$(PREFIX)#; s#@LIBDIR@#$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))#; s#@VERSION@#$(RELEASE)#' \
		include/stkpipe.pc.in >$(DESTDIR)$(LIBDIR)/pkgconfig/stkpipe.pc
	install -m 644 lib/stream/FORMAT.md $(TO)/share/doc/stkpipe
	install -m 644 $(wildcard examples/*) $(TO)/share/doc/stkpipe/examples
	install -m 644 $(wildcard include/stkpipe/*.h) $(TO)/include/stkpipe
	$(if $(AGENT)$(RUNTIME),install -d $(TO)/lib/stkpipe && install -m 644 $(AGENT) $(RUNTIME) $(TO)/lib/stkpipe)
	install -m 644 $(wildcard schemes/*.*) $(TO)/share/stkpipe/schemes
	install -m 644 $(wildcard schemes/rules/*) $(TO)/share/stkpipe/schemes/rules
	@for page in $(MAN); do \
		install -d $(TO)/share/man/man$${page##*.} && install -m 644 $$page $(TO)/share/man/man$${page##*.} || exit 1; \
	done
	$(if $(RUNTIME),ln -sf stkpath-cc.1 $(TO)/share/man/man1/stkpath-c++.1,rm $(TO)/share/man/man1/stkpath-cc.1)
	sed 's#/usr/local#$(PREFIX)#g' cmd/stkpipe.7 >$(TO)/share/man/man7/stkpipe.7
	scripts/make-completion $(B)/bin >$(COMPLETIONS)/stkpipe
	install -d $(TO)/share/zsh/site-functions $(FISH)
	scripts/make-completion $(B)/bin zsh >$(TO)/share/zsh/site-functions/_stkpipe
	scripts/make-completion $(B)/bin fish >$(FISH)/stkpipe.fish
	@for c in $(CMDS); do ln -sf stkpipe $(COMPLETIONS)/$$c && ln -sf stkpipe.fish $(FISH)/$$c.fish || exit 1; done	# both look for the command's name

dist: ## makes dist/stkpipe-VERSION.tar.gz from the committed tree
	@mkdir -p dist
	git archive --format=tar --prefix=$(DIST)/ HEAD | gzip -9n >dist/$(DIST).tar.gz
	@echo dist/$(DIST).tar.gz

sbom: all ## prints what the programs are made of, as SPDX in JSON
	@scripts/make-sbom $(B)/bin

clean: ## removes the build folders
	rm -rf $(if $(filter $(CURDIR)/%,$(abspath $(B))),build build-* dist .prove,$(addprefix $(B)/,bench bin cmd include lib scripts t flags version libstkhouse.a))

# Copied to a sick machine by scp, they need nothing there. What libdw, libarchive and libical do is left out.
# With CC=musl-gcc into build-musl, with libraries that are built for it from Debian's sources, once.
STATIC_B := $(B)-$(or $(MUSL),static)
static: ## build-static/bin: programs that need no library where they run; without --native, archives, and --holidays of calendars; CC=musl-gcc: build-musl/bin
	$(if $(MUSL),$(Q)scripts/musl-libraries $(STATIC_B)/libraries)
	$(Q)$(if $(MUSL),CPPFLAGS='-isystem $(STATIC_B)/libraries/include' LDFLAGS='-L$(STATIC_B)/libraries/lib') $(MAKE) --no-print-directory B=$(STATIC_B) STATIC=1 static-programs
ifeq ($(STATIC),1)
static-programs: $(CMDS:%=$(B)/bin/%)
endif

.PHONY: static static-programs all FORCE help demo shots check format headers lint bench bench-live bench-path bench-whole path-experiment real-programs exactness accuracy soak torture fuzz fuzz-filters install dist sbom clean mutate tests
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
-include $(OBJ:.o=.d) $(CMDS:%=$(B)/t/lib/fuzz_filter-%.d)
endif
