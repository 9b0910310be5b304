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
	CLUSTER_RESULTS="trend findings" "$cluster/merge" 3 out
	stktrend -q -f tsv --merge one/hosts/1.trend >rows && test "$(wc -l <rows)" -gt 5
	stktrend -q -f tsv --merge out/all.trend | same rows -
	status 0 stkdiag --merge -f tsv out/all.findings >rows && grep -q "	healthy	" rows
	rm -rf out && mkdir out
	for i in 1 2 3; do CLUSTER_RESULTS=class "$cluster/shard" $i 3 archive out; done
	CLUSTER_RESULTS=class "$cluster/merge" 3 out
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
	test ! -e small/1.tree
	test ! -s small/1.done || test "$(cat small/1.done)" -ge 2
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
