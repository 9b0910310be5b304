# SPDX-License-Identifier: MIT
# one_node_slurm.sh: a Slurm cluster of this machine alone, in the scratch directory, read by tests as root. slurm_begin starts it, slurm_end ends it;
# slurm_lose_node ends the node with all that runs on it, as power does, and slurm_begin_node brings it back.

slurm_begin() {
	node=$(hostname -s)
	port=$((20000 + $$ % 20000))
	mkdir -p slurm/spool slurm/state && chmod 755 "$scratch" slurm
	dd if=/dev/urandom of=slurm/key bs=1 count=1024 2>/dev/null && chmod 400 slurm/key
	cat >slurm/slurm.conf <<-END
		ClusterName=test
		SlurmctldHost=$node(127.0.0.1)
		SlurmctldPort=$port
		SlurmdPort=$((port + 1))
		AuthType=auth/munge
		AuthInfo=socket=$scratch/slurm/munge.socket,cred_expire=5
		BatchStartTimeout=1
		SlurmUser=root
		StateSaveLocation=$scratch/slurm/state
		SlurmdSpoolDir=$scratch/slurm/spool
		SlurmctldPidFile=$scratch/slurm/slurmctld.pid
		SlurmdPidFile=$scratch/slurm/slurmd.pid
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		SchedulerParameters=sched_min_interval=0,defer_batch
		JobCompType=jobcomp/none
		AccountingStorageType=accounting_storage/none
		MpiDefault=none
		ReturnToService=2
		NodeName=$node NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
		PartitionName=all Nodes=$node Default=YES State=UP OverSubscribe=FORCE:4
	END
	SLURM_CONF=$scratch/slurm/slurm.conf
	export SLURM_CONF
	munged --foreground --force --socket="$scratch/slurm/munge.socket" --key-file="$scratch/slurm/key" --log-file="$scratch/slurm/munged.log" \
		--pid-file="$scratch/slurm/munged.pid" --seed-file="$scratch/slurm/seed" >slurm/munged.out 2>&1 & daemons=$!
	wait_for test -S slurm/munge.socket || return 1
	slurmctld -D -c >slurm/slurmctld.out 2>&1 & daemons="$daemons $!"
	slurm_begin_node
	wait_for node_is_idle
}

slurm_begin_node() { slurmd -D -c -N "$node" >>slurm/slurmd.out 2>&1 & daemons="$daemons $!"; }

# Of our cluster, by the environment: the daemon and what it starts jobs with, so that nobody reports how the jobs end, which are next.
slurm_lose_node() {
	for process in /proc/[0-9]*; do
		tr '\0' '\n' <"$process/environ" >slurm/environ 2>/dev/null && grep -qxF "SLURM_CONF=$SLURM_CONF" slurm/environ || continue
		case $(cat "$process/comm" 2>/dev/null) in
		slurmd | slurmstepd) echo "${process#/proc/}" >>slurm/lost ;;
		*) ! grep -q '^SLURM_JOB_ID=' slurm/environ || echo "${process#/proc/}" >>slurm/lost.jobs ;;
		esac
	done
	# shellcheck disable=SC2046  # several
	kill -9 $(cat slurm/lost slurm/lost.jobs) 2>/dev/null || true
}

node_is_idle() { sinfo -h -o %t 2>/dev/null | grep -q idle; }

wait_for() {
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		test $tries -lt 300 || return 1
		sleep 0.2
	done
}

slurm_end() {
	# shellcheck disable=SC2086  # several
	kill $daemons 2>/dev/null
	wait
}
