/* SPDX-License-Identifier: MIT
 * schema_table: every kind of record, declared once. The row structs, the encoder, the decoder, the text forms,
 * the schema that travels in a stream and the tables of FORMAT.md all follow from here: a new kind, or a new
 * column at the end of a kind, is one entry and `make format`.
 *
 * KIND(NAME, name, number, role, about)   role: DEFINITION rows have dense ids from 1 on in
 *               their order of arrival, and come before their use; ROW rows do not; NAMING rows are rows that
 *               describe others, and a writer puts them before those
 * COLUMN(name, type, prediction, key, about)
 *   type        what it means: TEXT, COUNT, NUMBER (signed), REAL, TIME, SPAN (both ns), an enumeration of STK_ENUMS,
 *               or the name of a definition kind (an id, 0 none)
 *   prediction  what the encoder expects, which makes columns small; it may choose otherwise where that is smaller:
 *               PLAIN   nothing
 *               STEP    close to the row before
 *               BY      close to the last row with the same key
 *               BYSTEP  as far from that row as the row before was from its own
 *               SAME    equal to the last row with the same key, or to the value before that
 *               PAIR    SAME, where the key is two columns
 *               BACK    an id of the same kind, defined shortly before
 *   key         the column whose value is the key, for BY, BYSTEP and SAME, and the first of the two for PAIR, which
 *               takes the next one too; it precedes this one. The column itself: no key
 *
 * What is stable. Of streams: numbers and names of kinds and columns, and the positions of an enumeration's names,
 * once released, are never used for anything else; a reader of any age reads streams of any age that have its
 * major version. Of programs: numbers (STK_SAMPLE, STK_COLUMN(sample, stack), values of enumerations) likewise.
 * Not stable is what follows from how many columns and kinds there are: the sizes of the row structs (struct
 * stk_sample and so on) and STK_KIND_COUNT. They are part of the ABI: a release in which one of them changes
 * has another STK_ABI (version.h), which is the number in the name of the shared library, so that a program never
 * runs with structs of other sizes than those it was compiled with. */
#ifndef STKPIPE_SCHEMA_TABLE_H
#define STKPIPE_SCHEMA_TABLE_H

/* The column that streams call "class": the field is `class` in C and, where that is a keyword, `class_`. */
#ifdef __cplusplus
#define STK_FIELD_CLASS class_
#else
#define STK_FIELD_CLASS class
#endif

#define STK_ENUMS(ENUM) \
	ENUM(CLOCK, "unknown", "wall", "monotonic") \
	ENUM(RUNTIME, "unknown", "jvm", "native", "script") \
	ENUM(FORM, "plain", "java", "native", "inlined") \
	ENUM(STATE, "unknown", "new", "runnable", "blocked", "waiting", "timed-waiting", "terminated", "running", "sleeping") \
	ENUM(ROLE, "java", "daemon", "vm", "carrier", "virtual", "other") \
	ENUM(RELATION, "locked", "waiting-to-lock", "waiting-to-relock", "waiting-on", "parking", "eliminated", "owns") \
	ENUM(HAPPENING, "point", "start", "stop", "switch-out", "switch-in") \
	ENUM(NODE, "leaf", "inner", "thinned") \
	ENUM(SERIES, "class", "segment", "group", "metric", "counter") \
	ENUM(SEVERITY, "info", "warning", "critical") \
	ENUM(INVOLVEMENT, "waiter", "holder")

#define STK_KINDS(KIND) \
	KIND(HEAD,            head,            0,  ROW,        "a stream begins: ids start anew") \
	KIND(STRING,          string,          1,  DEFINITION, "a text that others refer to") \
	KIND(FRAME,           frame,           2,  DEFINITION, "a line of a stack: a function and where it is") \
	KIND(STACK,           stack,           3,  DEFINITION, "a stack: the frame nearest the leaf on top of another stack (0 is the empty one)") \
	KIND(SOURCE,          source,          4,  DEFINITION, "what was captured: a process or virtual machine") \
	KIND(THREAD,          thread,          5,  DEFINITION, "a thread of a source") \
	KIND(LOCKS,           locks,           6,  DEFINITION, "the lock lines of a stack without their addresses: one line above others") \
	KIND(OBJECTS,         objects,         7,  DEFINITION, "the addresses that belong to lock lines, line for line: one above others") \
	KIND(DUMP,            dump,            8,  DEFINITION, "all threads of a source at one moment") \
	KIND(SAMPLE,          sample,          9,  ROW,        "one stack of one thread at one moment") \
	KIND(EVENT,           event,           10, ROW,        "something happened in a thread") \
	KIND(METRIC,          metric,          11, ROW,        "a quantity of a source at a moment, such as heap in use") \
	KIND(COUNTER,         counter,         12, ROW,        "a count that only grows, such as ticks seen") \
	KIND(DEADLOCK,        deadlock,        13, NAMING,     "one thread of a ring of threads that wait for each other, as the VM found it") \
	KIND(SEGMENT,         segment,         14, NAMING,     "a chain of frames that are always seen together") \
	KIND(SPLIT,           split,           15, ROW,        "a segment was found to be two") \
	KIND(CLASS,           class,           16, NAMING,     "a type of stack: a sequence of segments") \
	KIND(CLASS_OF_STACK,  class_of_stack,  17, NAMING,     "which class a stack is of") \
	KIND(INTENSITY,       intensity,       18, ROW,        "how often a class or segment is in a dump") \
	KIND(SCHEME,          scheme,          19, NAMING,     "a grouping scheme, embedded") \
	KIND(GROUP,           group,           20, NAMING,     "a group of a scheme") \
	KIND(GROUP_OF_STACK,  group_of_stack,  21, NAMING,     "which group a stack is attributed to") \
	KIND(GROUP_FIGURE,    group_figure,    22, ROW,        "what was attributed to a group in an interval") \
	KIND(TREE_NODE,       tree_node,       23, ROW,        "a node of a time tree") \
	KIND(FILTER_STATE,    filter_state,    24, NAMING,     "the state of the trend filters of a series") \
	KIND(SEASONAL_FACTOR, seasonal_factor, 25, ROW,        "the factor of one slot of a season") \
	KIND(FORECAST,        forecast,        26, ROW,        "a value to come, with its interval") \
	KIND(ANOMALY,         anomaly,         27, ROW,        "a value that was not expected") \
	KIND(RANK,            rank,            28, ROW,        "how well a series explains another") \
	KIND(CFG,             cfg,             29, ROW,        "an edge of a control-flow graph") \
	KIND(PATH_CALL,       path_call,       30, ROW,        "how many calls of a function there were, and how they ended") \
	KIND(PATH_COUNT,      path_count,      31, ROW,        "how often a path was taken") \
	KIND(NOTE,            note,            32, ROW,        "a remark for people: where it came from, what was lost") \
	KIND(INDEX,           index,           33, ROW,        "where a block of this stream begins") \
	KIND(END,             end,             34, ROW,        "the stream is complete") \
	KIND(PART,            part,            35, NAMING,     "a key by which classes are kept apart: a source, a pool of threads, a state") \
	KIND(TICKS,           ticks,           36, ROW,        "how many dumps were counted") \
	KIND(TALLY,           tally,           37, ROW,        "what a class or segment has counted so far") \
	KIND(SEEN,            seen,            38, ROW,        "a dump that was counted") \
	KIND(STAY,            stay,            39, ROW,        "a thread of the last dump counted, and the class it was in; or one that had left its class there") \
	KIND(RATIO,           ratio,           40, ROW,        "the state of the ratio of two segments") \
	KIND(SYMBOL,          symbol,          41, NAMING,     "the code of a class in the coded dumps that follow") \
	KIND(CODED,           coded,           42, ROW,        "a dump as the codes of its threads' classes") \
	KIND(COUNTED,         counted,         43, ROW,        "how many threads are in a class, dump after dump") \
	KIND(TREE,            tree,            44, ROW,        "a time tree over the samples of this stream; the last one counts") \
	KIND(TREE_KEY,        tree_key,        45, ROW,        "what precedes the frames of a stack: a pool, a command") \
	KIND(TREE_COUNT,      tree_count,      46, ROW,        "how many samples of a stack a node of a time tree holds") \
	KIND(WATCH_STATE,     watch_state,     47, ROW,        "the latest changes of a series") \
	KIND(SEASON_STATE,    season_state,    48, ROW,        "how the current cycle of a series fits the earlier ones") \
	KIND(KEPT_POINT,      kept_point,      49, ROW,        "a measure of a series that is still needed") \
	KIND(PATH_STEP,       path_step,       50, ROW,        "blocks that a call of a function went through, one after another") \
	KIND(FINDING,         finding,         51, ROW,        "what is wrong in an interval, by a rule") \
	KIND(EVIDENCE,        evidence,        52, ROW,        "a thread that shows a finding") \
	KIND(STANDING,        standing,        53, ROW,        "a thread that was busy in one place when it was last seen") \
	KIND(MEASURE,         measure,         54, ROW,        "what a series was in a step, and what was expected of it") \
	KIND(CAPACITY,        capacity,        55, ROW,        "when a series reaches a value") \
	KIND(COUNT_STATE,     count_state,     56, ROW,        "what the watch of counts knows of a series, or of a clock") \
	KIND(HOLDER,          holder,          57, ROW,        "what holds a metric, such as the heap") \
	KIND(HELD,            held,            58, ROW,        "how much of it in an hour") \
	KIND(GROUP_OF_THREAD, group_of_thread, 59, NAMING,     "which group the samples of a thread without a stack are attributed to") \
	KIND(VARIANT,         variant,         60, ROW,        "a form in which a frame was counted: a line, inlined or not")

