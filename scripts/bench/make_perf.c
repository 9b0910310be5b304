/* SPDX-License-Identifier: MIT
 * One hour of `perf script`: 16 CPUs, a Java service under load and what runs beside it, in the default layout of a
 * modern perf. About 4,900 distinct stacks, 31 frames deep on average; most are paths through an invented call graph of
 * Java methods, entered from the frames of a JVM thread and left into the kernel, the JVM or the C library. A few
 * stacks are hot, the tail is long (weight 1/rank^(15/16)), and each belongs to one of six activities that rise and
 * fall over the hour. Leaf addresses vary, as sampled instructions do. */
#include "generate.h"

static const char usage[] =
	"make_perf [--megabytes 500] [--stacks 4940] [--seed 7] [-o FILE] [--rows FILE] [--folded FILE]";

enum { LAYERS = 24, WIDTH = 13, DEPTH = 96, FRAMES = 4096, LEAF_VARIANTS = 8, ACTIVITIES = 6 };
enum { CPUS = 16, SLICES = 360, SECONDS = 3600, START = 184694 };

struct frame {
	const char *name, *module;
	uint64_t    address;
	uint32_t    offset;			/* 0: perf prints none, as for [unknown] */
	char       *line;			/* the text of a frame that is not the leaf */
	size_t      length;
};

struct process {
	const char *command;
	int         pid, threads, share;	/* share of the distinct stacks, per mille */
	const char *map;			/* where its compiled Java methods are, or NULL */
};

struct stack {
	int      process, activity, depth;
	double   weight;
	uint64_t count;
	uint16_t frame[DEPTH];			/* leaf first */
};

static const struct process process[] = {
	{ "java", 6929, 48, 430, "/tmp/perf-6929.map" },
	{ "java", 14211, 24, 350, "/tmp/perf-14211.map" },
	{ "wrk", 21417, 4, 100, NULL },
	{ "swapper", 0, 1, 73, NULL },
	{ "nginx", 1893, 2, 40, NULL },
	{ "kworker/u32:2-e", 311, 1, 4, NULL },		/* perf cuts names at fifteen characters */
	{ "gmain", 822, 2, 3, NULL },
};
enum { PROCESSES = sizeof process / sizeof *process };

static const char kernel[] = "[kernel.kallsyms]", libc[] = "/usr/lib/x86_64-linux-gnu/libc.so.6",
		  libjvm[] = "/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so",
		  libnio[] = "/usr/lib/jvm/java-17-openjdk-amd64/lib/libnio.so";

/* Chains are written root first and cut anywhere from their second frame on. */
static const char jvm_thread[] =
	"start_thread;thread_native_entry(Thread*);Thread::call_run();JavaThread::thread_main_inner();thread_entry(JavaThread*, JavaThread*);"
	"JavaCalls::call_virtual(JavaValue*, Handle, Klass*, Symbol*, Symbol*, JavaThread*);"
	"JavaCalls::call_virtual(JavaValue*, Klass*, Symbol*, Symbol*, JavaCallArguments*, JavaThread*);"
	"JavaCalls::call_helper(JavaValue*, methodHandle const&, JavaCallArguments*, JavaThread*)";
