# SPDX-License-Identifier: MIT
# probed.sh: for tests that build programs with probes. Programs are kept as NAME.ll; what they print must not change.
#
# Other versions of the compiler: version=-19 stands for clang-19 and clang++-19.
# assembly NAME SOURCE [OPTION...]     NAME.ll of a C or C++ source
# build FILE.ll PROGRAM [OPTION...]    with the runtime; level=-O0 is cheap, default -O1, which also shows what an optimizer makes of probes
# plain NAME                           runs it without probes: NAME.out, NAME.status
# probed NAME OPTION-OR-PLAN...        NAME with probes, run: what it printed must be the same; its records are in counts.stk
# steps NAME                           its steps in NAME.steps; for each function of its own source (how often those of libraries are called depends on what the
#                                      compiler inlines): FUNCTION.yaml, and FUNCTION.all, all paths that calls took, and how often
# counted                              of counts.stk: function, path and count of what was counted at all, sorted

# Names of sources have the folder in which they were compiled, which ccache can be told to ignore.
unset CCACHE_NOHASHDIR
runtime=$BUILD/lib/stkpipe/libstkpath.a
command -v clang >/dev/null 2>&1 || skip_all 'no clang'
command -v stkpath >/dev/null 2>&1 || skip_all 'stkpath was not built: no gmp'

assembly() {
	name=$1 source=$2
	shift 2
	case $source in *.cc) compiler=clang++ ;; *) compiler=clang ;; esac
	$compiler${version-} -O2 -w -g -fno-discard-value-names -Xclang -disable-llvm-passes -Xclang -disable-lifetime-markers -S -emit-llvm "$@" -o "$name.ll" "$source"
}

# Programs are built by the dozen, and half of the cost was that of the slowest linker, started by the slowest driver.
link=clang++ linker=
! have g++ || link=g++
for quick in lld gold; do ! have "ld.$quick" || linker=-fuse-ld=$quick; done

build() {
	module=$1 linked=$2
	shift 2
	# shellcheck disable=SC2086
	"clang++${version-}" ${level:--O1} -w "$@" ${typed_as-} -c "$module" -o "$linked.linked.o" &&
		$link $linker "$linked.linked.o" "$runtime" -lm -lpthread -o "$linked"
}

plain() {
	build "$1.ll" "$1.plain"
	"./$1.plain" >"$1.out" && echo 0 >"$1.status" || echo $? >"$1.status"
}

probed() {
	name=$1 status=0
	shift
	stkpath instrument -q "$name.ll" "$@" -o "$name.probed.ll"
	build "$name.probed.ll" "$name.probed"
	rm -f counts.stk
	STKPATH_FILE=counts.stk "./$name.probed" >got.out || status=$?
	same "$name.out" got.out
	test $status = "$(cat "$name.status")"
	stkcat --check counts.stk
}

steps() {
	probed "$1" --steps
	mv counts.stk "$1.steps"
	stkpath cfg "$1.ll" | awk -F '	' '$2 ~ /shapes[.]cc?$/ && $7 == "" { print $1 }' >"$1.own"
	while read -r f; do stkpath cfg "$1.ll" --function "$f" >"$f.yaml"; done <"$1.own"
	stkcat --only path_step -f tsv "$1.steps" | awk -F '	' 'NR == FNR { own[$1]; next }
		!($4 in own) { next }
		{ walk[$3] = ($5 == 1 ? "" : walk[$3] " ") $7 }
		$6 == 1 { taken[$4 "\t" walk[$3]]++; delete walk[$3] }
		END { for (path in taken) print path "\t" taken[path] }' "$1.own" - | sort -t '	' -k 1,1 -k 3,3nr -k 2,2 |
		awk -F '	' '{ print $2 "\t" $3 >($1 ".all") }'
}

counted() {
	stkcat --only path_count -f tsv counts.stk | awk -F '	' '$4 ~ "shapes[.]c" && $6 > 0 { count[$3 "\t" $5] += $6 } END { for (path in count) print path "\t" count[path] }' | sort
}
