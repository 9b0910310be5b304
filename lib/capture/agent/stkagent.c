/* SPDX-License-Identifier: MIT
 * stkagent: runs inside a Java VM, loaded through the attach socket, and gives the stacks of all its threads in one
 * call of JVMTI: the VM stands still for a fraction of what a thread dump takes, because text is made afterwards. It
 * serves a socket in /tmp that only the VM's user and root may use. It cannot be unloaded; while nobody asks it does
 * nothing.
 *
 * A request is a line: "dump", "dump locks", or "stack HANDLE" (a thread's tid of thread dumps, hexadecimal). The reply
 * is text in the form of HotSpot's thread dumps. */
#include <jvmti.h>

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define DEPTH_MAX    1024
#define METHODS_MAX  (1u << 16)		/* whose names are kept; a power of two */

struct method {
	jmethodID id;
	char *name;			/* "a.b.C.m" */
	char *file;			/* NULL: not known */
	jvmtiLineNumberEntry *lines;
	jint line_count;
	jboolean native;
};

static struct {
	jvmtiEnv *jvmti;
	jfieldID eetop, tid;		/* of java.lang.Thread; NULL: not there */
	int server;
	char path[100];
	struct method *methods;		/* a hash table; the server's thread alone uses it */
	char *text;			/* the reply */
	size_t size, room;
	jboolean can_locks;
} agent = { .server = -1 };

/* --- text --- */

__attribute__((format(printf, 1, 2))) static void
say(const char *format, ...)
{
	va_list args, again;
	int size;

	va_start(args, format);
	va_copy(again, args);
	size = vsnprintf(agent.text + agent.size, agent.room - agent.size, format, args);
	if (size > 0 && (size_t)size >= agent.room - agent.size) {
		size_t room = agent.room * 2 + (size_t)size + 65536;
		char *text = realloc(agent.text, room);

		if (text != NULL) {
			agent.text = text;
			agent.room = room;
			vsnprintf(agent.text + agent.size, agent.room - agent.size, format, again);
		} else {
			size = 0;
		}
	}
	va_end(again);
	va_end(args);
	agent.size += size > 0 ? (size_t)size : 0;
}

static void
forget(void *memory)
{
	if (memory != NULL)
		(*agent.jvmti)->Deallocate(agent.jvmti, memory);
}

/* --- methods --- */

static void
release_method(struct method *method)
{
	free(method->name);
	free(method->file);
	forget(method->lines);
	memset(method, 0, sizeof *method);
}

/* "Ljava/lang/Thread;" becomes "java.lang.Thread". */
static void
write_class(char *to, size_t room, const char *signature)
{
	size_t size = strlen(signature);

	if (size > 2 && signature[0] == 'L' && signature[size - 1] == ';')
		snprintf(to, room, "%.*s", (int)size - 2, signature + 1);
	else
		snprintf(to, room, "%s", signature);
	for (char *c = to; *c != '\0'; c++) /* a hidden class is "a/b/C.0x7f": HotSpot's dumps say a.b.C/0x7f */
		*c = *c == '/' ? '.' : *c == '.' ? '/' : *c;
}

static void
read_method(JNIEnv *jni, struct method *method, jmethodID id)
{
	jvmtiEnv *jvmti = agent.jvmti;
	char *name = NULL, *signature = NULL, *file = NULL, class_name[512] = "?", whole[1024];
	jclass class = NULL;

	method->id = id;
	if ((*jvmti)->GetMethodDeclaringClass(jvmti, id, &class) == JVMTI_ERROR_NONE) {
		if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE)
			write_class(class_name, sizeof class_name, signature);
		if ((*jvmti)->GetSourceFileName(jvmti, class, &file) == JVMTI_ERROR_NONE)
			method->file = strdup(file);
		(*jni)->DeleteLocalRef(jni, class);
	}
	(void)(*jvmti)->GetMethodName(jvmti, id, &name, NULL, NULL);
	snprintf(whole, sizeof whole, "%s.%s", class_name, name != NULL ? name : "?");
	method->name = strdup(whole);
	(void)(*jvmti)->IsMethodNative(jvmti, id, &method->native);
	if ((*jvmti)->GetLineNumberTable(jvmti, id, &method->line_count, &method->lines) != JVMTI_ERROR_NONE)
		method->lines = NULL;
	forget(name);
	forget(signature);
	forget(file);
}

/* Two methods of one slot replace each other. */
static const struct method *
method_of(JNIEnv *jni, jmethodID id)
{
	struct method *method = &agent.methods[((uintptr_t)id * UINT64_C(0x9e3779b97f4a7c15) >> 40) % METHODS_MAX];

	if (method->id != id) {
		release_method(method);
		read_method(jni, method, id);
	}
	return method;
}