static const char *const kernel_chain[] = {
	"__x64_sys_write;ksys_write;vfs_write;new_sync_write;sock_write_iter;sock_sendmsg;inet_sendmsg;tcp_sendmsg;tcp_sendmsg_locked;tcp_push;"
	"__tcp_push_pending_frames;tcp_write_xmit;__tcp_transmit_skb;__ip_queue_xmit;ip_local_out;ip_output;ip_finish_output;ip_finish_output2;"
	"__local_bh_enable_ip;do_softirq;__do_softirq;net_rx_action;__napi_poll;process_backlog;__netif_receive_skb_one_core;ip_rcv;ip_local_deliver;"
	"ip_local_deliver_finish;ip_protocol_deliver_rcu;tcp_v4_rcv;tcp_v4_do_rcv;tcp_rcv_established;tcp_data_queue;tcp_data_ready;sock_def_readable;"
	"__wake_up_sync_key;__wake_up_common_lock;__wake_up_common;ep_poll_callback;__wake_up_locked;ep_autoremove_wake_function;default_wake_function;"
	"try_to_wake_up;ttwu_do_activate;enqueue_task_fair;enqueue_entity;update_load_avg",
	"__x64_sys_sendto;__sys_sendto;sock_sendmsg;unix_stream_sendmsg;sock_alloc_send_pskb;alloc_skb_with_frags;__alloc_skb;kmem_cache_alloc_node;"
	"__slab_alloc;___slab_alloc;allocate_slab;__alloc_pages;get_page_from_freelist;rmqueue;_raw_spin_lock_irqsave",
	"__x64_sys_read;ksys_read;vfs_read;new_sync_read;sock_read_iter;sock_recvmsg;inet_recvmsg;tcp_recvmsg;tcp_recvmsg_locked;skb_copy_datagram_iter;"
	"__skb_datagram_iter;simple_copy_to_iter;_copy_to_iter;copy_user_enhanced_fast_string",
	"__x64_sys_pread64;vfs_read;new_sync_read;ext4_file_read_iter;generic_file_read_iter;filemap_read;filemap_get_pages;page_cache_ra_unbounded;"
	"read_pages;ext4_mpage_readpages;submit_bio_noacct;blk_mq_submit_bio;blk_mq_try_issue_directly;__blk_mq_issue_directly;nvme_queue_rq",
	"__x64_sys_epoll_wait;do_epoll_wait;ep_poll;schedule_hrtimeout_range;schedule_hrtimeout_range_clock;schedule;__schedule;pick_next_task_fair;"
	"update_curr;cpuacct_charge",
	"__x64_sys_futex;do_futex;futex_wait;futex_wait_queue_me;schedule;__schedule;finish_task_switch.isra.0;__perf_event_task_sched_in",
	"__x64_sys_futex;do_futex;futex_wake;wake_up_q;try_to_wake_up;select_task_rq_fair;select_idle_sibling;available_idle_cpu",
	"__x64_sys_madvise;do_madvise.part.0;madvise_vma_behavior;zap_page_range;unmap_single_vma;unmap_page_range;tlb_flush_mmu;"
	"free_pages_and_swap_cache;release_pages;free_unref_page_list",
};
static const char *const fault_chain[] = {
	"asm_exc_page_fault;exc_page_fault;do_user_addr_fault;handle_mm_fault;__handle_mm_fault;do_huge_pmd_anonymous_page;clear_huge_page;clear_page_erms",
	"asm_sysvec_apic_timer_interrupt;sysvec_apic_timer_interrupt;irq_exit_rcu;__softirqentry_text_start;run_rebalance_domains;load_balance;"
	"find_busiest_group;update_sd_lb_stats.constprop.0",
	"asm_common_interrupt;common_interrupt;__common_interrupt;handle_edge_irq;handle_irq_event;__handle_irq_event_percpu;vp_interrupt;"
	"vring_interrupt;skb_recv_done;__napi_schedule",
};
static const char *const idle_chain[] = {
	"secondary_startup_64_no_verify;cpu_startup_entry;do_idle;cpuidle_idle_call;call_cpuidle;cpuidle_enter;cpuidle_enter_state;intel_idle",
	"secondary_startup_64_no_verify;cpu_startup_entry;do_idle;cpuidle_idle_call;cpuidle_select;menu_select;tick_nohz_get_sleep_length;"
	"tick_nohz_next_event;get_next_timer_interrupt;_raw_spin_lock",
	"secondary_startup_64_no_verify;start_kernel;arch_call_rest_init;rest_init;cpu_startup_entry;do_idle;schedule_idle;__schedule;"
	"pick_next_task_idle;dequeue_task_idle",
};
static const char *const native_chain[] = {
	"start_thread;thread_main;aeMain;aeProcessEvents;socket_readable;http_parser_execute;response_complete;stats_record",
	"_start;__libc_start_main;main;ngx_master_process_cycle;ngx_worker_process_cycle;ngx_process_events_and_timers;ngx_epoll_process_events;"
	"ngx_http_process_request_line;ngx_http_process_request;ngx_http_core_run_phases;ngx_http_proxy_handler",
	"ret_from_fork;kthread;worker_thread;process_one_work;wb_workfn;wb_writeback;__writeback_inodes_wb;writeback_sb_inodes;"
	"__writeback_single_inode;do_writepages;ext4_writepages;mpage_prepare_extent_to_map",
	"start_thread;g_main_context_iteration;g_main_context_dispatch;g_unix_signal_watch_dispatch",
};

