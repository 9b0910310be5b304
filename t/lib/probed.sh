# SPDX-License-Identifier: MIT
# probed.sh: for tests that build programs with probes. Programs are kept as NAME.ll; what they print must not change.
#
# Other versions of the compiler: version=-19 stands for clang-19 and clang++-19.
# assembly NAME SOURCE [OPTION...]     NAME.ll of a C or C++ source
# plain NAME                           runs it without probes: NAME.out, NAME.status
# probed NAME OPTION-OR-PLAN...        NAME with probes, run: what it printed must be the same; its records are in counts.stk
# steps NAME                           its steps in NAME.steps; for each function of its own source (how often those of libraries are called depends on what the
#                                      compiler inlines): FUNCTION.yaml, and FUNCTION.all, all paths that calls took, and how often
# counted                              of counts.stk: function, path and count of what was counted at all, sorted

runtime=$BUILD/lib/stkpipe/libstkpath.a
command -v clang >/dev/null 2>&1 || skip_all 'no clang'
command -v stkpath >/dev/null 2>&1 || skip_all 'stkpath was not built: no gmp'

assembly() {
	name=$1 source=$2
	shift 2
	case $source in *.cc) compiler=clang++ ;; *) compiler=clang ;; esac
	$compiler${version-} -O2 -w -g -fno-discard-value-names -Xclang -disable-llvm-passes -S -emit-llvm "$@" -o "$name.ll" "$source"
}

build() { "clang++${version-}" -O1 -w "$@" "$runtime" -lm -lpthread; }

plain() {
	build ${typed_as-} "$1.ll" -o "$1.plain"
	"./$1.plain" >"$1.out" && echo 0 >"$1.status" || echo $? >"$1.status"
}

probed() {
	name=$1 status=0
	shift
	stkpath instrument -q "$name.ll" "$@" -o "$name.probed.ll"
	build ${typed_as-} "$name.probed.ll" -o "$name.probed"
	rm -f counts.stk
	STKPATH_FILE=counts.stk "./$name.probed" >got.out || status=$?
	same "$name.out" got.out
	test $status = "$(cat "$name.status")"
	stkcat --check counts.stk
}

steps() {
	probed "$1" --steps
	mv counts.stk "$1.steps"
	stkpath cfg "$1.ll" | while IFS='	' read -r f file _ _ _ _ note; do
		case $file,$note in *shapes.c, | *shapes.cc,) ;; *) continue ;; esac
		stkpath cfg "$1.ll" --function "$f" >"$f.yaml"
		stkpath plan -q -g "$f.yaml" -m pap -o "$f.pap"
		stkpath run -q --plan "$f.pap" "$1.steps" 2>"$f.err" | sed 1d >"$f.all" || grep -q "has no steps" "$f.err"
	done
}

counted() {
	stkcat --only path_count -f tsv counts.stk | awk -F '	' '$4 ~ "shapes[.]c" && $6 > 0 { count[$3 "\t" $5] += $6 } END { for (path in count) print path "\t" count[path] }' | sort
}
