/* SPDX-License-Identifier: MIT
 * Generated names are folded, names that a compiler writes into a program are not. */
#include "../lib/tap.h"

#include "base/bytes.h"
#include "model/frame_identity.h"

struct fold { enum stk_form form; const char *name, *folded; };	/* folded NULL: stays as it is */

static const struct fold folds[] = {
	{ STK_FORM_JAVA, "shop.Cart$$Lambda$14/0x0000000800c03000.run", "shop.Cart$$Lambda.run" },
	{ STK_FORM_JAVA, "shop.Cart$$Lambda$5/1234567890.apply", "shop.Cart$$Lambda.apply" },
	{ STK_FORM_JAVA, "shop.Cart$$Lambda/0x00007f3a1c011000.run", "shop.Cart$$Lambda.run" },
	{ STK_FORM_JAVA, "shop.Cart$$Lambda+0x00007f3a1c011000.run", "shop.Cart$$Lambda.run" },
	{ STK_FORM_JAVA, "shop.Cart$$Lambda.0x00007f3a1c011000.run", "shop.Cart$$Lambda.run" },
	{ STK_FORM_JAVA, "shop.Cart$$Lambda.run", NULL },
	{ STK_FORM_JAVA, "shop.Hidden/0x0000000801234567.call", "shop.Hidden.call" },
	{ STK_FORM_JAVA, "java.lang.invoke.LambdaForm$MH/0x0000000800c04000.invoke",
	  "java.lang.invoke.LambdaForm$MH.invoke" },
	{ STK_FORM_JAVA, "java.lang.invoke.LambdaForm$MH/1234.invoke_MT", "java.lang.invoke.LambdaForm$MH.invoke_MT" },
	{ STK_FORM_JAVA, "java.lang.invoke.LambdaForm$DMH/0x0000000800c04400.invokeStatic",
	  "java.lang.invoke.LambdaForm$DMH.invokeStatic" },
	{ STK_FORM_JAVA, "java.lang.invoke.LambdaForm$BMH/990416209.reinvoke",
	  "java.lang.invoke.LambdaForm$BMH.reinvoke" },
	{ STK_FORM_JAVA, "sun.reflect.GeneratedMethodAccessor123.invoke",
	  "sun.reflect.GeneratedMethodAccessor.invoke" },
	{ STK_FORM_JAVA, "jdk.internal.reflect.GeneratedMethodAccessor7.invoke",
	  "jdk.internal.reflect.GeneratedMethodAccessor.invoke" },
	{ STK_FORM_JAVA, "jdk.internal.reflect.GeneratedConstructorAccessor31.newInstance",
	  "jdk.internal.reflect.GeneratedConstructorAccessor.newInstance" },
	{ STK_FORM_JAVA, "sun.reflect.GeneratedSerializationConstructorAccessor2.newInstance",
	  "sun.reflect.GeneratedSerializationConstructorAccessor.newInstance" },
	{ STK_FORM_JAVA, "com.sun.proxy.$Proxy12.find", "com.sun.proxy.$Proxy.find" },
	{ STK_FORM_JAVA, "jdk.proxy2.$Proxy8.find", "jdk.proxy.$Proxy.find" },
	{ STK_FORM_JAVA, "shop.Pay$$EnhancerBySpringCGLIB$$a1b2c3d4.charge", "shop.Pay$$EnhancerBySpringCGLIB.charge" },
	{ STK_FORM_JAVA, "shop.Pay$$FastClassBySpringCGLIB$$9f8e7d6c.invoke",
	  "shop.Pay$$FastClassBySpringCGLIB.invoke" },
	{ STK_FORM_JAVA, "shop.Pay$$EnhancerByCGLIB$$1c2d_2.charge", "shop.Pay$$EnhancerByCGLIB.charge" },
	{ STK_FORM_JAVA, "shop.Pay$$SpringCGLIB$$0.charge", "shop.Pay$$SpringCGLIB.charge" },
	{ STK_FORM_JAVA, "shop.Pay$$EnhancerByGuice$$5bd3f1a2.charge", "shop.Pay$$EnhancerByGuice.charge" },
	{ STK_FORM_JAVA, "shop.Order$ByteBuddy$AbCdEf12.total", "shop.Order$ByteBuddy.total" },
	{ STK_FORM_JAVA, "shop.Order$ByteBuddy$AbCdEf12$auxiliary$Xy12.call", "shop.Order$ByteBuddy$auxiliary.call" },
	{ STK_FORM_JAVA, "shop.Order$HibernateProxy$k2Jd8.getId", "shop.Order$HibernateProxy.getId" },
	{ STK_FORM_JAVA, "shop.Order$MockitoMock$1804094807.getId", "shop.Order$MockitoMock.getId" },
	{ STK_FORM_JAVA, "shop.Order_$$_jvst1a2_0.getId", "shop.Order_$$_jvst.getId" },
	{ STK_FORM_JAVA, "shop.Order_$$_javassist_12.getId", "shop.Order_$$_javassist.getId" },
	{ STK_FORM_JAVA, "Script1.run", "Script.run" },
	{ STK_FORM_JAVA, "script15287392.run", "script.run" },
	{ STK_FORM_JAVA, "org.apache.spark.sql.GeneratedClass$GeneratedIteratorForCodegenStage12.processNext",
	  "org.apache.spark.sql.GeneratedClass$GeneratedIteratorForCodegenStage.processNext" },
	{ STK_FORM_JAVA, "shop.Cart.lambda$main$0", NULL },
	{ STK_FORM_JAVA, "shop.Cart$1.run", NULL },
	{ STK_FORM_JAVA, "shop.Cart.access$000", NULL },
	{ STK_FORM_JAVA, "java.util.Base64.encode", NULL },
	{ STK_FORM_JAVA, "sun.security.provider.SHA256.implCompress", NULL },
	{ STK_FORM_JAVA, "shop.Scripts1.run", NULL },
	{ STK_FORM_JAVA, "shop.PostScript2.print", NULL },
	{ STK_FORM_JAVA, "shop.Proxy12.find", NULL },
	{ STK_FORM_JAVA, "shop.V2.part.2", NULL },
	{ STK_FORM_NATIVE, "core::ops::function::FnOnce::call_once::h0123456789abcdef",
	  "core::ops::function::FnOnce::call_once" },
	{ STK_FORM_NATIVE, "core::h0123", NULL },
	{ STK_FORM_NATIVE, "vfs_read.isra.0", "vfs_read" },
	{ STK_FORM_NATIVE, "do_one.constprop.12", "do_one" },
	{ STK_FORM_NATIVE, "do_one.isra.0.constprop.3", "do_one" },
	{ STK_FORM_NATIVE, "slow.part.1.cold", "slow" },
	{ STK_FORM_NATIVE, "slow.cold.7", "slow" },
	{ STK_FORM_NATIVE, "foo.llvm.1234567890", "foo" },
	{ STK_FORM_NATIVE, "foo.lto_priv.0", "foo" },
	{ STK_FORM_NATIVE, "main.main.func1", NULL },
	{ STK_FORM_NATIVE, "runtime.mcall", NULL },
	{ STK_FORM_NATIVE, "entry_SYSCALL_64_after_hwframe", NULL },
	{ STK_FORM_NATIVE, "x86_64_start", NULL },
	{ STK_FORM_NATIVE, "utf8_decode2", NULL },
	{ STK_FORM_NATIVE, "0x7f12ab34cd", "0x" },
	{ STK_FORM_NATIVE, "stub_0x7f12ab34cd_x", "stub_0x_x" },
	{ STK_FORM_NATIVE, "mask_0xff", NULL },
	{ STK_FORM_NATIVE, ".cold", NULL },
	{ STK_FORM_PLAIN, "LazyCompile:~render /app/lib/12.js:3", NULL },
	{ STK_FORM_PLAIN, "a", NULL },
	{ STK_FORM_PLAIN, "$$Lambda", NULL },
	{ STK_FORM_PLAIN, "/0x12345678", NULL },
};