static struct frame frame[FRAMES];
static int          frames;
static uint16_t     method[2][LAYERS][WIDTH];	/* the two Java processes */
static struct stack *stack;
static int          stacks;

static const char *
one_of(const char *const *list, uint32_t n)
{
	return list[random_below(n)];
}
#define ONE_OF(list) one_of(list, sizeof list / sizeof *list)

/* The number of a frame; a new one gets an address in its module. */
static uint16_t
intern(const char *name, size_t length, const char *module)
{
	struct frame *f = frame;
	char          line[512];

	for (; f < frame + frames; f++)
		if (f->module == module && strlen(f->name) == length && memcmp(f->name, name, length) == 0)
			return (uint16_t)(f - frame);
	if (frames == FRAMES)
		die("more than %d frames", FRAMES);
	f->name = copy_text(name, length);
	f->module = module;
	f->address = module == kernel         ? 0xffffffff81000000 + (random64() & 0xfffff0)
		     : strstr(module, ".map") ? 0x7f35a9000000 + (random64() & 0xffffe0)
		     : strstr(module, ".so")  ? 0x7f35c0000000 + (random64() & 0xfffff0)
					      : 0x400000 + (random64() & 0xffff0);
	f->offset = strcmp(f->name, "[unknown]") ? 1 + random_below(0x3f0) : 0;
	if (f->offset)
		f->length = (size_t)snprintf(line, sizeof line, "\t%16llx %s+0x%x (%s)\n",
					     (unsigned long long)f->address + f->offset, f->name, f->offset, module);
	else
		f->length = (size_t)snprintf(line, sizeof line, "\t%16llx %s (%s)\n", (unsigned long long)f->address,
					     f->name, module);
	f->line = copy_text(line, f->length);
	return (uint16_t)frames++;
}

/* A method name as perf shows it: by perf-map-agent (descriptor form, cut where the agent cuts), or by the JVM itself
 * since 17. */