#define STK_COLUMNS_HEAD(COLUMN) \
	COLUMN(major,       COUNT,    PLAIN,  major,    "a reader refuses a major version that it does not know") \
	COLUMN(minor,       COUNT,    PLAIN,  minor,    "and reads any minor one") \
	COLUMN(schema,      TEXT,     PLAIN,  schema,   "the kinds and columns of this stream, one a line")

#define STK_COLUMNS_STRING(COLUMN) \
	COLUMN(text,        TEXT,     PLAIN,  text,     "bytes, UTF-8 where the source was")

#define STK_COLUMNS_FRAME(COLUMN) \
	COLUMN(function,    STRING,   STEP,   function, "with class or namespace, as the source wrote it") \
	COLUMN(module,      STRING,   STEP,   module,   "binary, shared object, or Java module with its version") \
	COLUMN(file,        STRING,   STEP,   file,     "source file") \
	COLUMN(line,        NUMBER,   PLAIN,  line,     "0 not known, -1 native method, -2 unknown source, -3 redefined") \
	COLUMN(form,        FORM,     PLAIN,  form,     "how the frame is written as text") \
	COLUMN(address,     COUNT,    PLAIN,  address,  "of the instruction, when addresses are kept; else 0") \
	COLUMN(offset,      COUNT,    PLAIN,  offset,   "from the start of the function, when addresses are kept; else 0")

#define STK_COLUMNS_STACK(COLUMN) \
	COLUMN(parent,      STACK,    BACK,   parent,   "what called") \
	COLUMN(frame,       FRAME,    PLAIN,  frame,    "what was called")

#define STK_COLUMNS_SOURCE(COLUMN) \
	COLUMN(name,        STRING,   PLAIN,  name,     "the file it was read from, or its name") \
	COLUMN(host,        STRING,   PLAIN,  host,     "") \
	COLUMN(pid,         COUNT,    PLAIN,  pid,      "0 not known") \
	COLUMN(process,     STRING,   PLAIN,  process,  "command name") \
	COLUMN(vm,          STRING,   PLAIN,  vm,       "the virtual machine's own description") \
	COLUMN(runtime,     RUNTIME,  PLAIN,  runtime,  "") \
	COLUMN(clock,       CLOCK,    PLAIN,  clock,    "what its times count from: wall is 1970 UTC, monotonic an unknown start") \
	COLUMN(zone,        STRING,   PLAIN,  zone,     "the zone its times were written in, where they were civil times")

#define STK_COLUMNS_THREAD(COLUMN) \
	COLUMN(source,      SOURCE,   STEP,   source,   "") \
	COLUMN(name,        STRING,   STEP,   name,     "") \
	COLUMN(number,      COUNT,    STEP,   number,   "the VM's own number (#12)") \
	COLUMN(tid,         COUNT,    STEP,   tid,      "the system's thread id (nid of a thread dump)") \
	COLUMN(handle,      COUNT,    STEP,   handle,   "the VM's address of the thread (tid of a thread dump)") \
	COLUMN(priority,    NUMBER,   PLAIN,  priority, "") \
	COLUMN(os_priority, NUMBER,   PLAIN,  os_priority, "") \
	COLUMN(role,        ROLE,     PLAIN,  role,     "in a Java VM; other: it is of another program, or of which is not known")

#define STK_COLUMNS_LOCKS(COLUMN) \
	COLUMN(parent,      LOCKS,    STEP,   parent,   "the lines below, nearer to the root") \
	COLUMN(depth,       COUNT,    PLAIN,  depth,    "frames above the line, counted from the leaf") \
	COLUMN(relation,    RELATION, PLAIN,  relation, "") \
	COLUMN(STK_FIELD_CLASS, STRING, PLAIN, STK_FIELD_CLASS, "of the object; 0 where the dump has none")

#define STK_COLUMNS_OBJECTS(COLUMN) \
	COLUMN(parent,      OBJECTS,  STEP,   parent,   "the addresses of the lines below") \
	COLUMN(address,     COUNT,    SAME,   address,  "0 where the dump says that there is none")

#define STK_COLUMNS_DUMP(COLUMN) \
	COLUMN(time,        TIME,     STEP,   time,     "") \
	COLUMN(source,      SOURCE,   STEP,   source,   "") \
	COLUMN(event,       COUNT,    STEP,   event,    "the same for dumps of several sources taken for one event; 0 none") \
	COLUMN(skew,        SPAN,     PLAIN,  skew,     "after the event's own time") \
	COLUMN(took,        SPAN,     PLAIN,  took,     "how long taking it lasted") \
	COLUMN(threads,     COUNT,    STEP,   threads,  "sections found") \
	COLUMN(listed,      COUNT,    STEP,   listed,   "threads in the VM's own list (SMR)") \
	COLUMN(exiting,     COUNT,    STEP,   exiting,  "threads of that list that have ended but are not yet freed") \
	COLUMN(jni_refs,    COUNT,    STEP,   jni_refs, "") \
	COLUMN(weak_refs,   COUNT,    STEP,   weak_refs, "") \
	COLUMN(cut,         COUNT,    SAME,   cut,      "1 when it ends in the middle: threads are missing")

