#!/bin/sh
# SPDX-License-Identifier: MIT
# stkpath-cc --summary: what has probes in a whole build, what has none and why, and names that are in none of its files.
. "${0%/*}/lib/tap.sh"
. "$t/lib/probed.sh"

have objcopy || skip_all 'no objcopy'
cc=$PWD/stkpath-cc cxx=$PWD/stkpath-c++
ln -s "$t/../scripts/stkpath-cc" "$cc"
ln -s "$cc" "$cxx"
mkdir -p src/net src/parse
cat >src/net/send.c <<'END'
#include <setjmp.h>
jmp_buf back;
int flush(int n) { return n > 3 ? n : -n; }
int left(int n) { if (setjmp(back)) return n; return -n; }
END
cat >src/parse/names.cc <<'END'
namespace ns { int find(int n) { return n > 1 ? n : 2; } }
extern "C" int flush(int);
int main() { return ns::find(1) + flush(-2) - 4; }
END
# make_all: as a makefile does it, each source by itself
make_all() {
	rm -rf out && mkdir out
	"$cc" -O1 -c src/net/send.c -o out/send.o
	"$cxx" -O1 -c src/parse/names.cc -o out/names.o
	"$cxx" out/send.o out/names.o -o out/program
}
why='it calls a function that returns twice (setjmp), so paths continue where no edge leads'

check 'how many functions have probes, in how many files, and the reasons of others, each once' '
	STKPATH_SUMMARY=1 make_all 2>err
	same /dev/null err
	"$cc" --summary out >got
	printf "%s\n" "with probes: 3 functions in 2 files" "without probes: 1 functions (left): $why" | same - got
	"$cc" --summary out/program | same - got
	"$cc" --summary out/send.o | head -1 | grep -qx "with probes: 1 functions in 1 files"
'
check 'names that are there, as the linker or C++ has them, and sources: status 0' '
	for names in flush,main "ns::find" "ns::find(int),flush" _ZN2ns4findEi; do
		STKPATH_FUNCTIONS=$names "$cc" --summary out >got 2>err
		same /dev/null err
	done
	for sources in src net src/net/send.c ./src/parse "$(pwd -P)" "$(pwd -P)/src/net/:names.cc"; do
		STKPATH_SOURCES=$sources "$cc" --summary out >got 2>err
		same /dev/null err
	done
'
check 'names and sources that are in no file: each is reported, status 1' '
	STKPATH_FUNCTIONS=flush,nosuch,ns::absent STKPATH_SOURCES=src/net:et:src/nte status 1 "$cc" --summary out >got 2>err
	printf "stkpath-cc: %s\n" "no function is called '\''nosuch'\''" "no function is called '\''ns::absent'\''" "no function is in '\''et'\''" "no function is in '\''src/nte'\''" | same - err
	grep -q "^with probes: 3 functions" got
	STKPATH_FUNCTIONS=left status 1 "$cc" --summary out 2>err >got
	echo "stkpath-cc: asked for, but without probes: '\''left'\''" | same - err
'
check 'a build of chosen functions: what was typed wrong does not pass' '
	STKPATH_SUMMARY=1 STKPATH_FUNCTIONS=flush,fidn make_all 2>err
	same /dev/null err
	STKPATH_FUNCTIONS=flush,fidn status 1 "$cc" --summary out >got 2>err
	echo "stkpath-cc: no function is called '\''fidn'\''" | same - err
	grep -qx "with probes: 1 functions in 1 files" got
'
check 'plans: of a function that is there, and of one that is not' '
	assembly send src/net/send.c
	mkdir plans
	stkpath cfg send.ll --function flush | stkpath plan -q -m epp -g - -o plans/flush.plan
	STKPATH_PLANS=$PWD/plans STKPATH_SUMMARY=1 make_all 2>err
	STKPATH_PLANS=$PWD/plans "$cc" --summary out >got
	grep -qx "with probes: 1 functions in 1 files" got
	sed "s/^graph	flush/graph	flhsu/" plans/flush.plan >plans/other.plan
	STKPATH_PLANS=$PWD/plans status 1 "$cc" --summary out 2>err >got
	echo "stkpath-cc: no function is called '\''flhsu'\''" | same - err
'
check 'a build without probes, a folder that is not there, no operand' '
	mkdir none
	echo "int main(void) { return 0; }" | clang -x c -c - -o none/main.o
	STKPATH_CHANGED=/tmp/x.diff status 1 "$cc" --summary none 2>err >got
	echo "stkpath-cc: no function has probes, or was changed by /tmp/x.diff" | same - err
	grep -qx "with probes: 0 functions in 0 files" got
	status 1 "$cc" --summary nosuch 2>err >got
	grep -q "nosuch" err
	status 2 "$cc" --summary 2>err
	grep -q "expected the programs, libraries or objects" err
'
check 'what a build compiles to learn about the compiler: one call of it, no probes, no counts; linked also with what has probes' '
	mkdir -p trial/CMakeFiles/CMakeScratch/TryCompile-1 trial/meson-private/tmp1 bin && cd trial
	printf "#!/bin/sh\necho x >>%s/calls\nexec clang \"\$@\"\n" "$PWD" >../bin/compiler && chmod +x ../bin/compiler
	STKPATH_CLANG=$PWD/../bin/compiler; export STKPATH_CLANG
	echo "int main(void) { return 0; }" >conftest.c
	for source in conftest.c CMakeFiles/CMakeScratch/TryCompile-1/has.c meson-private/tmp1/testfile.c; do
		cmp -s conftest.c $source || cp conftest.c $source
		rm -f calls
		"$cc" -O1 $source -o trial && ./trial
		"$cc" -O1 -c $source -o "${source%.c}.o"
		"$cc" "${source%.c}.o" -o trial && ./trial
		test "$(wc -l <calls)" -eq 3
		test -z "$(objcopy -O binary --only-section=stkpath_names trial /dev/stdout)"
	done
	test -z "$(find . -name "*.stk")"
	echo "int three(void) { return 3; }" >three.c
	"$cc" -c three.c && ar rc libthree.a three.o
	echo "int three(void); int main(void) { return three() - 3; }" >conftest.c
	"$cc" conftest.c -L. -lthree -o trial && STKPATH_FILE=trial.stk ./trial
	"$cc" -c conftest.c && "$cc" three.c conftest.o -o trial
	stkcat -f tsv --only path_call trial.stk >got
	grep -q three got
'
finish