static jint
line_of(const struct method *method, jlocation location)
{
	jint line = -1;

	for (jint i = 0; method->lines != NULL && i < method->line_count; i++)
		if (method->lines[i].start_location <= location)
			line = method->lines[i].line_number;
	return line;
}

static void
say_frame(JNIEnv *jni, const jvmtiFrameInfo *frame)
{
	const struct method *method = method_of(jni, frame->method);
	jint line;

	say("\tat %s(", method->name != NULL ? method->name : "?");
	line = line_of(method, frame->location);
	if (method->native)
		say("Native Method)\n");
	else if (method->file == NULL)
		say("Unknown Source)\n");
	else if (line < 0)
		say("%s)\n", method->file);
	else
		say("%s:%d)\n", method->file, (int)line);
}

/* --- threads --- */

static const char *
state_name(jint state)
{
	if ((state & JVMTI_THREAD_STATE_ALIVE) == 0)
		return (state & JVMTI_THREAD_STATE_TERMINATED) != 0 ? "TERMINATED" : "NEW";
	if ((state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER) != 0)
		return "BLOCKED (on object monitor)";
	if ((state & JVMTI_THREAD_STATE_SLEEPING) != 0)
		return "TIMED_WAITING (sleeping)";
	if ((state & JVMTI_THREAD_STATE_WAITING) == 0)
		return "RUNNABLE";
	if ((state & JVMTI_THREAD_STATE_PARKED) != 0)
		return (state & JVMTI_THREAD_STATE_WAITING_WITH_TIMEOUT) != 0 ? "TIMED_WAITING (parking)"
									      : "WAITING (parking)";
	return (state & JVMTI_THREAD_STATE_WAITING_WITH_TIMEOUT) != 0 ? "TIMED_WAITING (on object monitor)"
								      : "WAITING (on object monitor)";
}

static const char *
condition_of(jint state)
{
	if ((state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER) != 0)
		return "waiting for monitor entry";
	if ((state & JVMTI_THREAD_STATE_IN_OBJECT_WAIT) != 0)
		return "in Object.wait()";
	return (state & JVMTI_THREAD_STATE_WAITING) != 0 ? "waiting on condition" : "runnable";
}

static void
say_name(const char *name)
{
	for (; name != NULL && *name != '\0'; name++)
		say("%c", *name == '\n' || *name == '\r' ? ' ' : *name);
}

static int64_t
field_of(JNIEnv *jni, jthread thread, jfieldID field)
{
	return field == NULL ? 0 : (*jni)->GetLongField(jni, thread, field);
}

static void
say_header(JNIEnv *jni, jthread thread, jint state)
{
	jvmtiThreadInfo info = { 0 };

	(void)(*agent.jvmti)->GetThreadInfo(agent.jvmti, thread, &info);
	say("\"");
	say_name(info.name);
	say("\" #%" PRId64 "%s prio=%d os_prio=0 tid=0x%016" PRIx64 " nid=0x0 %s\n   java.lang.Thread.State: %s\n",
	    field_of(jni, thread, agent.tid), info.is_daemon ? " daemon" : "", (int)info.priority,
	    (uint64_t)field_of(jni, thread, agent.eetop), condition_of(state), state_name(state));
	forget(info.name);
	if (info.thread_group != NULL)
		(*jni)->DeleteLocalRef(jni, info.thread_group);
	if (info.context_class_loader != NULL)
		(*jni)->DeleteLocalRef(jni, info.context_class_loader);
}