#define STK_COLUMNS_SAMPLE(COLUMN) \
	COLUMN(time,        TIME,     STEP,   time,     "") \
	COLUMN(dump,        DUMP,     STEP,   dump,     "0 when it is not part of a dump") \
	COLUMN(thread,      THREAD,   PLAIN,  thread,   "") \
	COLUMN(stack,       STACK,    SAME,   thread,   "") \
	COLUMN(weight,      COUNT,    PLAIN,  weight,   "what it counts for: a period, a count; 1 for a thread of a dump") \
	COLUMN(event,       STRING,   SAME,   thread,   "what made the sampler look (cycles, cpu-clock)") \
	COLUMN(processor,   NUMBER,   PLAIN,  processor, "-1 not known") \
	COLUMN(state,       STATE,    SAME,   stack,    "") \
	COLUMN(condition,   STRING,   SAME,   stack,    "what the dump says besides the state (\"in Object.wait()\")") \
	COLUMN(locks,       LOCKS,    SAME,   stack,    "its lock lines") \
	COLUMN(objects,     OBJECTS,  PAIR,   thread,   "their addresses") \
	COLUMN(cpu,         SPAN,     BY,     thread,   "CPU time the thread has used") \
	COLUMN(elapsed,     SPAN,     BYSTEP, thread,   "since the thread began") \
	COLUMN(allocated,   COUNT,    BY,     thread,   "bytes the thread has allocated") \
	COLUMN(classes,     COUNT,    BY,     thread,   "classes the thread has defined") \
	COLUMN(note,        STRING,   SAME,   thread,   "what it compiles, or which virtual thread it carries") \
	COLUMN(age,         SPAN,     PLAIN,  age,      "how long after the moment the stack was taken, where these differ")

#define STK_COLUMNS_EVENT(COLUMN) \
	COLUMN(time,        TIME,     STEP,   time,     "") \
	COLUMN(thread,      THREAD,   PLAIN,  thread,   "") \
	COLUMN(happening,   HAPPENING, PLAIN, happening, "") \
	COLUMN(name,        TEXT,     PLAIN,  name,     "") \
	COLUMN(value,       REAL,     PLAIN,  value,    "its payload") \
	COLUMN(activity,    COUNT,    STEP,   activity, "the work it is part of, over threads and machines") \
	COLUMN(stack,       STACK,    SAME,   thread,   "") \
	COLUMN(values,      TEXT,     PLAIN,  values,   "more payloads, with units: bytes=4096B rows=3") \
	COLUMN(processor,   NUMBER,   PLAIN,  processor, "-1 not known")

#define STK_COLUMNS_METRIC(COLUMN) \
	COLUMN(time,        TIME,     STEP,   time,     "") \
	COLUMN(source,      SOURCE,   STEP,   source,   "") \
	COLUMN(name,        TEXT,     PLAIN,  name,     "heap.used, heap.total, metaspace.used") \
	COLUMN(value,       REAL,     PLAIN,  value,    "")

#define STK_COLUMNS_COUNTER(COLUMN) \
	COLUMN(time,        TIME,     STEP,   time,     "") \
	COLUMN(source,      SOURCE,   STEP,   source,   "0: the whole machine") \
	COLUMN(cpu,         NUMBER,   STEP,   cpu,      "processor; -1: of none") \
	COLUMN(state,       TEXT,     PLAIN,  state,    "what was counted") \
	COLUMN(count,       COUNT,    STEP,   count,    "so far")

#define STK_COLUMNS_DEADLOCK(COLUMN) \
	COLUMN(dump,        DUMP,     STEP,   dump,     "") \
	COLUMN(ring,        COUNT,    STEP,   ring,     "1 for the first deadlock of the dump") \
	COLUMN(thread,      STRING,   PLAIN,  thread,   "the name of the thread that waits") \
	COLUMN(relation,    RELATION, PLAIN,  relation, "waiting-to-lock a monitor, parking for a synchronizer") \
	COLUMN(object,      COUNT,    PLAIN,  object,   "address") \
	COLUMN(STK_FIELD_CLASS, STRING, PLAIN, STK_FIELD_CLASS, "") \
	COLUMN(owner,       STRING,   PLAIN,  owner,    "the name of the thread that holds it")

#define STK_COLUMNS_SEGMENT(COLUMN) \
	COLUMN(id,          COUNT,    STEP,   id,       "") \
	COLUMN(name,        TEXT,     PLAIN,  name,     "from its frames, so that it is the same everywhere") \
	COLUMN(parent,      COUNT,    STEP,   parent,   "the segment that it was split from; 0 none") \
	COLUMN(first,       COUNT,    STEP,   first,    "first child; 0 for a leaf") \
	COLUMN(second,      COUNT,    STEP,   second,   "second child; 0 for a leaf") \
	COLUMN(stack,       STACK,    PLAIN,  stack,    "a stack that holds the segment at its end") \
	COLUMN(frames,      COUNT,    PLAIN,  frames,   "how many frames of that stack, from its leaf, are the segment")

#define STK_COLUMNS_SPLIT(COLUMN) \
	COLUMN(time,        TIME,     STEP,   time,     "") \
	COLUMN(segment,     COUNT,    STEP,   segment,  "the one that was split") \
	COLUMN(first,       COUNT,    STEP,   first,    "the frames before the branch") \
	COLUMN(second,      COUNT,    STEP,   second,   "and those after it") \
	COLUMN(frame,       FRAME,    PLAIN,  frame,    "the last frame before the branch")

#define STK_COLUMNS_CLASS(COLUMN) \
	COLUMN(id,          COUNT,    STEP,   id,       "") \
	COLUMN(name,        TEXT,     PLAIN,  name,     "from its frames and its part, so that it is the same everywhere") \
	COLUMN(parent,      COUNT,    STEP,   parent,   "the class of the longest stack that its own begins with; 0 none") \
	COLUMN(signature,   TEXT,     PLAIN,  signature, "ids of its segments, root first") \
	COLUMN(since,       TIME,     STEP,   since,    "first seen") \
	COLUMN(part,        COUNT,    PLAIN,  part,     "that it counts; 0 everything")

#define STK_COLUMNS_CLASS_OF_STACK(COLUMN) \
	COLUMN(stack,       STACK,    STEP,   stack,    "") \
	COLUMN(STK_FIELD_CLASS, COUNT, STEP, STK_FIELD_CLASS, "")

#define STK_COLUMNS_INTENSITY(COLUMN) \
	COLUMN(time,        TIME,     STEP,   time,     "") \
	COLUMN(dump,        DUMP,     STEP,   dump,     "") \
	COLUMN(series,      SERIES,   PLAIN,  series,   "") \
	COLUMN(id,          COUNT,    PLAIN,  id,       "of the class or segment; 0 none, in a dump without any") \
	COLUMN(part,        COUNT,    PLAIN,  part,     "of the class or segment; 0 everything") \
	COLUMN(count,       COUNT,    PLAIN,  count,    "in this dump") \
	COLUMN(total,       COUNT,    BY,     id,       "in all dumps") \
	COLUMN(dumps,       COUNT,    PLAIN,  dumps,    "since it was last seen")