static const struct { const char *name, *pool; } pools[] = {
	{ "http-nio-8080-exec-12", "http-nio-*-exec-*" },
	{ "pool-3-thread-11", "pool-*-thread-*" },
	{ "main", "main" },
	{ "ForkJoinPool.commonPool-worker-3", "ForkJoinPool.commonPool-worker-*" },
	{ "job-550e8400-e29b-41d4-a716-446655440000-x", "job-*-x" },
	{ "session 3f2a91bc", "session *" },
	{ "facade", "facade" },
	{ "deadbeef", "deadbeef" },
	{ "lwp 0x7f12ab34", "lwp *" },
	{ "", "" },
};

static bool
folds_to(struct stk_text name, enum stk_form form, const char *wanted)
{
	char text[512];
	size_t size = generated_name_fold(name, form, text, sizeof text);

	if (text_is(text_of(text, size), wanted))
		return true;
	printf("# %.*s became %.*s, expected %s\n", (int)name.size, name.data, (int)size, text, wanted);
	return false;
}

int
main(void)
{
	struct frame_names frame = { .function = text_from("a.B$$Lambda$3/0x0000000800c03000.m"),
				     .module = text_from("app@1.2"),
				     .line = 12,
				     .form = STK_FORM_JAVA };
	char text[512], cut[4];
	size_t size;

	for (size_t i = 0; i < sizeof folds / sizeof *folds; i++) {
		const char *wanted = folds[i].folded != NULL ? folds[i].folded : folds[i].name;

		ok(folds_to(text_from(folds[i].name), folds[i].form, wanted), "%s is %s", folds[i].name, wanted);
		ok(folds_to(text_from(wanted), folds[i].form, wanted), "... and folding again changes nothing");
	}
	for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) {
		size = thread_pool(text_from(pools[i].name), text, sizeof text);
		ok(text_is(text_of(text, size), pools[i].pool), "thread '%s' is of pool '%s'", pools[i].name,
		   pools[i].pool);
	}
	size = frame_identity(&frame, &(struct identity_options){ 0 }, text, sizeof text);
	ok(text_is(text_of(text, size), "a.B$$Lambda.m"), "neither line nor module belong to a frame's identity");
	size = frame_identity(&frame, &(struct identity_options){ .lines = true }, text, sizeof text);
	ok(text_is(text_of(text, size), "a.B$$Lambda.m:12"), "... the line does when asked for");
	size = frame_identity(&frame, &(struct identity_options){ .exact = true }, text, sizeof text);
	ok(text_is(text_of(text, size), "a.B$$Lambda$3/0x0000000800c03000.m"),
	   "... and generated names stay when asked for");
	frame = (struct frame_names){ .function = text_from("[unknown]"), .module = text_from("/usr/lib/libc.so.6") };
	size = frame_identity(&frame, &(struct identity_options){ 0 }, text, sizeof text);
	ok(text_is(text_of(text, size), "[libc.so.6]"), "a frame without a symbol is its module");
	frame = (struct frame_names){ .function = text_from(""), .module = text_from("[vdso]") };
	size = frame_identity(&frame, &(struct identity_options){ 0 }, text, sizeof text);
	ok(text_is(text_of(text, size), "[vdso]"), "... whose brackets are enough");
	frame = (struct frame_names){ .function = text_from("abcdefgh") };
	ok(frame_identity(&frame, &(struct identity_options){ 0 }, cut, sizeof cut) == 8 && memcmp(cut, "abcd", 4) == 0,
	   "what has no room is counted");
	return tap_end();
}
