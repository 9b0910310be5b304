#!/bin/sh
# SPDX-License-Identifier: MIT
# Recipes of scripts/cluster: shards that run as jobs of an engine make the tree of one run; a shard that is killed is sent again, and counts once.
. "${0%/*}/lib/tap.sh"

cluster=$t/../scripts/cluster
mkdir archive
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	awk -v d=$i 'BEGIN { for (k = 0; k < 5; k++) { print "@" 1772355600 + 100 * d + 20 * k; print "r;a;x;park 3"; print "r;b;y" (d + k) % 7 " 1" } }' >archive/$i.folded
done
STKCAP_OPTIONS='--format folded-dumps --source host-a' STKTREE_OPTIONS='--leaf 16'
export STKCAP_OPTIONS STKTREE_OPTIONS

# answers TREE: what does not depend on the numbers that shards give
answers() {
	stkcat --check "$1"
	stktree -q -f folded "$1"
	stktree -q -f tsv --report paths --step 3m "$1"
	stkcat -f tsv --only sample "$1" | cut -f 1-6 | sort
}
mkdir one
"$cluster/shard" 1 1 archive one && answers one/1.tree >wanted

# In place of stktree: the first time that shard 3 is there it is killed in the middle.
mkdir killer
cat >killer/stktree <<'END'
#!/bin/sh
case "$*" in
*/3.tree*) test -e "$KILLED" || { echo x >"$KILLED"; kill -9 $PPID; sleep 1; kill -9 $$; } ;;
esac
exec "$STKTREE" "$@"
END
chmod +x killer/stktree
STKTREE=$(command -v stktree) KILLED=$scratch/killed
export STKTREE KILLED