#define STK_COLUMNS_PART(COLUMN) \
	COLUMN(id,          COUNT,    STEP,   id,       "") \
	COLUMN(text,        TEXT,     PLAIN,  text,     "what it is: source=web-1 pool=http-exec-*") \
	COLUMN(clock,       COUNT,    PLAIN,  clock,    "that counts its dumps")

#define STK_COLUMNS_TICKS(COLUMN) \
	COLUMN(id,          COUNT,    STEP,   id,       "") \
	COLUMN(source,      TEXT,     PLAIN,  source,   "whose dumps it counts; empty for all") \
	COLUMN(dumps,       COUNT,    STEP,   dumps,    "") \
	COLUMN(from,        TIME,     STEP,   from,     "the earliest") \
	COLUMN(to,          TIME,     STEP,   to,       "the latest")

#define STK_COLUMNS_TALLY(COLUMN) \
	COLUMN(series,      SERIES,   PLAIN,  series,   "class or segment") \
	COLUMN(id,          COUNT,    STEP,   id,       "") \
	COLUMN(part,        COUNT,    PLAIN,  part,     "") \
	COLUMN(now,         COUNT,    PLAIN,  now,      "in the dump that had it last") \
	COLUMN(total,       COUNT,    PLAIN,  total,    "in all dumps") \
	COLUMN(tick,        COUNT,    STEP,   tick,     "which dump had it last, counted from 1") \
	COLUMN(last,        TIME,     STEP,   last,     "the latest time") \
	COLUMN(followed,    COUNT,    PLAIN,  followed, "threads of the class in dumps that had a next one") \
	COLUMN(stays,       COUNT,    PLAIN,  stays,    "and those of them that were in it there too") \
	COLUMN(states,      TEXT,     PLAIN,  states,   "samples by thread state") \
	COLUMN(gone,        COUNT,    PLAIN,  gone,     "threads that were not in it one dump after they were, in dumps that had a next one") \
	COLUMN(returned,    COUNT,    PLAIN,  returned, "and those of them that were in it again there")

#define STK_COLUMNS_SEEN(COLUMN) \
	COLUMN(source,      TEXT,     PLAIN,  source,   "") \
	COLUMN(time,        TIME,     STEP,   time,     "") \
	COLUMN(check,       COUNT,    PLAIN,  check,    "a hash of what it held")

#define STK_COLUMNS_STAY(COLUMN) \
	COLUMN(source,      TEXT,     PLAIN,  source,   "") \
	COLUMN(thread,      COUNT,    PLAIN,  thread,   "a hash of its name and numbers") \
	COLUMN(STK_FIELD_CLASS, COUNT, PLAIN, STK_FIELD_CLASS, "") \
	COLUMN(gone,        COUNT,    PLAIN,  gone,     "1: it was in this class in the dump before the last, and was not in the last")

#define STK_COLUMNS_RATIO(COLUMN) \
	COLUMN(series,      SERIES,   PLAIN,  series,   "segment") \
	COLUMN(id,          COUNT,    STEP,   id,       "a segment that was split") \
	COLUMN(part,        COUNT,    PLAIN,  part,     "") \
	COLUMN(which,       COUNT,    PLAIN,  which,    "0 it to its first child, 1 it to its second, 2 the second to the first, 3 to 5 levels of the three; from 16 on parts of what these are compared with") \
	COLUMN(count,       COUNT,    PLAIN,  count,    "measures taken in") \
	COLUMN(mean,        REAL,     PLAIN,  mean,     "") \
	COLUMN(variance,    REAL,     PLAIN,  variance, "") \
	COLUMN(recent,      REAL,     PLAIN,  recent,   "the mean of the last few") \
	COLUMN(converged,   COUNT,    PLAIN,  converged, "1 once it has")

#define STK_COLUMNS_VARIANT(COLUMN) \
	COLUMN(frame,       FRAME,    STEP,   frame,    "without its line") \
	COLUMN(line,        NUMBER,   PLAIN,  line,     "0: not known") \
	COLUMN(form,        FORM,     PLAIN,  form,     "") \
	COLUMN(count,       COUNT,    PLAIN,  count,    "samples of stacks that go through it")

#define STK_COLUMNS_SYMBOL(COLUMN) \
	COLUMN(symbol,      COUNT,    STEP,   symbol,   "a number of the class, in the order of arrival; 0 is threads without a stack") \
	COLUMN(stack,       STACK,    PLAIN,  stack,    "of the class") \
	COLUMN(bits,        COUNT,    PLAIN,  bits,     "of its canonical code; 0: codes are numbers of symbols, as varints") \
	COLUMN(book,        COUNT,    STEP,   book,     "the codes that hold together, counted from 1")

#define STK_COLUMNS_CODED(COLUMN) \
	COLUMN(dump,        DUMP,     STEP,   dump,     "") \
	COLUMN(book,        COUNT,    STEP,   book,     "of its codes") \
	COLUMN(threads,     COUNT,    PLAIN,  threads,  "how many codes") \
	COLUMN(codes,       TEXT,     PLAIN,  codes,    "concatenated, in the order of the dump's samples; first bits first, from the highest of each byte") \
	COLUMN(weights,     TEXT,     PLAIN,  weights,  "what each counts for, as varints; empty when each is one thread")

#define STK_COLUMNS_COUNTED(COLUMN) \
	COLUMN(symbol,      COUNT,    STEP,   symbol,   "") \
	COLUMN(first,       DUMP,     PLAIN,  first,    "the first of the dumps") \
	COLUMN(dumps,       COUNT,    PLAIN,  dumps,    "how many, one after another") \
	COLUMN(counts,      TEXT,     PLAIN,  counts,   "for each a varint: its samples, weighted")

#define STK_COLUMNS_SCHEME(COLUMN) \
	COLUMN(id,          COUNT,    STEP,   id,       "") \
	COLUMN(name,        TEXT,     PLAIN,  name,     "") \
	COLUMN(text,        TEXT,     PLAIN,  text,     "the file, whole")

#define STK_COLUMNS_GROUP(COLUMN) \
	COLUMN(scheme,      COUNT,    STEP,   scheme,   "") \
	COLUMN(id,          COUNT,    STEP,   id,       "") \
	COLUMN(parent,      COUNT,    STEP,   parent,   "") \
	COLUMN(name,        TEXT,     PLAIN,  name,     "") \
	COLUMN(colour,      TEXT,     PLAIN,  colour,   "#rrggbb")

#define STK_COLUMNS_GROUP_OF_STACK(COLUMN) \
	COLUMN(scheme,      COUNT,    STEP,   scheme,   "") \
	COLUMN(stack,       STACK,    STEP,   stack,    "") \
	COLUMN(group,       COUNT,    PLAIN,  group,    "0: in no group") \
	COLUMN(state,       STATE,    PLAIN,  state,    "of the samples in this state; unknown: of those in states without a row of their own")