static uint16_t
invent_method(int java)
{
	static const char *const top[] = { "com/acme/shop",   "com/acme/platform",       "com/acme/shop/internal",
					   "org/example/web", "org/example/persistence", "org/example/http/codec" };
	static const char *const part[] = { "order",       "inventory", "customer",     "pricing",  "payment",
					    "shipping",    "catalog",   "session",      "security", "messaging",
					    "cache",       "metrics",   "scheduling",   "template", "validation",
					    "transaction", "routing",   "serialization" };
	static const char *const first[] = { "Abstract", "Default", "Order",  "Inventory", "Customer",
					     "Price",    "Payment", "Cached", "Remote",    "Async",
					     "Json",     "Http",    "Stream", "Request",   "Query",
					     "Entity",   "Message", "Batch",  "Metric",    "Secure" };
	static const char *const second[] = { "Service",     "Repository", "Controller", "Handler",  "Dispatcher",
					      "Interceptor", "Mapper",     "Encoder",    "Decoder",  "Cache",
					      "Factory",     "Context",    "Session",    "Pipeline", "Channel",
					      "Listener",    "Template",   "Resolver",   "Filter",   "Registry" };
	static const char *const inner[] = { "", "", "", "", "$Builder", "$Entry", "$1", "$$Lambda$214", "$State" };
	static const char *const verb[] = { "find",    "load",   "apply",   "process", "handle", "write",  "read",
					    "resolve", "invoke", "fire",    "do",      "create", "update", "check",
					    "encode",  "decode", "publish", "compute", "merge",  "flush" };
	static const char *const object[] = { "",         "",           "All",       "Next",  "Order",      "Request",
					      "Response", "Internal",   "Message",   "Batch", "ByCustomer", "Chain",
					      "Headers",  "Attributes", "WithRetry", "Locked" };
	static const char *const type[] = {
		"void",           "int",          "long", "boolean", "java.lang.Object", "java.lang.String",
		"java.util.List", "java.util.Map"
	};
	static const char *const argument[] = { "",
						"",
						"",
						"int",
						"int",
						"java.lang.String, int",
						"java.lang.String",
						"java.lang.Object",
						"java.util.List, boolean",
						"com.acme.platform.session.RequestContext, java.lang.String, long" };
	static const char *const descriptor[] = { "()V",
						  "(I)I",
						  "(Ljava/lang/String;II)Ljava/lang/Object;",
						  "(Ljava/lang/Object;)Z",
						  "(Ljava/util/List;Z)V",
						  "",
						  "",
						  "" };
	/* drawn one by one: the order of a call's arguments is the compiler's */
	const char *words[9], *map = process[java].map;
	char        name[512], *p;
	int         n;

	words[0] = ONE_OF(top);
	words[1] = ONE_OF(part);
	words[2] = ONE_OF(first);
	words[3] = ONE_OF(second);
	words[4] = ONE_OF(inner);
	words[5] = ONE_OF(verb);
	words[6] = ONE_OF(object);
	words[7] = java ? ONE_OF(descriptor) : ONE_OF(type);
	words[8] = java ? "" : ONE_OF(argument);
	if (java) {
		n = snprintf(name, sizeof name, "L%s/%s/%s%s%s;.%s%s%s", words[0], words[1], words[2], words[3],
			     words[4], words[5], words[6], words[7]);
		return intern(name, n > 100 ? 100 : (size_t)n, map);
	}
	n = snprintf(name, sizeof name, "%s %s/%s/%s%s%s.%s%s(%s)", words[7], words[0], words[1], words[2], words[3],
		     words[4], words[5], words[6], words[8]);
	for (p = name; *p; p++)
		if (*p == '/')
			*p = '.';
	return intern(name, (size_t)n, map);
}

/* Puts a chain on top of the stack (root first so far), to its end or to some depth. */
static void
push_chain(struct stack *s, const char *chain, const char *module, int cut)
{
	int depth = 0, stop, all = 1;

	for (const char *p = chain; (p = strchr(p, ';')); p++)
		all++;
	stop = cut && all > 2 ? 2 + (int)random_below((uint32_t)all - 1) : all;
	while (depth < stop && s->depth < DEPTH) {
		size_t length = strcspn(chain, ";");

		s->frame[s->depth++] = intern(
			chain, length,
			strncmp(chain, "start_thread", 12) && strncmp(chain, "__libc_start", 12) ? module : libc);
		chain += length + (chain[length] == ';');
		depth++;
	}
}

static void
push_system_call(struct stack *s)
{
	static const char *const wrapper[] = { "__libc_write",
					       "__libc_send",
					       "__libc_read",
					       "__libc_pread64",
					       "epoll_wait",
					       "pthread_cond_wait@@GLIBC_2.3.2",
					       "pthread_cond_signal@@GLIBC_2.3.2",
					       "__madvise" };
	uint32_t which = random_below(3) ? 0 : random_below(sizeof kernel_chain / sizeof *kernel_chain);

	push_chain(s, wrapper[which], libc, 0);
	push_chain(s, "entry_SYSCALL_64_after_hwframe;do_syscall_64", kernel, 0);
	push_chain(s, kernel_chain[which], kernel, 1);
}

/* From the thread's entry through some layers of the call graph; each method calls a few of the next layer, the first
 * of them mostly. */