check 'shards without an engine: all files, each once; an archive of fewer files than shards' '
	test "$(tail -n +2 wanted | wc -l)" -gt 20
	mkdir many
	for i in $(seq 15); do "$cluster/shard" $i 15 archive many; done
	test "$(ls many/*.tree | wc -l)" -eq 12 -a "$(cat many/*.done | sort -u)" = 0
	stktree -q --merge -o all.tree many/*.tree
	answers all.tree | same wanted -
'
check 'shards of one list have each file once, whatever comes and goes meanwhile; one that is not there is no empty one' '
	rm -rf growing out && cp -r archive growing && mkdir out
	"$cluster/list" growing out/files.list
	test "$(wc -l <out/files.list)" -eq 12 -a ! -s out/files.list.closed
	for i in 1 2 3; do "$cluster/shard" $i 3 growing out "$scratch/out/files.list"; echo "r;late 1" >growing/0$i.folded; done
	"$cluster/merge" 3 out && answers out/all.tree | same wanted -
	status 3 "$cluster/shard" 1 3 growing out "$scratch/out/nowhere.list" 2>err
	grep "nowhere.list cannot be read" err && test ! -e out/1.done
	status 2 "$cluster/list" growing/1.folded out/files.list 2>err
	status 3 "$cluster/list" growing nowhere/files.list 2>err && grep "could not be listed" err
'
check 'a merge of more shards than have room on one command line: in rounds; trees of an earlier run of more shards do not count' '
	CLUSTER_AT_ONCE=2 "$cluster/merge" 15 many
	answers many/all.tree | same wanted -
	rm many/all.tree && cp many/1.tree many/16.tree
	CLUSTER_AT_ONCE=5 "$cluster/merge" 15 many
	answers many/all.tree | same wanted -
	head -c 300 many/7.tree >part && cp part many/7.tree && cp many/all.tree old
	CLUSTER_AT_ONCE=4 status 3 "$cluster/merge" 15 many 2>err
	grep "many/all.tree is left as it was" err && cmp old many/all.tree
	test -z "$(find many -name ".part*")"
	CLUSTER_AT_ONCE=1 status 2 "$cluster/merge" 15 many 2>err
'
check 'a command of a shard that a signal ends, as the system does for want of memory: it did not finish, so that it is sent again' '
	rm -rf out && mkdir out ended
	for name in stkcap stktree; do
		printf "#!/bin/sh\nkill -9 \$\$\n" >ended/$name && chmod +x ended/$name
		PATH=$scratch/ended:$PATH status 3 "$cluster/shard" 1 1 archive out 2>err
		test ! -e out/1.done -a ! -e out/1.tree
		grep "^shard 1: a command was killed (status 137)" err
		rm ended/$name
	done
	"$cluster/shard" 1 1 archive out && answers out/1.tree | same wanted -
'
check 'a shard of a folder that cannot be listed, or that cannot be read, is no shard of fewer files without a word; a link to the archive is the archive' '
	rm -rf out && mkdir out
	printf "#!/bin/sh\n$(command -v find) \"\$@\" | head -n 2\necho find: lost >&2\nexit 1\n" >ended/find && chmod +x ended/find
	echo 0 >out/1.done
	PATH=$scratch/ended:$PATH status 3 "$cluster/shard" 1 1 archive out 2>err
	test ! -e out/1.done -a ! -e out/1.tree
	grep "find: lost" err && grep "the files of the archive could not be listed" err
	rm ended/find
	ln -s archive linked && "$cluster/shard" 1 1 linked/ out && answers out/1.tree | same wanted - && rm linked
'
if test "$(id -u)" = 0 && setpriv --reuid=65534 --clear-groups --inh-caps=-all true 2>/dev/null; then
check 'a folder of the archive that its user may not read is said, status 1, and costs the rest nothing' '
	rm -rf closed out && mkdir out && cp -r archive closed && mkdir closed/of_root && echo "r;hidden 1" >closed/of_root/x.folded
	chmod 700 closed/of_root && chmod 777 out && chmod 755 .
	mkdir nobody && cp "$(command -v stkcap)" "$(command -v stktree)" "$cluster/shard" "$cluster/list" nobody
	TMPDIR=$scratch/out status 1 setpriv --reuid=65534 --clear-groups --inh-caps=-all env PATH="$scratch/nobody:/usr/bin:/bin" shard 1 1 closed out 2>err
	grep "closed/of_root: a folder that cannot be read" out/1.log
	answers out/1.tree | same wanted -
'
else
skip 'not root' 'a folder of the archive that its user may not read is said, status 1, and costs the rest nothing' ''
fi
check 'files whose names have no room on one command line are all in the tree; what is bad is said, status 1, and costs the rest nothing' '
	long=many-names/$(printf "%0120d" 0)
	mkdir -p "$long" names && for i in $(seq 1300); do echo "main;f$i 1" >"$long/$i.folded"; done
	STKCAP_OPTIONS= "$cluster/shard" 1 1 many-names names
	test "$(stktree -q -f folded names/1.tree | wc -l)" -eq 1300
	rm -rf bad && mkdir bad bad-out && cp archive/1.folded bad && head -c 3000 /dev/zero | tr "\0" "\1" >bad/2.folded
	STKCAP_OPTIONS= status 1 "$cluster/shard" 1 1 bad bad-out
	status 1 "$cluster/merge" 1 bad-out 2>err && grep "shard 1: status 1: stkcap: bad/2.folded" err
	stktree -q -f folded bad-out/all.tree | grep "r;a;x"
'
check 'as Hadoop streaming calls it: lines in any order, splits that are empty, attempts that ran twice, one that was killed' '
	mkdir streams && find archive -type f | sort >lines
	map() { "$cluster/mapper" streams <"$1" >"$1.out"; }
	: >split.0; awk "NR % 3 == 0" lines >split.1; awk "NR % 3 == 1" lines | sort -r >split.2; awk "NR % 3 == 2" lines >split.3; awk "NR % 3 == 1" lines >split.4
	for i in 0 1 2 3 4; do map split.$i; done
	test ! -s split.0.out && cmp split.2.out split.4.out
	STKCAP_OPTIONS="$STKCAP_OPTIONS" timeout -s KILL 0.05 "$cluster/mapper" streams <split.3 >killed.out || true
	cat split.?.out split.?.out killed.out | sort -R | sort -u >reduced
	test "$(wc -l <reduced)" -eq 3
	tr "\n" "\0" <reduced | xargs -0 -n 2 cat | stktree -q $STKTREE_OPTIONS -o reduced.tree
	answers reduced.tree | same wanted -
	status 2 "$cluster/mapper" </dev/null 2>err
	echo nowhere/x.folded | status 1 "$cluster/mapper" streams 2>err
'
check 'the folder of a host on one shard: states of classes and trends, and findings, are those of one run' '
	for h in a b c d e; do
		mkdir -p hosts/$h
		for part in 0 1; do awk -v seed="$h" -v part=$part "BEGIN { srand(length(seed) + index(\"abcde\", seed)); print \"time,name,value\"; for (i = 0; i < 400; i++) { v = 100 + 9 * rand(); if (int(i / 200) == part) printf \"%d,heap.used,%.3f\n\", 1772323200 + i * 900, v } }" >hosts/$h/$part.csv; done
	done
	rm -rf out && mkdir out one/hosts
	for to in one/hosts out; do
		shards=$(test $to = out && echo 3 || echo 1)
		for i in $(seq $shards); do CLUSTER_RESULTS="trend findings" CLUSTER_BY=folder STKCAP_OPTIONS="--format metrics" "$cluster/shard" $i $shards hosts $to; done
	done
	for i in 1 2 3; do test -s out/$i.trend -a -s out/$i.findings; done
	CLUSTER_AT_ONCE=2 CLUSTER_RESULTS="trend findings" "$cluster/merge" 3 out
	stktrend -q -f tsv --merge one/hosts/1.trend >rows && test "$(wc -l <rows)" -gt 5
	stktrend -q -f tsv --merge out/all.trend | same rows -
	status 0 stkdiag --merge -f tsv out/all.findings >rows && grep -q "	healthy	" rows
	rm -rf out && mkdir out
	for i in 1 2 3; do CLUSTER_RESULTS=class "$cluster/shard" $i 3 archive out; done
	CLUSTER_AT_ONCE=2 CLUSTER_RESULTS=class "$cluster/merge" 3 out
	CLUSTER_RESULTS=class "$cluster/shard" 1 1 archive one
	stkclass -q --merge --classes -f tsv one/1.class >rows && test "$(wc -l <rows)" -gt 5
	stkclass -q --merge --classes -f tsv out/all.class | same rows -
'
check 'wrong usage is refused' '
	CLUSTER_RESULTS=cake status 2 "$cluster/shard" 1 1 archive out 2>err && grep "not .cake" err
	for engine in slurm gridengine parallel; do
		status 2 "$cluster/$engine" 8 archive 2>err
		status 2 "$cluster/$engine" 0 archive out 2>err
		status 2 "$cluster/$engine" 8 nowhere out 2>err
	done
'
if test "$(id -u)" = 0 && mkdir small && mount -t tmpfs -o size=64k tmpfs small 2>/dev/null; then
check 'a full disk: no part of a tree, and the shard did not finish; with room again it counts once' '
	head -c 61440 /dev/zero >small/others
	status 3 "$cluster/shard" 1 1 archive small 2>err
	test ! -e small/1.tree -a ! -e small/1.done
	status 3 "$cluster/merge" 1 small 2>err
	mount -o remount,size=4m small && rm small/others
	"$cluster/shard" 1 1 archive small 2>err && "$cluster/merge" 1 small
	answers small/all.tree | same wanted -
	test -z "$(find small -name "*.tmp")"
'
	umount small
else
skip 'no file system may be mounted here' 'a full disk: no part of a tree, and the shard did not finish; with room again it counts once' ''
fi
# jobs ENGINE: 8 shards are one run; one that is killed is sent again; one that never ends well is told, and the old tree stays
jobs() {
	rm -rf out killed
	"$cluster/$1" 8 archive out 2>err || { cat err out/*.txt out/*.log; return 1; }
	answers out/all.tree | same wanted -
	PATH=$scratch/killer:$PATH "$cluster/$1" 8 archive out 2>err || { cat err; return 1; }
	grep "shards 3 of 1,2,3,4,5,6,7,8 did not finish: once more" err
	answers out/all.tree | same wanted -
	rm killed && mkdir killed		# cannot be written to: killed each time
	sed -i "s/test -e .*KILLED. ||/test -e \/nowhere ||/; s/echo x >.*KILLED.;//" killer/stktree
	RETRIES=1 PATH=$scratch/killer:$PATH status 3 "$cluster/$1" 8 archive out 2>err
	grep "shards 3 could not finish" err
	answers out/all.tree | same wanted -
}
cp killer/stktree stktree.killer
if have parallel; then
check 'GNU parallel' 'jobs parallel'
else
skip 'no parallel' 'GNU parallel' ''
fi
cp stktree.killer killer/stktree
rm -rf killed
if have sshd ssh parallel; then
	ssh-keygen -q -t ed25519 -N '' -f key && ssh-keygen -q -t ed25519 -N '' -f host && cp key.pub allowed
	port=$((20000 + $$ % 20000))
	printf 'Port %s\nListenAddress 127.0.0.1\nHostKey %s/host\nAuthorizedKeysFile %s/allowed\nStrictModes no\nUsePAM no\nSetEnv PATH=%s\n' $port "$scratch" "$scratch" "$PATH" >sshd_config
	mkdir -p /run/sshd 2>/dev/null || true
	"$(command -v sshd)" -D -e -f sshd_config 2>sshd.err & sshd=$!
	to="ssh -p $port -i $scratch/key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR 127.0.0.1"
	until $to true 2>/dev/null; do kill -0 $sshd || break; sleep .1; done
check 'GNU parallel over ssh: the other side has the options too' '
	rm -rf out
	printf "#!/bin/sh\nshift; exec $to \"\$@\"\n" >to && chmod +x to		# without the name of the host
	PARALLEL_OPTIONS="--ssh $scratch/to --sshlogin 2/here" "$cluster/parallel" 8 archive out 2>err || { cat err sshd.err out/*.log; return 1; }
	answers out/all.tree | same wanted -
	test "$(grep -c "Accepted publickey" sshd.err)" -ge 8
'
	kill $sshd
else
skip 'no sshd, ssh or parallel' 'GNU parallel over ssh: the other side has the options too' ''
fi
if test "$(id -u)" = 0 && have munged slurmctld slurmd sbatch; then
	. "$t/lib/one_node_slurm.sh"
	if slurm_begin; then
check 'Slurm: slurmctld, slurmd and munge on this node' 'jobs slurm'
mkdir holder
printf '#!/bin/sh\ncase "$*" in\n*/3.tree*) test -e "%s/reached" || { echo x >"%s/reached"; sleep 60; exit 3; } ;;\nesac\nexec "$STKTREE" "$@"\n' "$scratch" "$scratch" >holder/stktree
chmod +x holder/stktree
check 'Slurm: a node that is lost with its jobs and comes back: Slurm sends them again, and they count once' '
	rm -rf out
	PATH=$scratch/holder:$PATH "$cluster/slurm" 8 archive out 2>err & jobs=$!
	wait_for test -s reached
	test ! -e out/3.done
	slurm_lose_node
	sleep 12		# Slurm misses a job on a node that comes back only when it began 11 seconds ago
	slurm_begin_node
	wait $jobs || { cat err; return 1; }
	answers out/all.tree | same wanted -
	grep -i "batch JobId.* missing from batch node.*\|requeue" slurm/slurmctld.out