#define STK_COLUMNS_GROUP_OF_THREAD(COLUMN) \
	COLUMN(scheme,      COUNT,    STEP,   scheme,   "one whose members may be names of threads") \
	COLUMN(thread,      THREAD,   STEP,   thread,   "0: samples that are of no thread") \
	COLUMN(group,       COUNT,    PLAIN,  group,    "0: in no group")

#define STK_COLUMNS_GROUP_FIGURE(COLUMN) \
	COLUMN(time,        TIME,     STEP,   time,     "the interval's start") \
	COLUMN(length,      SPAN,     STEP,   length,   "") \
	COLUMN(scheme,      COUNT,    STEP,   scheme,   "") \
	COLUMN(group,       COUNT,    PLAIN,  group,    "") \
	COLUMN(source,      SOURCE,   PLAIN,  source,   "") \
	COLUMN(thread,      THREAD,   PLAIN,  thread,   "0: all of them") \
	COLUMN(samples,     COUNT,    BY,     group,    "") \
	COLUMN(weight,      COUNT,    BY,     group,    "") \
	COLUMN(duration,    SPAN,     BY,     group,    "that samples stand for") \
	COLUMN(paired,      SPAN,     BY,     group,    "time of pairs of events") \
	COLUMN(pairs,       COUNT,    PLAIN,  pairs,    "that began") \
	COLUMN(points,      COUNT,    PLAIN,  points,   "events that are not of a pair") \
	COLUMN(payload,     REAL,     PLAIN,  payload,  "of events, added up: of one name and unit; others have rows of their own") \
	COLUMN(payload_name, TEXT,    PLAIN,  payload_name, "") \
	COLUMN(payload_unit, TEXT,    PLAIN,  payload_unit, "")

#define STK_COLUMNS_TREE_NODE(COLUMN) \
	COLUMN(id,          COUNT,    STEP,   id,       "from 1 on, children before their parents") \
	COLUMN(time,        TIME,     STEP,   time,     "the start of its interval") \
	COLUMN(length,      SPAN,     STEP,   length,   "of the interval, which does not hold its own end") \
	COLUMN(form,        NODE,     PLAIN,  form,     "a leaf has samples, an inner node children, a thinned one counts alone") \
	COLUMN(samples,     COUNT,    PLAIN,  samples,  "that it counts") \
	COLUMN(first_row,   COUNT,    STEP,   first_row, "of the stream's sample rows, counted from 0, where its own begin") \
	COLUMN(rows,        COUNT,    PLAIN,  rows,     "how many these are") \
	COLUMN(first_count, COUNT,    STEP,   first_count, "of the stream's tree_count rows, counted from 0, where its own begin") \
	COLUMN(counts,      COUNT,    PLAIN,  counts,   "how many these are; 0 for a leaf that keeps none") \
	COLUMN(kept,        COUNT,    PLAIN,  kept,     "samples that they count for") \
	COLUMN(bound,       COUNT,    PLAIN,  bound,    "samples that a stack can have at most beyond its count") \
	COLUMN(children,    COUNT,    PLAIN,  children, "their ids follow one another") \
	COLUMN(last,        COUNT,    STEP,   last,     "of these; below the node's own id") \
	COLUMN(left_weight, NUMBER,   PLAIN,  left_weight, "weight of the samples that its counts leave out; below 0: not known") \
	COLUMN(alike_bound, COUNT,    PLAIN,  alike_bound, "as bound, of all stacks with the same function names together; 0: not known") \
	COLUMN(weight_bound, COUNT,   PLAIN,  weight_bound, "the same of their weight") \
	COLUMN(set,         COUNT,    PLAIN,  set,      "of keys, which its counts are by: that of its tree row")

#define STK_COLUMNS_TREE(COLUMN) \
	COLUMN(leaf,        COUNT,    PLAIN,  leaf,     "M: a node with fewer samples is a leaf") \
	COLUMN(keep,        REAL,     PLAIN,  keep,     "P: the percentage of samples that the counts of a node cover") \
	COLUMN(split,       COUNT,    PLAIN,  split,    "N: the parts into which an interval is split") \
	COLUMN(rule,        TEXT,     PLAIN,  rule,     "time, samples or calendar: how") \
	COLUMN(zone,        TEXT,     PLAIN,  zone,     "of the calendar") \
	COLUMN(by,          TEXT,     PLAIN,  by,       "what precedes the frames of its stacks; empty: pool in dumps, command elsewhere") \
	COLUMN(event,       TEXT,     PLAIN,  event,    "the sampling event that it counts, none for samples without one; empty for all") \
	COLUMN(rows,        COUNT,    PLAIN,  rows,     "of the stream's sample rows: what it covers, from the first") \
	COLUMN(samples,     COUNT,    PLAIN,  samples,  "that it counts") \
	COLUMN(untimed,     COUNT,    PLAIN,  untimed,  "samples without a time, which are in no window") \
	COLUMN(from,        TIME,     PLAIN,  from,     "the earliest") \
	COLUMN(to,          TIME,     PLAIN,  to,       "the latest") \
	COLUMN(roots,       TEXT,     PLAIN,  roots,    "ids of the nodes on top, with blanks between") \
	COLUMN(set,         COUNT,    PLAIN,  set,      "of keys: 0 in the last row; rows of the others, 1, 2 and so on, precede it in its block, nearest first")

#define STK_COLUMNS_TREE_KEY(COLUMN) \
	COLUMN(id,          COUNT,    STEP,   id,       "from 1 on") \
	COLUMN(text,        TEXT,     PLAIN,  text,     "") \
	COLUMN(java,        COUNT,    PLAIN,  java,     "1: frames are named as those of a Java process")

#define STK_COLUMNS_TREE_COUNT(COLUMN) \
	COLUMN(time,        TIME,     STEP,   time,     "the start of the node's interval") \
	COLUMN(key,         COUNT,    STEP,   key,      "what precedes the frames") \
	COLUMN(stack,       STACK,    STEP,   stack,    "") \
	COLUMN(count,       COUNT,    PLAIN,  count,    "samples") \
	COLUMN(extra,       NUMBER,   PLAIN,  extra,    "their weight beyond one each")