/* "	- locked <0x1f> (a java.lang.Object)": an object's hash replaces its address, which JVMTI does not give. */
static void
say_lock(JNIEnv *jni, const char *relation, jobject object)
{
	jint hash = 0;
	char *signature = NULL, name[512] = "?";
	jclass class = (*jni)->GetObjectClass(jni, object);

	(void)(*agent.jvmti)->GetObjectHashCode(agent.jvmti, object, &hash);
	if ((*agent.jvmti)->GetClassSignature(agent.jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE)
		write_class(name, sizeof name, signature);
	say("\t- %s <0x%016x> (a %s)\n", relation, (unsigned)hash, name);
	forget(signature);
	(*jni)->DeleteLocalRef(jni, class);
}

static void
say_stack(JNIEnv *jni, const jvmtiStackInfo *stack, jboolean locks)
{
	jvmtiMonitorStackDepthInfo *owned = NULL;
	jobject contended = NULL;
	jint count = 0;

	say_header(jni, stack->thread, stack->state);
	if (locks && agent.can_locks) {
		if ((*agent.jvmti)->GetOwnedMonitorStackDepthInfo(agent.jvmti, stack->thread, &count, &owned) !=
		    JVMTI_ERROR_NONE)
			count = 0;
		if ((stack->state &
		     (JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER | JVMTI_THREAD_STATE_IN_OBJECT_WAIT)) != 0)
			(void)(*agent.jvmti)->GetCurrentContendedMonitor(agent.jvmti, stack->thread, &contended);
	}
	for (jint f = 0; f < stack->frame_count; f++) {
		say_frame(jni, &stack->frame_buffer[f]);
		if (f == 0 && contended != NULL)
			say_lock(jni,
				 (stack->state & JVMTI_THREAD_STATE_IN_OBJECT_WAIT) != 0 ? "waiting on"
											 : "waiting to lock",
				 contended);
		for (jint i = 0; i < count; i++)
			if (owned[i].stack_depth == f)
				say_lock(jni, "locked", owned[i].monitor);
	}
	say("\n");
	for (jint i = 0; i < count; i++)
		(*jni)->DeleteLocalRef(jni, owned[i].monitor);
	if (contended != NULL)
		(*jni)->DeleteLocalRef(jni, contended);
	forget(owned);
}

/* --- replies --- */

static void
say_head(void)
{
	char time_text[40] = "", *name = NULL, *version = NULL;
	time_t now = time(NULL);
	struct tm tm;

	if (localtime_r(&now, &tm) != NULL)
		strftime(time_text, sizeof time_text, "%Y-%m-%d %H:%M:%S", &tm);
	(void)(*agent.jvmti)->GetSystemProperty(agent.jvmti, "java.vm.name", &name);
	(void)(*agent.jvmti)->GetSystemProperty(agent.jvmti, "java.vm.version", &version);
	say("%s\nFull thread dump %s (%s):\n\n", time_text, name != NULL ? name : "?", version != NULL ? version : "?");
	forget(name);
	forget(version);
}

static void
dump(JNIEnv *jni, jboolean locks)
{
	jvmtiStackInfo *stacks = NULL;
	jint count = 0;

	if ((*agent.jvmti)->GetAllStackTraces(agent.jvmti, DEPTH_MAX, &stacks, &count) != JVMTI_ERROR_NONE)
		return;
	say_head();
	for (jint i = 0; i < count; i++) {
		say_stack(jni, &stacks[i], locks);
		(*jni)->DeleteLocalRef(jni, stacks[i].thread);
	}
	say("JNI global refs: 0, weak refs: 0\n\n");
	forget(stacks);
}

/* The stack of one thread, without stopping the others. */
static void
stack_of(JNIEnv *jni, int64_t handle)
{
	jthread *threads = NULL;
	jint count = 0;

	if ((*agent.jvmti)->GetAllThreads(agent.jvmti, &count, &threads) != JVMTI_ERROR_NONE)
		return;
	for (jint i = 0; i < count; i++) {
		jvmtiFrameInfo frames[DEPTH_MAX];
		jvmtiStackInfo stack = { .thread = threads[i], .frame_buffer = frames };

		if (agent.size == 0 && field_of(jni, threads[i], agent.eetop) == handle &&
		    (*agent.jvmti)->GetStackTrace(agent.jvmti, threads[i], 0, DEPTH_MAX, frames, &stack.frame_count) ==
			    JVMTI_ERROR_NONE)
			for (jint f = 0; f < stack.frame_count; f++)
				say_frame(jni, &frames[f]);
		(*jni)->DeleteLocalRef(jni, threads[i]);
	}
	forget(threads);
}

static void
answer(JNIEnv *jni, int client)
{
	char request[64];
	long got = recv(client, request, sizeof request - 1, 0);
	size_t sent = 0;

	if (got <= 0)
		return;
	request[got] = '\0';
	agent.size = 0;
	if ((*jni)->PushLocalFrame(jni, 64) < 0)
		return;
	if (strncmp(request, "dump locks\n", 11) == 0)
		dump(jni, JNI_TRUE);
	else if (strncmp(request, "dump\n", 5) == 0)
		dump(jni, JNI_FALSE);
	else if (strncmp(request, "stack ", 6) == 0)
		stack_of(jni, (int64_t)strtoull(request + 6, NULL, 16));
	(*jni)->PopLocalFrame(jni, NULL);
	while (sent < agent.size) {
		long some = send(client, agent.text + sent, agent.size - sent, MSG_NOSIGNAL);

		if (some < 0 && errno != EINTR)
			return;
		sent += some > 0 ? (size_t)some : 0;
	}
}

static int
may_ask(int client)
{
	/* a silent client does not block the others */
	static const struct timeval patience = { .tv_sec = 2 };
	struct ucred peer;
	socklen_t size = sizeof peer;

	setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	return getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
	       (peer.uid == 0 || peer.uid == geteuid());
}

static void JNICALL
serve(jvmtiEnv *jvmti, JNIEnv *jni, void *unused)
{
	(void)jvmti, (void)unused;
	for (;;) {
		int client = accept4(agent.server, NULL, NULL, SOCK_CLOEXEC);

		if (client < 0 && errno != EINTR && errno != ECONNABORTED && errno != EMFILE)
			return;
		if (client < 0)
			continue;
		if (may_ask(client))
			answer(jni, client);
		close(client);
	}
}

/* --- beginning --- */

static int
listen_at(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	mode_t before;
	int bound;

	snprintf(agent.path, sizeof agent.path, "%s", path);
	snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
	agent.server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (agent.server < 0)
		return -1;
	unlink(path);
	before = umask(0177);
	bound = bind(agent.server, (const struct sockaddr *)&at, sizeof at);
	umask(before);
	return bound < 0 || listen(agent.server, 8) < 0 ? -1 : 0;
}

static jthread
new_thread(JNIEnv *jni)
{
	jclass class = (*jni)->FindClass(jni, "java/lang/Thread");
	jmethodID make = class == NULL ? NULL : (*jni)->GetMethodID(jni, class, "<init>", "(Ljava/lang/String;)V");
	jstring name = (*jni)->NewStringUTF(jni, "stkagent");

	if (make == NULL || name == NULL)
		return NULL;
	agent.eetop = (*jni)->GetFieldID(jni, class, "eetop", "J");
	(*jni)->ExceptionClear(jni);
	agent.tid = (*jni)->GetFieldID(jni, class, "tid", "J");
	(*jni)->ExceptionClear(jni);
	return (*jni)->NewObject(jni, class, make, name);
}

static jint
begin(JNIEnv *jni, const char *path)
{
	jthread thread;

	agent.methods = calloc(METHODS_MAX, sizeof *agent.methods);
	thread = agent.methods == NULL ? NULL : new_thread(jni);
	if (thread != NULL && listen_at(path) == 0 &&
	    (*agent.jvmti)->RunAgentThread(agent.jvmti, thread, serve, NULL, JVMTI_THREAD_NORM_PRIORITY) ==
		    JVMTI_ERROR_NONE)
		return JNI_OK;
	if (agent.server >= 0)
		close(agent.server);
	agent.server = -1;
	return JNI_ERR;
}

/* A VM reports the owners of monitors only to an agent that was loaded at its start. */
static jint
ask_capabilities(JavaVM *vm)
{
	jvmtiCapabilities wanted = { .can_get_source_file_name = 1, .can_get_line_numbers = 1 },
			  locks = { .can_get_owned_monitor_stack_depth_info = 1,
				    .can_get_current_contended_monitor = 1 };

	if ((*vm)->GetEnv(vm, (void **)&agent.jvmti, JVMTI_VERSION_1_2) != JNI_OK)
		return JNI_ERR;
	(void)(*agent.jvmti)->AddCapabilities(agent.jvmti, &wanted);
	agent.can_locks = (*agent.jvmti)->AddCapabilities(agent.jvmti, &locks) == JVMTI_ERROR_NONE;
	return JNI_OK;
}

JNIEXPORT jint JNICALL
Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
	JNIEnv *jni;

	(void)reserved;
	if (agent.server >= 0)		/* loaded again: it serves already */
		return JNI_OK;
	if (options == NULL || *options != '/' || ask_capabilities(vm) != JNI_OK ||
	    (*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_1_6) != JNI_OK)
		return JNI_ERR;
	return begin(jni, options);
}

static void JNICALL
vm_is_ready(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	char path[64];

	(void)jvmti, (void)thread;
	snprintf(path, sizeof path, "/tmp/.stkagent_pid%ld", (long)getpid());
	if (begin(jni, path) != JNI_OK)
		fprintf(stderr, "stkagent: cannot serve %s\n", path);
}

/* java -agentpath:/usr/local/lib/stkpipe/libstkagent.so */
JNIEXPORT jint JNICALL
Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	jvmtiEventCallbacks callbacks = { .VMInit = vm_is_ready };

	(void)options, (void)reserved;
	if (ask_capabilities(vm) != JNI_OK ||
	    (*agent.jvmti)->SetEventCallbacks(agent.jvmti, &callbacks, sizeof callbacks) != JVMTI_ERROR_NONE)
		return JNI_ERR;
	return (*agent.jvmti)->SetEventNotificationMode(agent.jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL) ==
			       JVMTI_ERROR_NONE
		       ? JNI_OK
		       : JNI_ERR;
}

/* The VM ends: its socket is removed. */
JNIEXPORT void JNICALL
Agent_OnUnload(JavaVM *vm)
{
	(void)vm;
	if (agent.server >= 0)
		unlink(agent.path);
}