'
if have snakemake; then
check 'Snakemake that sends its jobs to Slurm' '
	rm -rf out && export HOME=$scratch
	snakemake -q -s "$cluster/Snakefile" --jobs 8 --cluster "sbatch --quiet -o /dev/null" --config shards=8 archive=archive out=out >err 2>&1 || { cat err; return 1; }
	answers out/all.tree | same wanted -
'
else
skip 'no snakemake' 'Snakemake that sends its jobs to Slurm' ''
fi
	else
		count=$((count + 1)) failed=1
		echo "not ok $count - the cluster of one node begins"
		tail -n 3 slurm/*.out | sed 's/^/# /' >&2
	fi
	slurm_end
else
skip 'not root, or no slurmctld, slurmd, munge' 'Slurm: slurmctld, slurmd and munge on this node' ''
skip 'not root, or no slurmctld, slurmd, munge' 'Slurm: a node that is lost with its jobs and comes back: Slurm sends them again, and they count once' ''
skip 'not root, or no slurmctld, slurmd, munge' 'Snakemake that sends its jobs to Slurm' ''
fi
cp stktree.killer killer/stktree
rm -rf killed
# In place of Grid Engine: tasks run one after another, with the variables of -V but without PATH; -sync waits for them.
mkdir engine
cat >engine/qsub <<'END'
#!/bin/sh
while test $# -gt 1; do
	case $1 in
	-t) last=${2#1-} ;;
	-o) to=$2 ;;
	esac
	shift
done
for SGE_TASK_ID in $(seq "$last"); do SGE_TASK_ID=$SGE_TASK_ID PATH=/usr/bin:/bin sh "$1" >"$to/stkpipe.o1.$SGE_TASK_ID" 2>&1; done
exit 0
END
chmod +x engine/qsub
PATH=$scratch/engine:$PATH
check 'Grid Engine, imitated' 'jobs gridengine'
cp stktree.killer killer/stktree
rm -rf killed
check 'a shard that cannot finish, as on a full disk, is sent again, and why is said; wrong usage is not tried again' '
	rm -rf out full && mkdir full
	printf "#!/bin/sh\ncase \"\$*\" in\n*/3.tree*) test -e $scratch/room || { echo x >$scratch/room; echo stktree: 3.tree: No space left on device >&2; exit 3; } ;;\nesac\nexec \"\$STKTREE\" \"\$@\"\n" >full/stktree
	chmod +x full/stktree
	PATH=$scratch/full:$PATH "$cluster/gridengine" 8 archive out 2>err || { cat err; return 1; }
	grep "^gridengine: stktree: 3.tree: No space left" err
	grep "shards 3 of 1,2,3,4,5,6,7,8 did not finish: once more" err
	answers out/all.tree | same wanted -
	sed -i "s/test -e [^ ]* ||/false ||/" full/stktree
	RETRIES=2 PATH=$scratch/full:$PATH status 3 "$cluster/gridengine" 8 archive out 2>err
	test "$(grep -c "once more" err)" -eq 2 -a "$(grep -c "No space left" err)" -eq 3
	grep "shards 3 could not finish" err
	answers out/all.tree | same wanted -
	CLUSTER_RESULTS=cake status 3 "$cluster/gridengine" 8 archive out 2>err
	status 1 grep "once more" err && grep "status 2" err
'
if have snakemake; then
check 'Snakemake: the same; what changed alone is made again' '
	rm -rf out && export HOME=$scratch
	make_tree() { snakemake -q -s "$cluster/Snakefile" --cores 2 "$@" --config shards=8 archive=archive out=out >err 2>&1; }
	PATH=$scratch/killer:$PATH make_tree --retries 1 || { cat err; return 1; }
	answers out/all.tree | same wanted -
	echo "r;later 1" >>archive/3.folded
	make_tree --reason || { cat err; return 1; }
	test "$(grep -c "^rule shard" err)" -le 1
	stktree -q -f folded out/all.tree | grep "^r;later 1"
'
else
skip 'no snakemake' 'Snakemake: the same; what changed alone is made again' ''
fi
finish