#define STK_COLUMNS_FILTER_STATE(COLUMN) \
	COLUMN(id,          COUNT,    STEP,   id,       "of the series among those of this state") \
	COLUMN(series,      SERIES,   PLAIN,  series,   "") \
	COLUMN(name,        TEXT,     PLAIN,  name,     "of the series") \
	COLUMN(part,        TEXT,     PLAIN,  part,     "which part of it: a source, a pool; empty: all") \
	COLUMN(label,       TEXT,     PLAIN,  label,    "for people: frames that it has") \
	COLUMN(parent,      COUNT,    PLAIN,  parent,   "a hash of the series that holds it; 0 none") \
	COLUMN(split,       COUNT,    PLAIN,  split,    "a segment that was split: when, in ns since 1970; 1: not known; 0: it was not") \
	COLUMN(clock,       TEXT,     PLAIN,  clock,    "whose dumps it counts") \
	COLUMN(periods,     COUNT,    PLAIN,  periods,  "which rules of periods apply; 0: it has no season yet") \
	COLUMN(since,       TIME,     STEP,   since,    "the first measure") \
	COLUMN(time,        TIME,     STEP,   time,     "of the last measure; unknown: there was none yet") \
	COLUMN(last,        REAL,     PLAIN,  last,     "the last measure") \
	COLUMN(level,       REAL,     PLAIN,  level,    "with the season taken off") \
	COLUMN(rate,        REAL,     PLAIN,  rate,     "an hour") \
	COLUMN(acceleration, REAL,    PLAIN,  acceleration, "an hour, an hour") \
	COLUMN(residual,    REAL,     PLAIN,  residual, "mean error of one step") \
	COLUMN(deviation,   REAL,     PLAIN,  deviation, "mean size of errors") \
	COLUMN(slow_deviation, REAL,  PLAIN,  slow_deviation, "the same over a longer time") \
	COLUMN(last_error,  REAL,     PLAIN,  last_error, "") \
	COLUMN(level_weight, REAL,    PLAIN,  level_weight, "of what the level remembers") \
	COLUMN(rate_weight, REAL,     PLAIN,  rate_weight, "and the others") \
	COLUMN(acceleration_weight, REAL, PLAIN, acceleration_weight, "") \
	COLUMN(residual_weight, REAL, PLAIN,  residual_weight, "") \
	COLUMN(cut,         REAL,     PLAIN,  cut,      "errors beyond this number of deviations are cut off") \
	COLUMN(run,         NUMBER,   PLAIN,  run,      "of such errors one after another; below 0: to the low side") \
	COLUMN(count,       COUNT,    PLAIN,  count,    "measures taken in") \
	COLUMN(clipped,     COUNT,    PLAIN,  clipped,  "of them cut off") \
	COLUMN(day,         NUMBER,   PLAIN,  day,      "up to which cycles were ended, local days since 1970") \
	COLUMN(touched,     COUNT,    PLAIN,  touched,  "periods that had a measure in the present cycle, a bit each") \
	COLUMN(step,        TIME,     PLAIN,  step,     "a metric: the start of the step that is not over") \
	COLUMN(latest,      TIME,     PLAIN,  latest,   "a metric: its latest moment") \
	COLUMN(sum,         REAL,     PLAIN,  sum,      "of the step that is not over") \
	COLUMN(weight,      REAL,     PLAIN,  weight,   "of it") \
	COLUMN(slots,       COUNT,    PLAIN,  slots,    "seasonal_factor rows of it; 0: it has no season") \
	COLUMN(counted,     COUNT,    PLAIN,  counted,  "a counter: its latest value") \
	COLUMN(counted_at,  TIME,     PLAIN,  counted_at, "and when that was; unknown: there was none yet")

#define STK_COLUMNS_SEASONAL_FACTOR(COLUMN) \
	COLUMN(id,          COUNT,    STEP,   id,       "of the series' filter_state") \
	COLUMN(period,      TEXT,     PLAIN,  period,   "weekday, weekend, a holiday") \
	COLUMN(slot,        COUNT,    STEP,   slot,     "of the period, from 0 on") \
	COLUMN(factor,      REAL,     PLAIN,  factor,   "1 is the common level; 0 where seasons add to it") \
	COLUMN(weight,      REAL,     PLAIN,  weight,   "of the measures that it is from")

#define STK_COLUMNS_WATCH_STATE(COLUMN) \
	COLUMN(id,          COUNT,    STEP,   id,       "of the series' filter_state") \
	COLUMN(began,       TIME,     PLAIN,  began,    "of the case that is open") \
	COLUMN(lasted,      COUNT,    PLAIN,  lasted,   "measures since; 0: none is") \
	COLUMN(quiet,       COUNT,    PLAIN,  quiet,    "those of them, up to the last, at the old level again") \
	COLUMN(value,       REAL,     PLAIN,  value,    "its worst") \
	COLUMN(expected,    REAL,     PLAIN,  expected, "") \
	COLUMN(score,       REAL,     PLAIN,  score,    "") \
	COLUMN(level,       REAL,     PLAIN,  level,    "before it") \
	COLUMN(noise,       REAL,     PLAIN,  noise,    "before it") \
	COLUMN(away,        REAL,     PLAIN,  away,     "sum of distances from the expected values") \
	COLUMN(scale,       REAL,     PLAIN,  scale,    "and of the season's part in them") \
	COLUMN(rest,        REAL,     PLAIN,  rest,     "where the series was last at rest") \
	COLUMN(rest_slow,   REAL,     PLAIN,  rest_slow, "the level, followed slowly") \
	COLUMN(ceiling,     REAL,     PLAIN,  ceiling,  "the highest measure") \
	COLUMN(at_ceiling,  COUNT,    PLAIN,  at_ceiling, "measures at that height") \
	COLUMN(above,       REAL,     PLAIN,  above,    "errors to the high side that add up") \
	COLUMN(below,       REAL,     PLAIN,  below,    "and to the low side") \
	COLUMN(above_from,  TIME,     PLAIN,  above_from, "when they began") \
	COLUMN(below_from,  TIME,     PLAIN,  below_from, "") \
	COLUMN(count,       COUNT,    PLAIN,  count,    "measures taken in") \
	COLUMN(told,        COUNT,    PLAIN,  told,     "1: noise, 2: saturation")

#define STK_COLUMNS_COUNT_STATE(COLUMN) \
	COLUMN(id,          COUNT,    STEP,   id,       "of the series' filter_state; of a clock: of its ticks") \
	COLUMN(sort,        COUNT,    PLAIN,  sort,     "0 season, 1 level, 2 bursts, 3 blocks, 4 evidence, 5 open finding, 6 latest hits; of a clock: 7 time, 8 load, 9 slot, 16 and more: of all its threads") \
	COLUMN(place,       COUNT,    PLAIN,  place,    "slot, scale or test") \
	COLUMN(number,      NUMBER,   PLAIN,  number,   "of a day, or of a dump") \
	COLUMN(time,        TIME,     PLAIN,  time,     "") \
	COLUMN(hits,        REAL,     PLAIN,  hits,     "") \
	COLUMN(expected,    REAL,     PLAIN,  expected, "of them") \
	COLUMN(dumps,       REAL,     PLAIN,  dumps,    "") \
	COLUMN(value,       REAL,     PLAIN,  value,    "of the sort") \
	COLUMN(most,        REAL,     PLAIN,  most,     "its highest so far") \
	COLUMN(first,       REAL,     PLAIN,  first,    "the three highest before") \
	COLUMN(second,      REAL,     PLAIN,  second,   "") \
	COLUMN(third,       REAL,     PLAIN,  third,    "")

#define STK_COLUMNS_SEASON_STATE(COLUMN) \
	COLUMN(id,          COUNT,    STEP,   id,       "of the series' filter_state") \
	COLUMN(until,       NUMBER,   PLAIN,  until,    "the day with which the next cycle begins") \
	COLUMN(n,           REAL,     PLAIN,  n,        "sums over the cycle: measures,") \
	COLUMN(x,           REAL,     PLAIN,  x,        "without the level") \
	COLUMN(s,           REAL,     PLAIN,  s,        "factors") \
	COLUMN(xx,          REAL,     PLAIN,  xx,       "and their products") \
	COLUMN(ss,          REAL,     PLAIN,  ss,       "") \
	COLUMN(xs,          REAL,     PLAIN,  xs,       "") \
	COLUMN(r,           REAL,     PLAIN,  r,        "the correlation of the last cycle with the factors before it") \
	COLUMN(measures,    REAL,     PLAIN,  measures, "of that cycle; 0: there was none") \
	COLUMN(strength,    REAL,     PLAIN,  strength, "the part of the variance that the season explains")