static void
push_java(struct stack *s, int java)
{
	int at = (int)random_below(3),
	    layers = random_below(4) ? 9 + (int)random_below(8) : 18 + (int)random_below(LAYERS - 18);

	push_chain(s, jvm_thread, libjvm, 0);
	push_chain(s, "call_stub", process[java].map, 0);
	for (int n = (int)random_below(4); n; n--)
		push_chain(s, "Interpreter", process[java].map, 0);
	for (int layer = 0; layer < layers; layer++) {
		uint32_t callee = random_below(8);

		s->frame[s->depth++] = method[java][layer][at];
		at = (int)(mix64((uint64_t)(java * LAYERS + layer) * WIDTH + (uint64_t)at +
				 (callee < 4 ? 0 : callee) * 4096) %
			   WIDTH);
	}
}

/* One more distinct stack, root first, turned round when it is new; 0 when it was there already. */
static int
add_stack(int p, uint64_t *seen, size_t mask)
{
	static const char *const jvm_leaf[] = {
		"OptoRuntime::new_instance_C(Klass*, JavaThread*);"
		"InstanceKlass::allocate_instance(JavaThread*);"
		"MemAllocator::allocate() const;"
		"G1CollectedHeap::mem_allocate(unsigned long, bool*);"
		"G1CollectedHeap::attempt_allocation_slow(unsigned long)",
		"Runtime1::counter_overflow(JavaThread*, int, Method*);"
		"CompilationPolicy::event(methodHandle const&, methodHandle const&, int, int, CompLevel, CompiledMethod*, JavaThread*)",
		"SharedRuntime::resolve_virtual_call_C(JavaThread*);"
		"SharedRuntime::resolve_helper(bool, bool, JavaThread*);"
		"LinkResolver::resolve_invoke(CallInfo&, Handle, constantPoolHandle const&, int, Bytecodes::Code, JavaThread*)",
	};
	struct stack *s = &stack[stacks];
	uint64_t      hash = (uint64_t)p + 1;
	size_t        at;

	s->process = p;
	s->depth = 0;
	if (process[p].map) {
		uint32_t end = random_below(100);

		push_java(s, p);
		if (end < 34) {
			push_chain(s, "sun.nio.ch.FileDispatcherImpl.write0;Java_sun_nio_ch_FileDispatcherImpl_write0",
				   libnio, 0);
			push_system_call(s);
		} else if (end < 45) {
			push_chain(s, ONE_OF(jvm_leaf), libjvm, 1);
		} else if (end < 53) {
			push_chain(s, ONE_OF(fault_chain), kernel, 1);
		} else if (end < 56) {
			push_chain(s, "[unknown]", "[unknown]", 0);
		}
	} else if (p == 3) {
		push_chain(s, ONE_OF(idle_chain), kernel, 1);
		if (random_below(3))
			push_chain(s, ONE_OF(fault_chain), kernel, 1);
		if (random_below(4) == 0)
			push_chain(s, kernel_chain[0] + (strstr(kernel_chain[0], "__do_softirq") - kernel_chain[0]),
				   kernel, 1);
	} else {
		const char *chain = native_chain[p == 2 ? 0 : p - 3];

		static const char *const module[] = { "/usr/local/bin/wrk", NULL, "/usr/sbin/nginx", kernel,
						      "/usr/lib/x86_64-linux-gnu/libglib-2.0.so.0" };

		push_chain(s, chain, module[p - 2], 1);
		if (p == 5 ? random_below(2) == 0 : random_below(8) == 0)
			push_chain(s, ONE_OF(fault_chain), kernel, 1);
		else if (p != 5)
			push_system_call(s);
	}
	for (int i = 0; i < s->depth; i++)
		hash = mix64(hash + s->frame[i]);
	for (at = hash & mask; seen[at]; at = (at + 1) & mask)
		if (seen[at] == hash)
			return 0;
	seen[at] = hash;
	for (int i = 0, j = s->depth - 1; i < j; i++, j--) {
		uint16_t f = s->frame[i];

		s->frame[i] = s->frame[j];
		s->frame[j] = f;
	}
	s->activity = (int)random_below(ACTIVITIES);
	stacks++;
	return 1;
}

static void
make_stacks(int wanted)
{
	size_t    room = 1;
	uint64_t *seen;

	while (room < (size_t)wanted * 4)
		room *= 2;
	seen = get_memory(room * sizeof *seen);
	stack = get_memory((size_t)(wanted + 1) * sizeof *stack);
	for (int java = 0; java < 2; java++)
		for (int layer = 0; layer < LAYERS; layer++)
			for (int i = 0; i < WIDTH; i++)
				method[java][layer][i] = invent_method(java);
	for (int64_t tries = 0; stacks < wanted; tries++) {
		int chance = (int)random_below(1000), p = 0;

		while (p < PROCESSES - 1 && chance >= process[p].share)
			chance -= process[p++].share;
		add_stack(p, seen, room - 1);
		if (tries > 1000 * (int64_t)wanted)
			die("--stacks: no more than about %d different ones can be made", stacks);
	}
	for (int i = 0; i < stacks; i++) {		/* rank by chance: they were made in no order */
		double rank = i + 9, root = rank;

		for (int k = 0; k < 4; k++) {		/* rank^(1/16): four square roots, by Newton */
			double x = root > 1 ? root : 1;

			for (int n = 0; n < 40; n++)
				x = (x + root / x) / 2;
			root = x;
		}
		stack[i].weight = root / rank;
	}
	free(seen);
}

/* How busy an activity is at x, 0 to 1, of the hour. */
static double
activity(int which, double x)
{
	switch (which) {
	case 0:  return 1;
	case 1:  return .5 + .5 * wave(3 * x);
	case 2:  return x > .40 && x < .55 ? 1.7 : .3;			/* an incident */
	case 3:  return .6 + .4 * wave(x + .25);
	case 4:  return (int)(x * 3600) % 60 < 5 ? 4 : .3;		/* each minute's job */
	default: return .2 + 1.6 * x;					/* a slow rise */
	}
}

static size_t
frame_line(char *to, const struct frame *f, uint32_t variant)
{
	uint32_t further = 4 * variant;

	if (!variant || !f->offset) {
		memcpy(to, f->line, f->length);
		return f->length;
	}
	return (size_t)sprintf(to, "\t%16llx %s+0x%x (%s)\n", (unsigned long long)f->address + f->offset + further,
			       f->name, f->offset + further, f->module);
}

static size_t
make_sample(char *to, FILE *rows, const struct stack *s, int64_t microseconds)
{
	const struct process *p = &process[s->process];
	double                far = 5 * random_exponential(), variant = 2 * random_exponential();
	int                   thread = far < p->threads ? (int)far : p->threads - 1, tid = p->pid + thread;
	uint64_t              period = (uint64_t)(9820670 * exp_about(.35 * random_normal()));
	char                 *end = to;

	end += sprintf(end, "%s %d/%d [%03u] %lld.%06lld: %10llu cycles:P: \n", p->command, p->pid, tid,
		       random_below(CPUS), (long long)(microseconds / 1000000), (long long)(microseconds % 1000000),
		       (unsigned long long)period);
	end += frame_line(end, &frame[s->frame[0]], variant < LEAF_VARIANTS ? (uint32_t)variant : LEAF_VARIANTS - 1);
	for (int i = 1; i < s->depth; i++) {
		const struct frame *f = &frame[s->frame[i]];

		memcpy(end, f->line, f->length);
		end += f->length;
	}
	*end++ = '\n';
	if (rows)
		fprintf(rows, "%lld\t%d\t%d\t%llu\n", (long long)microseconds * 1000, tid, (int)(s - stack),
			(unsigned long long)period);
	return (size_t)(end - to);
}

/* Semicolons in a name would end the frame there: a colon instead, as other collapsers write it. */
static void
write_folded(FILE *out)
{
	for (struct stack *s = stack; s < stack + stacks; s++) {
		if (!s->count)
			continue;
		fputs(process[s->process].command, out);
		for (int i = s->depth; i--;) {
			fputc(';', out);
			for (const char *c = frame[s->frame[i]].name; *c; c++)
				fputc(*c == ';' ? ':' : *c, out);
		}
		fprintf(out, " %llu\n", (unsigned long long)s->count);
	}
}