#define STK_COLUMNS_KEPT_POINT(COLUMN) \
	COLUMN(id,          COUNT,    STEP,   id,       "of the series' filter_state") \
	COLUMN(raw,         COUNT,    PLAIN,  raw,      "0: a step, for the beginning of a season; 1: as it came, for lines; 2: an error, in deviations; 3: an hour, the sum or, of a heap, the least; 4: its measures; 5: the least of an hour; 6 + 2 x clock: threads in half of its dumps, 1 more: in the others; of id 0: dumps; no points: 4294967291: value is the id of a segment that a class goes through, after those of the rows before; 0: none, but time is that of the first dump with the class or segment (4294967295: the same without an order, as builds between releases wrote it; readers leave it out); 4294967294: value is the number of dumps of the latest step; 4294967293: the sum of the measures of an hour, of which 5 is the least; 4294967292: how many these are") \
	COLUMN(time,        TIME,     BYSTEP, id,       "") \
	COLUMN(value,       REAL,     PLAIN,  value,    "")

#define STK_COLUMNS_FORECAST(COLUMN) \
	COLUMN(time,        TIME,     STEP,   time,     "") \
	COLUMN(series,      SERIES,   PLAIN,  series,   "") \
	COLUMN(name,        TEXT,     PLAIN,  name,     "of the series") \
	COLUMN(part,        TEXT,     PLAIN,  part,     "which part of it; empty: all") \
	COLUMN(value,       REAL,     PLAIN,  value,    "") \
	COLUMN(low,         REAL,     PLAIN,  low,      "") \
	COLUMN(high,        REAL,     PLAIN,  high,     "")

#define STK_COLUMNS_MEASURE(COLUMN) \
	COLUMN(id,          COUNT,    STEP,   id,       "of the series' filter_state") \
	COLUMN(time,        TIME,     BYSTEP, id,       "the step's start") \
	COLUMN(value,       REAL,     PLAIN,  value,    "its mean over the step") \
	COLUMN(expected,    REAL,     PLAIN,  expected, "of it, by what came before") \
	COLUMN(low,         REAL,     PLAIN,  low,      "the interval that was expected to hold it") \
	COLUMN(high,        REAL,     PLAIN,  high,     "") \
	COLUMN(level,       REAL,     PLAIN,  level,    "with the season taken off, the step included")

#define STK_COLUMNS_CAPACITY(COLUMN) \
	COLUMN(id,          COUNT,    STEP,   id,       "of the series' filter_state") \
	COLUMN(value,       REAL,     PLAIN,  value,    "to be reached") \
	COLUMN(now,         REAL,     PLAIN,  now,      "where the line through the measures is at the last one") \
	COLUMN(rate,        REAL,     PLAIN,  rate,     "a day") \
	COLUMN(rate_error,  REAL,     PLAIN,  rate_error, "half the width of its interval") \
	COLUMN(reached,     TIME,     PLAIN,  reached,  "unknown: never") \
	COLUMN(earliest,    TIME,     PLAIN,  earliest, "unknown: never") \
	COLUMN(latest,      TIME,     PLAIN,  latest,   "unknown: never") \
	COLUMN(restarts,    COUNT,    PLAIN,  restarts, "after which the series began low again") \
	COLUMN(since,       TIME,     PLAIN,  since,    "the last of them, or the first measure")

#define STK_COLUMNS_HOLDER(COLUMN) \
	COLUMN(id,          COUNT,    STEP,   id,       "by which held rows name it") \
	COLUMN(against,     TEXT,     PLAIN,  against,  "the metric that it holds a part of") \
	COLUMN(against_part, TEXT,    PLAIN,  against_part, "of which source") \
	COLUMN(name,        TEXT,     PLAIN,  name,     "of the class; empty: all threads, or no thread") \
	COLUMN(what,        TEXT,     PLAIN,  what,     "holds; grows, with each hour of a thread; rest: base and leak") \
	COLUMN(per_thread,  REAL,     PLAIN,  per_thread, "how much a thread holds, or adds in an hour") \
	COLUMN(low,         REAL,     PLAIN,  low,      "its interval") \
	COLUMN(high,        REAL,     PLAIN,  high,     "") \
	COLUMN(held,        REAL,     PLAIN,  held,     "on the mean; of the rest, at the end") \
	COLUMN(share,       REAL,     PLAIN,  share,    "of the metric")

#define STK_COLUMNS_HELD(COLUMN) \
	COLUMN(id,          COUNT,    STEP,   id,       "of the holder") \
	COLUMN(time,        TIME,     BYSTEP, id,       "the start of the hour") \
	COLUMN(value,       REAL,     PLAIN,  value,    "held then")

#define STK_COLUMNS_ANOMALY(COLUMN) \
	COLUMN(time,        TIME,     STEP,   time,     "") \
	COLUMN(series,      SERIES,   PLAIN,  series,   "") \
	COLUMN(name,        TEXT,     PLAIN,  name,     "of the series") \
	COLUMN(part,        TEXT,     PLAIN,  part,     "which part of it; empty: all") \
	COLUMN(what,        TEXT,     PLAIN,  what,     "spike, burst, shift, drift, variance, saturation, cost-shift, stuck, new, gone") \
	COLUMN(value,       REAL,     PLAIN,  value,    "") \
	COLUMN(expected,    REAL,     PLAIN,  expected, "") \
	COLUMN(score,       REAL,     PLAIN,  score,    "in standard deviations; for stuck: dumps") \
	COLUMN(until,       TIME,     PLAIN,  until,    "up to when it is known") \
	COLUMN(before,      REAL,     PLAIN,  before,   "the level before it") \
	COLUMN(after,       REAL,     PLAIN,  after,    "and after it") \
	COLUMN(news,        COUNT,    PLAIN,  news,     "0: it went away again, or moved between siblings") \
	COLUMN(untold,      COUNT,    PLAIN,  untold,   "1: of a state: no run has reported it yet") \
	COLUMN(finding,     TIME,     PLAIN,  finding,  "when the finding began that it belongs to; unknown: it stands alone") \
	COLUMN(low,         REAL,     PLAIN,  low,      "95 % limits of after, of a count; else not a number") \
	COLUMN(high,        REAL,     PLAIN,  high,     "")

#define STK_COLUMNS_RANK(COLUMN) \
	COLUMN(place,       COUNT,    STEP,   place,    "1 is first") \
	COLUMN(series,      SERIES,   PLAIN,  series,   "") \
	COLUMN(name,        TEXT,     PLAIN,  name,     "of the series") \
	COLUMN(part,        TEXT,     PLAIN,  part,     "which part of it; empty: all") \
	COLUMN(against,     TEXT,     PLAIN,  against,  "what it explains") \
	COLUMN(correlation, REAL,     PLAIN,  correlation, "") \
	COLUMN(lag,         SPAN,     PLAIN,  lag,      "") \
	COLUMN(p,           REAL,     PLAIN,  p,        "of one as high by chance") \
	COLUMN(q,           REAL,     PLAIN,  q,        "false findings to expect among those up to this one")