int
main(int argc, char **argv)
{
	double      megabytes = strtod(option(&argc, argv, "--megabytes", "500"), NULL);
	int         wanted = atoi(option(&argc, argv, "--stacks", "4940"));
	const char *rows_name = option(&argc, argv, "--rows", NULL),
		   *folded_name = option(&argc, argv, "--folded", NULL);
	const char *name = option(&argc, argv, "-o", "-");
	FILE       *out, *rows, *folded;
	double      mean = 0, total = 0, load[SLICES], all_load = 0, depth = 0, upto_time = 0, samples, *upto;
	uint64_t    bytes = 0, written = 0, used = 0;
	char       *text = get_memory(1 << 16);

	chance_state = strtoull(option(&argc, argv, "--seed", "7"), NULL, 10);
	end_options(argc, argv, usage);
	if (!(megabytes > 0) || wanted < 1) {
		fprintf(stderr, "usage: %s\n", usage);
		return 2;
	}
	out = open_output(name);
	rows = open_output(rows_name);
	folded = open_output(folded_name);
	make_stacks(wanted);
	upto = get_memory((size_t)stacks * sizeof *upto);
	for (int i = 0; i < stacks; i++) {
		double body = 61;

		for (int k = 0; k < stack[i].depth; k++)
			body += (double)frame[stack[i].frame[k]].length;
		mean += stack[i].weight * body;
		total += stack[i].weight;
	}
	samples = megabytes * 1e6 / (mean / total);
	for (int s = 0; s < SLICES; s++) {
		load[s] = 0;
		for (int i = 0; i < stacks; i++)
			load[s] += stack[i].weight * activity(stack[i].activity, (s + .5) / SLICES);
		all_load += load[s];
	}
	bytes += (uint64_t)fprintf(
		out,
		"# ========\n# captured on    : Thu Nov 19 10:00:00 2026\n# header version : 1\n# hostname : bench01\n"
		"# os release : 6.1.0-28-amd64\n# perf version : 6.1.119\n# arch : x86_64\n# nrcpus online : %d\n# nrcpus avail : %d\n"
		"# cmdline : /usr/bin/perf record -F 49 -a -g -- sleep %d \n"
		"# event : name = cycles:P, , type = 0, size = 136, { sample_period, sample_freq } = 49, sample_type = IP|TID|TIME|CALLCHAIN|CPU|PERIOD\n"
		"# ========\n#\n",
		CPUS, CPUS, SECONDS);
	for (int s = 0; s < SLICES; s++) {
		double gap = 1 / (samples * load[s] / all_load), sum = 0;	/* of a slice */

		for (int i = 0; i < stacks; i++)
			upto[i] = sum += stack[i].weight * activity(stack[i].activity, (s + .5) / SLICES);
		for (; upto_time < s + 1; upto_time += gap * random_exponential()) {
			double x = random_unit() * sum;
			int    low = 0, high = stacks - 1;
			size_t length;

			while (low < high) {
				int middle = (low + high) / 2;

				if (upto[middle] > x)
					high = middle;
				else
					low = middle + 1;
			}
			length = make_sample(text, rows, &stack[low],
					     START * INT64_C(1000000) + (int64_t)(upto_time * SECONDS / SLICES * 1e6));
			fwrite(text, 1, length, out);
			bytes += length;
			written++;
			depth += stack[low].depth;
			used += !stack[low].count++;
		}
	}
	if (folded)
		write_folded(folded);
	close_output(out, name);
	close_output(rows, rows_name);
	close_output(folded, folded_name);
	fprintf(stderr, "make_perf: %llu bytes, %llu samples, %llu distinct stacks, mean depth %.1f, %d frames\n",
		(unsigned long long)bytes, (unsigned long long)written, (unsigned long long)used,
		written ? depth / (double)written : 0, frames);
	free(text);
	free(upto);
	free(stack);
	return 0;
}