#define STK_COLUMNS_CFG(COLUMN) \
	COLUMN(function,    TEXT,     PLAIN,  function, "") \
	COLUMN(file,        TEXT,     PLAIN,  file,     "of the source") \
	COLUMN(edge,        COUNT,    STEP,   edge,     "its number in the graph, from 0") \
	COLUMN(from,        TEXT,     PLAIN,  from,     "a block, with the line that it begins at: while.body@14") \
	COLUMN(to,          TEXT,     PLAIN,  to,       "")

#define STK_COLUMNS_PATH_CALL(COLUMN) \
	COLUMN(time,        TIME,     STEP,   time,     "when it was written") \
	COLUMN(source,      SOURCE,   STEP,   source,   "the process") \
	COLUMN(function,    TEXT,     PLAIN,  function, "") \
	COLUMN(file,        TEXT,     PLAIN,  file,     "") \
	COLUMN(method,      TEXT,     PLAIN,  method,   "how its paths were distinguished") \
	COLUMN(calls,       COUNT,    PLAIN,  calls,    "that began") \
	COLUMN(counted,     COUNT,    PLAIN,  counted,  "that ended with a path's id") \
	COLUMN(others,      COUNT,    PLAIN,  others,   "that took no path of interest") \
	COLUMN(unfinished,  NUMBER,   PLAIN,  unfinished, "still under way, or left by exit or longjmp; below 0: ended that were under way when written before")

#define STK_COLUMNS_PATH_COUNT(COLUMN) \
	COLUMN(time,        TIME,     STEP,   time,     "when it was written") \
	COLUMN(source,      SOURCE,   STEP,   source,   "the process") \
	COLUMN(function,    TEXT,     PLAIN,  function, "") \
	COLUMN(file,        TEXT,     PLAIN,  file,     "") \
	COLUMN(path,        TEXT,     PLAIN,  path,     "names of its blocks, with blanks between") \
	COLUMN(count,       COUNT,    PLAIN,  count,    "")

#define STK_COLUMNS_PATH_STEP(COLUMN) \
	COLUMN(source,      SOURCE,   STEP,   source,   "the process") \
	COLUMN(thread,      COUNT,    STEP,   thread,   "") \
	COLUMN(call,        COUNT,    STEP,   call,     "its number, different from that of any other of the process") \
	COLUMN(function,    TEXT,     PLAIN,  function, "") \
	COLUMN(begins,      COUNT,    PLAIN,  begins,   "1: these are its first blocks") \
	COLUMN(ends,        COUNT,    PLAIN,  ends,     "1: and these its last") \
	COLUMN(blocks,      TEXT,     PLAIN,  blocks,   "names, with blanks between; none: only where the call begins and ends")

#define STK_COLUMNS_FINDING(COLUMN) \
	COLUMN(time,        TIME,     STEP,   time,     "of the first dump that shows it") \
	COLUMN(until,       TIME,     STEP,   until,    "of the last one") \
	COLUMN(number,      COUNT,    STEP,   number,   "from 1; evidence refers to it") \
	COLUMN(rule,        TEXT,     PLAIN,  rule,     "deadlock, convoy, stuck and so on") \
	COLUMN(severity,    SEVERITY, PLAIN,  severity, "") \
	COLUMN(source,      SOURCE,   PLAIN,  source,   "of which process; 0: of all") \
	COLUMN(subject,     TEXT,     PLAIN,  subject,  "what it is about: a lock, a pool, a place") \
	COLUMN(threads,     COUNT,    PLAIN,  threads,  "that are affected at one moment, at most") \
	COLUMN(samples,     COUNT,    PLAIN,  samples,  "the same summed over its dumps") \
	COLUMN(dumps,       COUNT,    PLAIN,  dumps,    "that show it") \
	COLUMN(lost,        SPAN,     PLAIN,  lost,     "time of threads that was lost to it") \
	COLUMN(summary,     TEXT,     PLAIN,  summary,  "a sentence") \
	COLUMN(change,      TEXT,     PLAIN,  change,   "beside another window: new, longer, gone and so on; empty: not compared") \
	COLUMN(other_time,  TIME,     PLAIN,  other_time, "of the first dump there that shows the same") \
	COLUMN(other_until, TIME,     PLAIN,  other_until, "of the last one")

#define STK_COLUMNS_EVIDENCE(COLUMN) \
	COLUMN(finding,     COUNT,    STEP,   finding,  "its number") \
	COLUMN(part,        INVOLVEMENT, PLAIN, part,    "") \
	COLUMN(thread,      THREAD,   PLAIN,  thread,   "") \
	COLUMN(stack,       STACK,    PLAIN,  stack,    "where it was last; functions only") \
	COLUMN(STK_FIELD_CLASS, STRING, PLAIN, STK_FIELD_CLASS, "of the lock that it holds or wants") \
	COLUMN(address,     COUNT,    PLAIN,  address,  "of that lock, as it was last") \
	COLUMN(dumps,       COUNT,    PLAIN,  dumps,    "in which it was part of it") \
	COLUMN(time,        TIME,     PLAIN,  time,     "of the first of them") \
	COLUMN(until,       TIME,     PLAIN,  until,    "and of the last")

#define STK_COLUMNS_STANDING(COLUMN) \
	COLUMN(thread,      COUNT,    PLAIN,  thread,   "a hash of its source, name and numbers") \
	COLUMN(place,       COUNT,    PLAIN,  place,    "a hash of its stack") \
	COLUMN(since,       TIME,     STEP,   since,    "the first dump with it there") \
	COLUMN(latest,      TIME,     STEP,   latest,   "and the latest") \
	COLUMN(dumps,       COUNT,    PLAIN,  dumps,    "with it there") \
	COLUMN(told,        COUNT,    PLAIN,  told,     "1: it was found to be stuck")

#define STK_COLUMNS_NOTE(COLUMN) \
	COLUMN(source,      SOURCE,   PLAIN,  source,   "0: of the stream") \
	COLUMN(about,       TEXT,     PLAIN,  about,    "") \
	COLUMN(text,        TEXT,     PLAIN,  text,     "")

#define STK_COLUMNS_INDEX(COLUMN) \
	COLUMN(kind,        COUNT,    PLAIN,  kind,     "") \
	COLUMN(rows,        COUNT,    PLAIN,  rows,     "") \
	COLUMN(offset,      COUNT,    STEP,   offset,   "from the first byte of the stream's head") \
	COLUMN(time,        TIME,     STEP,   time,     "the earliest of the block; unknown when it has none") \
	COLUMN(length,      SPAN,     PLAIN,  length,   "from there to the latest") \
	COLUMN(holds,       TEXT,     PLAIN,  holds,    "which threads, sources, events and states its rows have, as in section 4; empty: not known")

#define STK_COLUMNS_END(COLUMN) \
	COLUMN(blocks,      COUNT,    PLAIN,  blocks,   "of the stream, head and index included, this one not") \
	COLUMN(index,       COUNT,    PLAIN,  index,    "offset of the index from the first byte of the head") \
	COLUMN(bytes,       COUNT,    PLAIN,  bytes,    "of the stream, this block included") \
	COLUMN(lost,        COUNT,    PLAIN,  lost,     "what the writer could not read of its own input, in incidents; 0 is whole")

#endif
